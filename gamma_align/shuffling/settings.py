"""How a reference is degraded: the kinds of errors and their parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gamma_align._types import FloatArray
from gamma_align.errors import SettingsError

KINDS = ("shift", "false-negative", "false-positive", "category", "split")
"""Kinds of errors, in the order in which they apply."""

SHORTEST_PIECE = 0.01
"""Splits leave no piece shorter than this share of the reference's mean length, or than 1 where bounds are integers."""

CONFUSIONS = ("prevalence", "uniform")
OVERLAPS = ("allow", "cut")


@dataclass(frozen=True, slots=True)
class Shuffling:
    """Kinds of errors and their parameters.

    Attributes
    ----------
    kinds : tuple of str
        Of `KINDS`, in any order: they always apply in theirs.
    confusion : {"prevalence", "uniform"}
        P, where wrong categories come from: the reference's frequencies, or all the same.
    overlap_matrix : tuple of tuple of float, optional
        O, how categories resemble each other: a row for each of the reference's categories, in their order, which sums
        to 1.
    subset : tuple of str, optional
        Only these categories are confused, with each other.
    shift_factor : float
        Bounds move by at most m · this · the mean length.
    split_factor : float
        m · this · the number of units is how often a unit is cut in two. No piece is shorter than `SHORTEST_PIECE` of
        the reference's mean length, or than 1 where bounds are integers; once no unit of a copy is twice as long as
        that, the rest of its cuts is left out.
    overlaps : {"allow", "cut"}
        Whether units of an annotator that are shifted or added may overlap; if not, the earlier one ends where the
        later one begins, as measures need that have no place for overlaps (uα, coefficients on atoms). The reference's
        units must not overlap either.
    integer : bool, optional
        Whether bounds are integers; without it, where all of the document's are.
    """

    kinds: tuple[str, ...] = ("shift",)
    confusion: str = "prevalence"
    overlap_matrix: tuple[tuple[float, ...], ...] | None = None
    subset: tuple[str, ...] | None = None
    shift_factor: float = 2.0
    split_factor: float = 2.5
    overlaps: str = "allow"
    integer: bool | None = None

    def __post_init__(self) -> None:
        if not self.kinds:
            raise SettingsError(f"at least one kind of errors is needed, of {', '.join(KINDS)}")
        for kind in self.kinds:
            if kind not in KINDS:
                raise SettingsError(f"no kind of errors {kind!r}; there are {', '.join(KINDS)}")
        _one_of("confusion", self.confusion, CONFUSIONS)
        _one_of("overlaps", self.overlaps, OVERLAPS)
        for name in ("shift_factor", "split_factor"):
            if not 0 <= getattr(self, name) < math.inf:
                raise SettingsError(f"{name} must be 0 or more, not {getattr(self, name)}")
        if self.subset is not None and self.overlap_matrix is not None:
            raise SettingsError("a subset and an overlap matrix do not go together: let the matrix confuse the subset")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings, ready for JSON."""
        names = ("confusion", "shift_factor", "split_factor", "overlaps", "integer")
        lists = {"kinds": ordered(self.kinds), "subset": self.subset, "overlap_matrix": self.overlap_matrix}
        return {name: value if value is None else list(value) for name, value in lists.items()} | {
            name: getattr(self, name) for name in names
        }


def ordered(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds, each once, in the order in which they apply."""
    return tuple(kind for kind in KINDS if kind in kinds)


def check_magnitude(magnitude: float) -> float:
    """Return the magnitude if it is one."""
    if not 0 <= magnitude <= 1:
        raise SettingsError(f"a magnitude is from 0 (no errors) to 1 (the worst), not {magnitude}")
    return round(float(magnitude), 12)  # 0.15000000000000002 is nobody's magnitude


def targets(settings: Shuffling, categories: tuple[str, ...], frequencies: FloatArray) -> FloatArray:
    """Return P: for each category, the probabilities of the one it is confused with, shape (n, n)."""
    within = np.ones(len(categories), dtype=np.bool_)
    if settings.subset is not None:
        unknown = [name for name in settings.subset if name not in categories]
        if unknown:
            names = ", ".join(map(repr, categories[:10])) or "none"
            raise SettingsError(f"no category {unknown[0]!r} to confuse; the reference has {names}")
        within = np.isin(np.array(categories), np.array(settings.subset))
    row = np.where(within, frequencies if settings.confusion == "prevalence" else 1.0, 0.0)
    total = row.sum()
    confused = np.tile(row / total if total > 0 else row, (len(categories), 1))
    rows: FloatArray = np.where((within & (total > 0))[:, None], confused, np.eye(len(categories)))
    return rows


def overlaps_of(settings: Shuffling, categories: tuple[str, ...]) -> FloatArray | None:
    """Return O, checked, or None."""
    if settings.overlap_matrix is None:
        return None
    size = len(categories)
    if [len(row) for row in settings.overlap_matrix] != [size] * size:
        raise SettingsError(
            f"the overlap matrix needs a row and a column for each of the {size} categories of the reference, in this "
            f"order: {', '.join(categories)}"
        )
    matrix = np.array(settings.overlap_matrix, dtype=np.float64).reshape(size, size)
    if not (matrix >= 0).all() or not np.allclose(matrix.sum(axis=1), 1.0, rtol=0, atol=1e-9):
        raise SettingsError("the rows of the overlap matrix are probabilities: 0 or more, with the sum 1")
    return matrix


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise SettingsError(f"{name} must be one of {', '.join(known)}, not {value!r}")
