"""Shifted bounds: each moves uniformly within its reach, as far as the document goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from gamma_align._types import BoolArray, FloatArray
    from gamma_align.shuffling.copies import Copies, Plan
    from gamma_align.shuffling.reference import Reference


def shift(plan: Plan, units: Copies, extents: FloatArray, reach: FloatArray, whole: BoolArray) -> Copies:
    """Return the units with their bounds moved, both again while the start is not before the end.

    Parameters
    ----------
    plan : Plan
        Of the copies.
    units : Copies
        The units.
    extents : ndarray of float64, shape (n_copies, 2)
        [L, R].
    reach, whole : ndarray, shape (n_copies,)
        How far bounds move at most; whether they are integers.
    """
    low, high = extents[units.copy].T
    far, integer = reach[units.copy], whole[units.copy]
    start, end = units.start.copy(), units.end.copy()
    columns = [(bound, np.maximum(bound - far, low), np.minimum(bound + far, high)) for bound in (start, end)]
    point = units.start == units.end
    open_, attempt = np.flatnonzero(far > 0), 0
    while len(open_):
        words = plan.uniform("shift", units.copy[open_], units.place[open_], attempt)
        for at, (bound, least, most) in enumerate(columns):
            drawn = least[open_] + words[:, at] * (most - least)[open_]
            bound[open_] = np.where(integer[open_], np.rint(drawn), drawn)
        # a unit without length may stay one: between integers nothing else may be in reach
        again = (start[open_] > end[open_]) | ((start[open_] == end[open_]) & ~point[open_])
        open_, attempt = open_[again], attempt + 1
    return units._replace(start=start, end=end)


def cut_overlaps(units: Copies) -> Copies:
    """Return the units of each copy sorted by start, each ending where the next begins if they overlapped."""
    order = np.lexsort((units.end, units.start, units.copy))
    sorted_ = units.rows(order)
    end = sorted_.end.copy()
    same = sorted_.copy[1:] == sorted_.copy[:-1]
    end[:-1][same] = np.minimum(sorted_.end[:-1], sorted_.start[1:])[same]
    return sorted_._replace(end=end)


def check_apart(reference: Reference) -> None:
    """Refuse a reference with units that overlap.

    Raises
    ------
    SettingsError
        Naming the first pair.
    """
    document = np.repeat(np.arange(len(reference.documents)), reference.n_units)
    overlapping = np.flatnonzero((reference.start[1:] < reference.end[:-1]) & (document[1:] == document[:-1]))
    if len(overlapping):
        at = int(overlapping[0])
        one, other = (f"{reference.start[k]:g}–{reference.end[k]:g}" for k in (at, at + 1))
        raise SettingsError(
            f"document {reference.documents[document[at]]!r}: units {one} and {other} of the reference overlap; "
            "overlaps='cut' is for references without overlaps"
        )
