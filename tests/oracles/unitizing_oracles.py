"""The unitizing family, written naively in exact arithmetic: what the package must agree with.

K16 eq. 1-13, K19 §12.6, and the older αU of Krippendorff 2004, with every segment of one annotator set against every
segment of another. A document is ``(low, high, observers)``, an observer a list of units ``(start, end, value)``; a
weight for each unit, where given, counts its part that often (a bootstrap over units).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations

Units = Sequence[tuple[float, float, object]]
Document = tuple[float, float, Sequence[Units]]
Squared = Callable[[object, object], Fraction]

GAP = "φ"
NAN = math.nan


def nominal(first: object, second: object) -> Fraction:
    return Fraction(first != second)


def interval(first: object, second: object) -> Fraction:
    return (Fraction(str(first)) - Fraction(str(second))) ** 2


def ratio(first: object, second: object) -> Fraction:
    one, other = Fraction(str(first)), Fraction(str(second))
    return Fraction(0) if one == other else ((one - other) / (one + other)) ** 2


def ordinal(margins: dict[object, Fraction]) -> Squared:
    """Krippendorff's δ² for these margins, labels being numbers."""
    order = sorted(margins, key=lambda label: Fraction(str(label)))

    def squared(first: object, second: object) -> Fraction:
        low, high = sorted((order.index(first), order.index(second)))
        between = sum((margins[label] for label in order[low : high + 1]), Fraction(0))
        return (between - (margins[first] + margins[second]) / 2) ** 2 if low != high else Fraction(0)

    return squared


def segments(low: float, high: float, units: Units) -> list[tuple[Fraction, Fraction, object, int | None]]:
    """Units and the gaps between them: start, end, value, and the number of the unit."""
    found, at = [], Fraction(low)
    for number, (start, end, value) in sorted(enumerate(units), key=lambda unit: unit[1][:2]):
        if Fraction(start) > at:
            found.append((at, Fraction(start), GAP, None))
        if end > start:
            found.append((Fraction(start), Fraction(end), value, number))
        at = max(at, Fraction(end))
    if Fraction(high) > at:
        found.append((at, Fraction(high), GAP, None))
    return found


def shared(one: tuple, other: tuple) -> Fraction:
    return max(Fraction(0), min(one[1], other[1]) - max(one[0], other[0]))


class Coincidences:
    """l_ck, own_c and own*_c of documents joined end to end."""

    def __init__(self, documents: Sequence[Document], weights: Sequence[Sequence[float]] | None = None) -> None:
        self.length: dict[tuple[object, object], Fraction] = defaultdict(Fraction)
        self.own: dict[object, Fraction] = defaultdict(Fraction)
        self.own_met: dict[object, Fraction] = defaultdict(Fraction)
        for low, high, observers in documents:
            if len(observers) >= 2 and high > low:
                self._add([segments(low, high, units) for units in observers], weights)
        self.values = sorted({c for c, _ in self.length} - {GAP}, key=str)

    def _add(self, observers: list, weights: Sequence[Sequence[float]] | None) -> None:
        share = Fraction(1, len(observers) - 1)

        def weight(observer: int, segment: tuple) -> Fraction:
            return Fraction(1 if weights is None or segment[3] is None else weights[observer][segment[3]])

        for i, j in permutations(range(len(observers)), 2):
            for one in observers[i]:
                for other in observers[j]:
                    # the part of a unit against a gap is the unit's, seen from either side
                    times = weight(j, other) if one[3] is None else weight(i, one)
                    self.length[one[2], other[2]] += times * shared(one, other) * share / 2
                    self.length[other[2], one[2]] += times * shared(one, other) * share / 2
                if one[3] is not None:
                    met = sum((shared(one, other) for other in observers[j] if other[3] is not None), Fraction(0))
                    self.own_met[one[2]] += weight(i, one) * share * met**2
        for i, mine in enumerate(observers):
            for one in mine:
                if one[3] is not None:
                    self.own[one[2]] += weight(i, one) * (one[1] - one[0]) ** 2
        self.own[GAP] = sum((part for (c, _), part in self.length.items() if c == GAP), Fraction(0))

    def family(self, squared: Squared | None = None) -> dict[str, object]:
        """Every coefficient, as floats; `squared` None is Krippendorff's ordinal metric on the margins that meet."""
        everything = [*self.values, GAP]
        length = self.length
        margin = {c: sum((length[c, k] for k in everything), Fraction(0)) for c in everything}
        met = {c: sum((length[c, k] for k in self.values), Fraction(0)) for c in self.values}
        total, total_met = sum(margin.values(), Fraction(0)), sum(met.values(), Fraction(0))
        if squared is None:
            squared = ordinal(met)
        expected = chance(margin, self.own, total)
        expected_met = chance(met, self.own_met, total_met)
        off = [(c, k) for c in everything for k in everything if c != k]
        bar = [(c, GAP) for c in self.values]
        coded = [(c, k) for c in self.values for k in self.values]
        same, same_met = [(c, c) for c in everything], [(c, c) for c in self.values]

        def over_all(pairs: list, alike: list, by_chance: dict | None, apart: Squared = nominal) -> float:
            if by_chance is None:
                return NAN
            differ = (sum(table[p] * apart(*p) for p in pairs) for table in (length, by_chance))
            return over(*differ, sum(by_chance[p] for p in alike))

        ku = {
            k: over(
                sum(length[c, k] * squared(c, k) for c in self.values) / met[k],
                sum(expected_met[c, k] * squared(c, k) for c in self.values)
                / sum(expected_met[c, k] for c in self.values),
            )
            if met[k] and expected_met and expected_met[k, k] >= 0
            else NAN
            for k in self.values
        }
        return {
            "u": over_all(off, same, expected),
            "bar_u": over_all(bar, [*coded, (GAP, GAP)], expected),
            "cu": over_all(coded, same_met, expected_met, squared),
            "ku": ku,
            "coverage": float(total_met / total) if total else NAN,
            "coverage_k": {k: float(met[k] / margin[k]) for k in self.values},
        }


