"""What columns of a table of items tell about each other: summaries, agreement, and names that are pairs.

Conventions
-----------
* The *link* of two columns is the larger of κ and, if both hold numbers, their correlation. People who judge the same
  items have links; a group, a condition or a property of the items has hardly any.
* A *summary* is computed from the other columns: their mean, sum, median, lowest, highest or most frequent value, or
  whether they are equal.
* Names are *pairs* if each of two or more heads has each of two or more tails: Anna_tone, Anna_style, Ben_tone, …
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from gamma_align.columns import BoolArray, FloatArray, IntArray
from gamma_align.data.cells import number_of
from gamma_align.data.profiles import Profile, Profiles

_MAX_ROWS = 5000  # more rows tell no more
_MAX_COLUMNS = 20  # of which each pair is compared
_MIN_ROWS_OF_LINKS = 20  # fewer judgments agree or differ by chance
_MIN_COMMON = 10  # rows that two columns share
_MIN_LINK = 0.25  # of the other columns; below, coders hardly agree, and nothing tells them from other columns
_MAX_LINK_SHARE = 1 / 3  # of the mean link of the other columns; below, a column is hardly a coder
_MIN_DISAGREEMENTS = 8  # rows; in fewer, a coder may agree with a summary of the others by chance
_MAX_CHANCE = 0.001  # that of several coders one is alone in none of the rows with a disagreement
_MIN_AGREEMENTS = 3  # rows
_MAX_LAST_ROWS = 3
_MIN_BLANK = 0.1  # share of cells
_ROUNDED = 0.0051  # two decimals
_PAIR = 2
_SPLITS = (r"(.+?)[\W_]+(.+)", r"(.+)[\W_]+(.+?)", r"(.*\D)(\d+)")
"""How a name is divided: at the first separator, at the last one, before the number."""


class Judged(NamedTuple):
    """The first rows of columns as codes and numbers.

    `codes` and `numbers` have shape (n_rows, n_columns): codes are -1 and numbers NaN where there is none.
    """

    names: tuple[str, ...]
    codes: IntArray
    numbers: FloatArray

    @classmethod
    def of(cls, columns: Sequence[Profile]) -> Judged | None:
        """Return the first rows of columns, None without columns or if cells hold several values."""
        if not columns or not all(column.are_labels for column in columns):
            return None
        keys = [[_key(name) for name in column.names[:_MAX_ROWS]] for column in columns]
        code = {key: index for index, key in enumerate({key: None for cells in keys for key in cells if key != ""})}
        codes = np.array([[code.get(key, -1) for key in cells] for cells in keys], dtype=np.int64).T
        numbers = np.array([[key if isinstance(key, float) else np.nan for key in cells] for cells in keys]).T
        return cls(tuple(column.name for column in columns), codes, numbers)

    def without(self, name: str) -> Judged:
        """Return the columns but one."""
        kept = [index for index, other in enumerate(self.names) if other != name]
        return Judged(tuple(self.names[index] for index in kept), self.codes[:, kept], self.numbers[:, kept])


def _key(name: str | None) -> str | float:
    """Return a name as a number or text, "" if there is none."""
    number = number_of(name)
    return (name or "").strip() if number is None or not math.isfinite(number) else number


def agree(columns: Profiles, coders: Profiles) -> list[str]:
    """Return the columns that seem to have judgments: words of the coders, or numbers that rise and fall with theirs.

    A summary of the coders is none. Beside a single coder, values of this one suffice.
    """
    known = {value for coder in coders.values() for value in coder.values}
    found = []
    for name, column in columns.items():
        judged = Judged.of([*coders.values(), column]) if not column.is_constant else None
        if judged is None or column.is_varied or summary_of(judged, name):
            continue
        links = [_link(judged, index, len(coders)) for index in range(len(coders))]
        links = [link for link in links if not math.isnan(link)]
        are_judgments = column.points is None or (bool(links) and np.mean(links) >= _MIN_LINK)
        if (column.values <= known and are_judgments) or (len(coders) == 1 and not column.values.isdisjoint(known)):
            found.append(name)
    return found


def summary_of(judged: Judged, name: str) -> str:
    """Return what summary of the other columns a column is, nothing if it is none."""
    column = judged.names.index(name)
    others = [other for other in range(len(judged.names)) if other != column]
    is_filled = (judged.codes >= 0).all(axis=1)
    codes = judged.codes[is_filled]
    if len(others) < _PAIR or not len(codes):
        return ""
    is_equal = (codes[:, others] == codes[:, others[:1]]).all(axis=1)
    n_different = np.count_nonzero(~is_equal)
    if n_different < _MIN_DISAGREEMENTS:
        return ""
    if _tells(codes[:, column], is_equal):
        return "it tells where the others agree"
    # A good coder who is never alone against the others looks like a summary if these seldom disagree.
    is_sure = n_different >= math.log(_MAX_CHANCE) / math.log(len(others) / (len(others) + 1))
    numbers = judged.numbers[is_filled]
    if not np.isnan(numbers).any():
        own = numbers[:, column]
        computed = _COMPUTED | _CHOSEN if is_sure else _COMPUTED
        found = (summary for summary, is_it in computed.items() if is_it(own, numbers[:, others]))
        summary = next(found, "")
        if summary:
            return f"it is the {summary} of the others"
    return "it is the most frequent value of the others" if is_sure and _is_majority(codes, column, others) else ""


def _tells(codes: IntArray, is_equal: BoolArray) -> bool:
    """Return whether a column has one value where the others agree, and another one where they do not."""
    if np.count_nonzero(is_equal) < _MIN_AGREEMENTS:
        return False
    agreed, other = (np.unique(codes[rows]).tolist() for rows in (is_equal, ~is_equal))
    return len(agreed) == len(other) == 1 and agreed != other


def _is_mean(own: FloatArray, others: FloatArray) -> bool:
    return bool((own != np.round(own)).any() and (np.abs(own - others.mean(axis=1)) <= _ROUNDED).all())


def _is_rounded_mean(own: FloatArray, others: FloatArray) -> bool:
    mean = others.mean(axis=1)
    # Halves are rounded up or down, and tell nothing.
    is_told = (others != others[:, :1]).any(axis=1) & (mean - np.floor(mean) != 0.5)  # noqa: PLR2004
    return bool((np.abs(own - mean) <= 0.5).all() and np.count_nonzero(is_told) >= _MIN_DISAGREEMENTS)  # noqa: PLR2004


def _is_difference(own: FloatArray, others: FloatArray) -> bool:
    return others.shape[1] == _PAIR and bool((np.abs(own) == np.abs(others[:, 0] - others[:, 1])).all())


# A coder has these values by chance only if coders disagree in few rows.
_CHOSEN: dict[str, Callable[[FloatArray, FloatArray], bool]] = {
    "median": lambda own, others: bool((own == np.median(others, axis=1)).all()),
    "lowest value": lambda own, others: bool((own == others.min(axis=1)).all()),
    "highest value": lambda own, others: bool((own == others.max(axis=1)).all()),
    "rounded mean": _is_rounded_mean,
}
_COMPUTED: dict[str, Callable[[FloatArray, FloatArray], bool]] = {
    "sum": lambda own, others: bool((own == others.sum(axis=1)).all()),
    "difference": _is_difference,
    "mean": _is_mean,
}


def _is_majority(codes: IntArray, column: int, others: Sequence[int]) -> bool:
    n_majorities = 0
    for row in codes.tolist():
        (value, count), *rest = Counter(row[other] for other in others).most_common(_PAIR)
        if rest and count > rest[0][1]:
            n_majorities += 1
            if row[column] != value:
                return False
    return n_majorities >= _MIN_DISAGREEMENTS


def odd_row(judged: Judged) -> int | None:
    """Return one of the first and last rows whose values are in no other row, None if there is none.

    Names of columns may stand in two lines, and sums below the last item. Values that hardly repeat tell nothing.
    """
    n_rows = len(judged.codes)
    counts = np.bincount(judged.codes[judged.codes >= 0])
    if len(judged.names) < _PAIR or n_rows < _MIN_ROWS_OF_LINKS or 2 * len(counts) > n_rows or n_rows == _MAX_ROWS:
        return None
    for row in chain((0, 1), range(n_rows - _MAX_LAST_ROWS, n_rows)):
        own = np.bincount(judged.codes[row][judged.codes[row] >= 0], minlength=len(counts))
        if np.count_nonzero(own) >= _PAIR and (own[own > 0] == counts[own > 0]).all():
            return row
    return None


def blanks_agree(judged: Judged) -> bool:
    """Return whether columns are blank in the same rows more often than by chance, though not always.

    Rows that are all blank at the beginning and the end are not judged yet.
    """
    is_blank = judged.codes < 0
    filled = np.flatnonzero(~is_blank.all(axis=1))
    if len(filled) < _MIN_ROWS_OF_LINKS or not _PAIR <= is_blank.shape[1] <= _MAX_COLUMNS:
        return False
    is_blank = is_blank[filled[0] : filled[-1] + 1]
    n_blank = is_blank.sum(axis=1)
    are_partly = (n_blank > 0) & (n_blank < is_blank.shape[1])
    are_all = n_blank == is_blank.shape[1]
    if is_blank.mean() < _MIN_BLANK or min(np.count_nonzero(are_partly), np.count_nonzero(are_all)) < _MIN_AGREEMENTS:
        return False
    blanks = Judged(judged.names, is_blank.astype(np.int64), np.full(is_blank.shape, np.nan))
    links = [_link(blanks, *pair) for pair in combinations(range(len(judged.names)), _PAIR)]
    return float(np.nanmean(links)) >= _MIN_LINK


def unlinked(judged: Judged) -> list[str]:
    """Return the columns that hardly agree with the others, while these agree with each other."""
    n_columns = len(judged.names)
    if len(judged.codes) < _MIN_ROWS_OF_LINKS or not _PAIR < n_columns <= _MAX_COLUMNS:
        return []
    links = np.full((n_columns, n_columns), np.nan)
    for first, second in combinations(range(n_columns), _PAIR):
        links[first, second] = links[second, first] = _link(judged, first, second)
    found = []
    for column, name in enumerate(judged.names):
        others = np.delete(np.delete(links, column, 0), column, 1)
        own = links[column][~np.isnan(links[column])]
        rest = others[~np.isnan(others)]
        if len(own) and len(rest) and rest.mean() >= _MIN_LINK and own.mean() < _MAX_LINK_SHARE * rest.mean():
            found.append(name)
    return found


def _link(judged: Judged, first: int, second: int) -> float:
    """Return the link of two columns, NaN if they have few rows in common or both are constant, 0 if one is."""
    codes = judged.codes[:, [first, second]]
    is_common = (codes >= 0).all(axis=1)
    codes = codes[is_common]
    if len(codes) < _MIN_COMMON:
        return math.nan
    n_constant = np.count_nonzero((codes == codes[0]).all(axis=0))
    if n_constant:
        return math.nan if n_constant == _PAIR else 0.0
    counts = [np.bincount(codes[:, side], minlength=int(codes.max()) + 1) / len(codes) for side in (0, 1)]
    expected = float(counts[0] @ counts[1])
    kappa = (float((codes[:, 0] == codes[:, 1]).mean()) - expected) / (1 - expected)
    numbers = judged.numbers[is_common][:, [first, second]]
    if np.isnan(numbers).any():
        return kappa
    correlations = np.atleast_2d(np.corrcoef(numbers, rowvar=False))
    return max(kappa, float(correlations[0, 1]))


class Pairs(NamedTuple):
    """Names that are all pairs of heads and tails; `table` has a row for each head and a column for each tail."""

    heads: tuple[str, ...]
    tails: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]


def pairs_of(names: Sequence[str]) -> Pairs | None:
    """Return the names that are pairs of heads and tails, None if there are fewer than two of each."""
    for split in _SPLITS:
        for is_head in (True, False):  # whether a name of one part is a head
            found = _pairs(names, re.compile(split), is_head=is_head)
            if found is not None:
                return found
    return None


def _pairs(names: Sequence[str], split: re.Pattern[str], *, is_head: bool) -> Pairs | None:
    tails: dict[str, dict[str, str]] = {}
    for name in names:
        match = split.fullmatch(name.strip())
        whole = (name, "") if is_head else ("", name)
        head, tail = whole if match is None else (match[1], match[2])
        tails.setdefault(head, {})[tail] = name
    several = Counter(frozenset(found) for found in tails.values() if len(found) > 1)
    (common, n_heads) = next(iter(several.most_common(1)), (frozenset[str](), 0))
    if n_heads < _PAIR or common == {""}:
        return None
    heads = tuple(head for head, found in tails.items() if frozenset(found) == common)
    ordered = tuple(tails[heads[0]])
    return Pairs(heads, ordered, tuple(tuple(tails[head][tail] for tail in ordered) for head in heads))
