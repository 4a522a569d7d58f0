"""The settings of γ that determine an alignment; `align` needs no other, and no module that draws samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from gamma_align.alignment import Limits
from gamma_align.distances import Dissimilarity
from gamma_align.measures.gamma.gamma_options import GAMMA_OPTIONS
from gamma_align.options import resolved


class AlignmentSettings(NamedTuple):
    """The dissimilarity d, with α, β and Δ, the limits of the search, and the kind of alignment.

    After the limits, an alignment stops with a stated gap.
    """

    dissimilarity: Dissimilarity
    limits: Limits
    alignment: str

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Return the settings among options of γ; each of them is checked. See `GammaSettings.of`."""
        return cls.from_values(resolved(GAMMA_OPTIONS, settings, "γ"))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Return the settings among checked values of all options of γ."""
        dissimilarity = Dissimilarity.of(
            values["dissimilarity"], values["distance"], values["alpha"], values["beta"], values["delta_empty"]
        )
        return cls(dissimilarity, Limits(time_limit=values["time_limit"], solver=values["solver"]), values["alignment"])
