"""`synthetic_reference`: a reference made to order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.continuum import Continuum
from gamma_align.data.corpus import Corpus
from gamma_align.data.tables import Coded
from gamma_align.errors import SettingsError

_STREAM = 0x5EED


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
    """Return one annotator's units, made to order.

    Parameters
    ----------
    units : int
        How many.
    categories : sequence of str, or mapping of str to float
        The labels, or how frequent each is; numbers of units are as near to that as whole numbers go, in random order.
    length : float or mapping of str to float
        Mean length, or that of each category.
    length_deviation, gap_deviation : float
        Standard deviations; lengths and gaps are normal, drawn again while not positive (a gap: negative).
    gap : float
        Mean distance of one unit to the next, and to the ends of the document.
    nesting : float
        Share of the units that lie inside another one: at a uniform place, 0.2 to 0.8 times as long.
    integer : bool
        Whether all bounds are integers; lengths are 1 at least.
    seed : int
        Of everything random.
    document : str
        Name of the document.

    Returns
    -------
    Continuum
        With the annotator ``"reference"``.

    Raises
    ------
    SettingsError
        For a setting out of its range.

    Examples
    --------
    >>> reference = ga.synthetic_reference(units=2, categories=["x"])
    >>> [(unit.start, unit.end, unit.category) for unit in reference.units()]
    [(10.0, 20.0, 'x'), (30.0, 40.0, 'x')]
    """
    shares = _shares(categories)
    _check(units, nesting, seed, gap, length_deviation, gap_deviation)
    means = _means(length, tuple(shares))
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(_STREAM,))))
    category = draw.permutation(np.repeat(np.arange(len(shares)), _quota(units, np.array(list(shares.values())))))
    top = units - min(math.floor(nesting * units + 1e-9), units - 1)
    lengths = _normal(draw, means[category[:top]], length_deviation, least=0.0, strict=True)
    gaps = _normal(draw, np.full(top + 1, float(gap)), gap_deviation, least=0.0, strict=False)
    if integer:
        lengths, gaps = np.maximum(np.rint(lengths), 1.0), np.rint(gaps)
    end = np.cumsum(gaps[:top] + lengths)
    start = end - lengths
    start, end = _with_nested(draw, start, end, units - top, integer=integer)
    return Corpus.from_columns(
        {
            "document": Coded(np.zeros(units, dtype=np.int64), (document,)),
            "annotator": Coded(np.zeros(units, dtype=np.int64), ("reference",)),
            "start": start,
            "end": end,
            "category": Coded(category, tuple(shares)),
        },
        documents={"document": [document], "start": [0.0], "end": [float(end[top - 1] + gaps[top])]},
    ).continuum(0)


def _shares(categories: Sequence[str] | Mapping[str, float]) -> dict[str, float]:
    if isinstance(categories, Mapping):
        shares = dict(categories)
    else:
        shares = dict.fromkeys([categories] if isinstance(categories, str) else categories, 1.0)
    total = math.fsum(shares.values())
    if not shares or not all(share >= 0 for share in shares.values()) or not 0 < total < math.inf:
        raise SettingsError("categories need frequencies of 0 or more, and not all 0")
    return {name: share / total for name, share in shares.items()}


def _check(units: int, nesting: float, seed: int, *lengths: float) -> None:
    if units < 1:
        raise SettingsError(f"units must be 1 or more, not {units}")
    if seed < 0:
        raise SettingsError(f"the seed must be 0 or more, not {seed}")
    if not 0 <= nesting < 1:
        raise SettingsError(f"nesting is a share of the units, 0 to below 1, not {nesting}")
    if not all(0 <= value < math.inf for value in lengths):
        raise SettingsError("gap and deviations must be 0 or more")


def _means(length: float | Mapping[str, float], names: tuple[str, ...]) -> FloatArray:
    each = length if isinstance(length, Mapping) else dict.fromkeys(names, length)
    missing = [name for name in names if name not in each]
    if missing:
        raise SettingsError(f"no length is given for category {missing[0]!r}")
    means = np.array([each[name] for name in names], dtype=np.float64)
    if not ((means > 0) & (means < np.inf)).all():
        raise SettingsError("lengths must be above 0")
    return means


def _quota(units: int, shares: FloatArray) -> IntArray:
    """Return whole numbers with the sum `units`, as near to the shares as can be (largest remainders)."""
    exact = shares * units
    numbers: IntArray = np.floor(exact + 1e-9).astype(np.int64)
    behind = np.argsort(numbers - exact, kind="stable")
    numbers[behind[: units - int(numbers.sum())]] += 1
    return numbers


def _normal(draw: np.random.Generator, mean: FloatArray, deviation: float, *, least: float, strict: bool) -> FloatArray:
    values = np.array(mean)
    open_ = np.arange(len(mean)) if deviation > 0 else np.empty(0, dtype=np.int64)
    while len(open_):
        values[open_] = draw.normal(mean[open_], deviation)
        open_ = open_[(values[open_] <= least) if strict else (values[open_] < least)]
    return values


def _with_nested(
    draw: np.random.Generator, start: FloatArray, end: FloatArray, nested: int, *, integer: bool
) -> tuple[FloatArray, FloatArray]:
    parent = draw.integers(len(start), size=nested)
    room = (end - start)[parent]
    length = draw.uniform(0.2, 0.8, size=nested) * room
    inside = start[parent] + draw.random(nested) * (room - length)
    last = inside + length
    if integer:
        inside = np.rint(inside)
        last = np.minimum(np.maximum(np.rint(last), inside + 1.0), end[parent])
        inside = np.minimum(inside, last - 1.0)
    return np.concatenate([start, inside]), np.concatenate([end, last])
