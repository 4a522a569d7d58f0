"""The nominal distance: the same category or another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gamma_align.distances.base import Distance, Labels

if TYPE_CHECKING:
    from gamma_align._types import FloatArray


@dataclass(frozen=True, slots=True)
class Nominal(Distance):
    """0 for the same category, 1 for two different ones."""

    name: ClassVar[str] = "nominal"
    bounded: ClassVar[bool] = True

    def matrix(self, labels: Labels, weights: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        """Return d between all pairs; see `Distance.matrix`."""
        return 1.0 - np.eye(len(labels))