def chance(
    margin: dict[object, Fraction], own: dict[object, Fraction], total: Fraction
) -> dict[tuple[object, object], Fraction] | None:
    """ε_ck (K16 eq. 4, 10); None where nothing can be paired."""
    if total == 0:
        return None
    pairable = total - sum((own[c] for c in margin), Fraction(0)) / total
    if pairable <= 0:
        return None
    return {(c, k): (margin[c] * margin[k] - (own[c] if c == k else 0)) / pairable for c in margin for k in margin}


def over(observed: Fraction, expected: Fraction, alike: Fraction = Fraction(0)) -> float:
    """1 - observed / expected; NaN where nothing is expected, or less than nothing `alike`."""
    return float(1 - observed / expected) if expected and alike >= 0 else NAN


def family_definition(documents: Sequence[Document], squared: Squared | None = nominal) -> dict[str, object]:
    return Coincidences(documents).family(squared)


def layers_definition(documents: Sequence[Document]) -> dict[str, object]:
    """uα of every category alone, and of all: 1 - Σ observed / Σ expected."""
    labels = sorted({value for _, _, observers in documents for units in observers for *_, value in units}, key=str)
    observed, expected, each = Fraction(0), Fraction(0), {}
    for label in labels:
        alone = [(low, high, [joined(units, label) for units in o]) for low, high, o in documents]
        found = Coincidences(alone)
        margin = {c: sum((found.length[c, k] for k in (label, GAP)), Fraction(0)) for c in (label, GAP)}
        by_chance = chance(margin, found.own, sum(margin.values(), Fraction(0)))
        alike = by_chance[label, label] + by_chance[GAP, GAP]
        each[label] = over(2 * found.length[label, GAP], 2 * by_chance[label, GAP], alike)
        observed, expected = observed + 2 * found.length[label, GAP], expected + 2 * by_chance[label, GAP]
    return {"u": over(observed, expected), "layers": each}


def joined(units: Units, label: object) -> list[tuple[float, float, object]]:
    """The units of one category, those that overlap as one."""
    found: list[tuple[float, float, object]] = []
    for start, end, value in sorted((u for u in units if u[2] == label and u[1] > u[0]), key=lambda unit: unit[:2]):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]), value)
        else:
            found.append((start, end, value))
    return found


def alpha_u_2004_definition(document: Document, category: object) -> tuple[Fraction, Fraction]:
    """D_o and D_e of one category (Krippendorff 2004 §11.6)."""
    low, high, observers = document
    length, m = Fraction(high) - Fraction(low), len(observers)
    parts = [segments(low, high, [u for u in units if u[2] == category]) for units in observers]
    total = Fraction(0)
    for i, j in permutations(range(m), 2):
        for one in parts[i]:
            for other in parts[j]:
                if one[3] is not None and other[3] is not None and shared(one, other) > 0:
                    total += (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
                elif (one[3] is None) != (other[3] is None):
                    unit, gap = (one, other) if other[3] is None else (other, one)
                    if gap[0] <= unit[0] and unit[1] <= gap[1]:
                        total += (unit[1] - unit[0]) ** 2
    units = [s[1] - s[0] for part in parts for s in part if s[3] is not None]
    gaps = [s[1] - s[0] for part in parts for s in part if s[3] is None]
    room = sum(
        Fraction(len(units) - 1, 3) * (2 * size**3 - 3 * size**2 + size)
        + size**2 * sum(gap - size + 1 for gap in gaps if gap >= size)
        for size in units
    )
    pairs = m * length * (m * length - 1) - sum(size * (size - 1) for size in units)
    return total / (m * (m - 1) * length**2), 2 / length * room / pairs


def krippendorff_alpha_definition(rows: Sequence[Sequence[object]], squared: Squared = nominal) -> float:
    """α of items × coders, None being a missing value (Krippendorff 2011)."""
    together: dict[tuple[object, object], Fraction] = defaultdict(Fraction)
    for row in rows:
        given = [value for value in row if value is not None]
        for i, j in permutations(range(len(given)), 2):
            together[given[i], given[j]] += Fraction(1, len(given) - 1)
    margin: dict[object, Fraction] = defaultdict(Fraction)
    for (c, _), amount in together.items():
        margin[c] += amount
    n = sum(margin.values(), Fraction(0))
    if not n:
        return NAN
    observed = sum(amount * squared(c, k) for (c, k), amount in together.items()) / n
    expected = sum(margin[c] * margin[k] * squared(c, k) for c in margin for k in margin) / (n * (n - 1))
    return over(observed, expected)
