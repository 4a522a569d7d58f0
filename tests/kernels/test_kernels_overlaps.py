"""The kernel of overlaps by chance: its two kinds against each other to the last bit, its law against a sum."""

import math
from functools import cache

import numpy as np
import pytest
from both_kernels import by_both, needs_compiled
from scipy import integrate, stats

from gamma_align import kernels


def make_documents(seed, n_documents, most_rows, longest_span):
    """Return arguments of the kernel: documents of all kinds, some with units on a lattice, points or no freedom.

    Each unit has one of three labels, at distances that are not symmetric.
    """
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 8, n_documents)
    document, n_units = np.repeat(np.arange(n_documents), counts), int(counts.sum())
    n_rows, integer = rng.integers(2, most_rows, n_documents), rng.integers(0, 2, n_documents)
    span = np.floor(rng.random(n_documents) * longest_span) + 1.0
    span = np.where(integer == 1, span, span * rng.random(n_documents))
    span[rng.random(n_documents) < 0.05] = 0.0
    distance = np.where(rng.random(n_documents) < 0.3, 1.0, rng.random(n_documents)) * span / n_rows
    distance = np.where(integer == 1, np.floor(distance), distance)
    free = span - n_rows * distance
    free[(integer == 0) & (free <= 1e-9 * span)] = 0.0
    length = rng.random(n_units) ** 2 * span[document]
    length[rng.random(n_units) < 0.2] = 0.0
    place = rng.random(n_units) * (span[document] - length)
    on_lattice = rng.random(n_units) < 0.8
    length, place = (np.where(on_lattice, np.floor(column), column) for column in (length, place))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    laws = n_rows, span, distance, free, integer
    labels = rng.integers(0, 3, n_units), np.full(n_documents, 3), rng.random(9 * n_documents)
    return offsets, place, length, labels[0], *laws, *labels[1:]


@needs_compiled
@pytest.mark.parametrize("reach", [1 / math.sqrt(3), math.sqrt(1 - 1e-9), 1.4])
@pytest.mark.parametrize(
    ("most_rows", "longest_span"), [(3, 10.0), (3, 1000.0), (3, 2.0**52), (7, 60.0), (30, 1000.0), (120, 1e6)]
)
def test_both_kinds_give_the_same_bits(most_rows, longest_span, reach):
    arguments = make_documents(most_rows, 60, most_rows, longest_span)
    sums, sums_k = by_both(kernels.shift_overlaps, *arguments, reach)
    counts = np.diff(arguments[0])
    assert sums.shape == (60, 3)
    assert sums_k.shape == (180, 3)
    assert (sums[:, 0] <= counts**2 * (1 + 1e-12)).all()
    assert (np.diff(sums) <= 0).all()  # no distance is above 1
    assert (sums_k >= 0).all()
    assert (sums_k[:, 0] > 0).sum() > 50


def chances(place, length, *laws):
    """Return the chances that units 0 and 0, 0 and 1, 1 and 1 of one document overlap."""
    labels = np.array([0, 1]), np.array([2]), np.zeros(4)
    arguments = np.array([0, 2]), place, length, labels[0], *laws, *labels[1:], 1.0
    ((total, _, _),), ((first, _, _), (second, _, _)) = kernels.shift_overlaps(*arguments)
    both = (first + second - total) / 2  # of the two units, in either order: it is in the sums of both labels
    return [first - 2 * both, both, second - 2 * both]


@cache  # both kinds of kernels are compared with it
def chance_by_integration(place, length, n_rows, span, distance):
    """Return the chance of two units to overlap by integrating over the gap and the turn, real offsets."""
    free = span - n_rows * distance

    def density(gap):
        parts = [stats.beta(k, n_rows - k).pdf((gap - k * distance) / free) for k in range(1, n_rows)]
        return sum(parts) / free / (n_rows - 1)

    def overlap_given(gap):
        ahead = (place[1] - place[0] + gap) % span
        chance = (1 - ahead / span) * (ahead < length[0])
        return chance + ahead / span * (span - ahead < length[1])

    steps = [(at - place[1] + place[0]) % span for at in (0.0, length[0], span - length[1])]
    steps += [bound for k in range(1, n_rows) for bound in (k * distance, k * distance + free)]
    found, _ = integrate.quad(lambda gap: density(gap) * overlap_given(gap), 0, span, points=sorted(steps), limit=200)
    return found


@pytest.mark.parametrize("n_rows", [2, 5])
@pytest.mark.parametrize("distance", [0.0, 0.4, 1.05])
def test_chances_are_integrals_over_the_gap(n_rows, distance):
    span = 10.0
    place, length = np.array([1.3, 6.2]), np.array([2.5, 1.7])
    columns = (np.array([value]) for value in (span, distance, span - n_rows * distance))
    found = chances(place, length, np.array([n_rows]), *columns, np.array([0]))

    def integrated(first, second):
        both = [first, second]
        return chance_by_integration(tuple(place[both]), tuple(length[both]), n_rows, span, distance)

    pairs = [(0, 0), (0, 1), (1, 1)]
    assert found == pytest.approx([integrated(u, v) for u, v in pairs])
    assert found == pytest.approx([integrated(v, u) for u, v in pairs])  # either unit may be in the first row
