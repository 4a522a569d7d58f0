"""`synthetic_reference`: random units with given lengths, gaps, categories and nesting, as a reference to degrade."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Coded, Continuum, Corpus
from gamma_align.errors import SettingsError

_SPAWN_KEY = 0x5EED  # keeps this stream apart from other users of the same seed
_FLOOR_TOLERANCE = 1e-9  # 0.29 · 100 is 28.999…96
_NESTED_LENGTHS = (0.2, 0.8)  # range of the length of a nested unit, relative to the unit that contains it


def synthetic_reference(
    *,
    units: int = 100,
    categories: Sequence[str] | Mapping[str, float] = ("A", "B", "C", "D"),
    length: float | Mapping[str, float] = 10.0,
    length_deviation: float = 0.0,
    gap: float = 10.0,
    gap_deviation: float = 0.0,
    nesting: float = 0.0,
    integer: bool = False,
    seed: int = 0,
    document: str = "synthetic",
) -> Continuum:
    """Return a continuum of random units of one annotator.

    Parameters
    ----------
    units : int
        Number of units.
    categories : sequence of str, or mapping of str to float
        The labels, equally frequent, or each with its frequency. The number of units of each label is exact up to
        rounding; their order is random.
    length : float or mapping of str to float
        Mean length of all units, or of the units of each category.
    length_deviation, gap_deviation : float
        Standard deviations. Lengths and gaps are normal; lengths are redrawn until positive, gaps until not negative.
    gap : float
        Mean distance between neighbouring units, and between the outer units and the ends of the document.
    nesting : float
        Share of the units that lie inside another unit, at a uniform position, 0.2 to 0.8 times as long as that unit.
    integer : bool
        Whether all bounds are integers; lengths are at least 1.
    seed : int
        Seed of all random numbers.
    document : str
        Name of the document.

    Returns
    -------
    Continuum
        With the annotator ``"reference"``.

    Raises
    ------
    SettingsError
        If a setting is out of its range.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=2, categories=["x"])
    >>> [(unit.start, unit.end, unit.category) for unit in reference.units()]
    [(10.0, 20.0, 'x'), (30.0, 40.0, 'x')]
    """
    shares = _shares(categories)
    _check(units, nesting, seed, gap, length_deviation, gap_deviation)
    means = _means(length, tuple(shares))
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(_SPAWN_KEY,))))
    counts = _round_counts(units, np.array(list(shares.values())))
    category = generator.permutation(np.repeat(np.arange(len(shares)), counts))
    n_nested = min(math.floor(nesting * units + _FLOOR_TOLERANCE), units - 1)
    n_top = units - n_nested
    lengths = _draw_normal(generator, means[category[:n_top]], length_deviation, exclude_zero=True)
    gaps = _draw_normal(generator, np.full(n_top + 1, float(gap)), gap_deviation, exclude_zero=False)
    if integer:
        lengths = np.maximum(np.rint(lengths), 1.0)
        gaps = np.rint(gaps)
    end = np.cumsum(gaps[:n_top] + lengths)
    start = end - lengths
    start, end = _add_nested(generator, start, end, n_nested, integer=integer)
    return Corpus.from_columns(
        {
            "document": Coded(np.zeros(units, dtype=np.int64), (document,)),
            "annotator": Coded(np.zeros(units, dtype=np.int64), ("reference",)),
            "start": start,
            "end": end,
            "category": Coded(category, tuple(shares)),
        },
        documents={"document": [document], "start": [0.0], "end": [float(end[n_top - 1] + gaps[n_top])]},
    ).continuum(0)


def _shares(categories: Sequence[str] | Mapping[str, float]) -> dict[str, float]:
    """Return the relative frequency of each category."""
    if isinstance(categories, Mapping):
        shares = dict(categories)
    else:
        names = [categories] if isinstance(categories, str) else categories
        shares = dict.fromkeys(names, 1.0)
    total = math.fsum(shares.values())
    if not shares or not all(share >= 0 for share in shares.values()) or not 0 < total < math.inf:
        raise SettingsError("categories need frequencies of 0 or more, and not all 0")
    return {name: share / total for name, share in shares.items()}


def _check(units: int, nesting: float, seed: int, *lengths: float) -> None:
    """Raise a SettingsError for the first number out of its range."""
    if units < 1:
        raise SettingsError(f"units must be 1 or more, not {units}")
    if seed < 0:
        raise SettingsError(f"the seed must be 0 or more, not {seed}")
    if not 0 <= nesting < 1:
        raise SettingsError(f"nesting is a share of the units, 0 to below 1, not {nesting}")
    if not all(0 <= value < math.inf for value in lengths):
        raise SettingsError("gap and deviations must be 0 or more")


def _means(length: float | Mapping[str, float], names: tuple[str, ...]) -> FloatArray:
    """Return the mean length of the units of each category."""
    lengths = length if isinstance(length, Mapping) else dict.fromkeys(names, length)
    missing = [name for name in names if name not in lengths]
    if missing:
        raise SettingsError(f"no length is given for category {missing[0]!r}")
    means = np.array([lengths[name] for name in names], dtype=np.float64)
    if not ((means > 0) & (means < np.inf)).all():
        raise SettingsError("lengths must be above 0")
    return means


def _round_counts(units: int, shares: FloatArray) -> IntArray:
    """Return integers that sum to `units` and are as close to the shares as possible (largest remainders)."""
    exact = shares * units
    counts: IntArray = np.floor(exact + _FLOOR_TOLERANCE).astype(np.int64)
    by_remainder = np.argsort(counts - exact, kind="stable")
    counts[by_remainder[: units - int(counts.sum())]] += 1
    return counts


def _draw_normal(
    generator: np.random.Generator, mean: FloatArray, deviation: float, *, exclude_zero: bool
) -> FloatArray:
    """Return normal numbers, each redrawn until it is not negative and, with `exclude_zero`, not 0."""
    values = np.array(mean)
    if not deviation > 0:
        return values
    pending = np.arange(len(mean))
    while len(pending):
        values[pending] = generator.normal(mean[pending], deviation)
        drawn = values[pending]
        pending = pending[drawn <= 0.0] if exclude_zero else pending[drawn < 0.0]
    return values


def _add_nested(
    generator: np.random.Generator, start: FloatArray, end: FloatArray, n_nested: int, *, integer: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of all units: the given ones, followed by `n_nested` units inside random ones of them."""
    parent = generator.integers(len(start), size=n_nested)
    parent_length = (end - start)[parent]
    length = generator.uniform(*_NESTED_LENGTHS, size=n_nested) * parent_length
    nested_start = start[parent] + generator.random(n_nested) * (parent_length - length)
    nested_end = nested_start + length
    if integer:
        nested_start = np.rint(nested_start)
        nested_end = np.minimum(np.maximum(np.rint(nested_end), nested_start + 1.0), end[parent])
        nested_start = np.minimum(nested_start, nested_end - 1.0)
    return np.concatenate([start, nested_start]), np.concatenate([end, nested_end])
