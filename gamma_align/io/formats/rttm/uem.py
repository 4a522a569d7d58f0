"""UEM files: the regions of each recording that were annotated, ``<recording> <channel> <start> <end>`` a line.

References
----------
NIST, The 2009 (RT-09) Rich Transcription Meeting Recognition Evaluation Plan, on un-partitioned evaluation maps.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from gamma_align.errors import InputError
from gamma_align.io.files import line_files
from gamma_align.io.marks import durations

if TYPE_CHECKING:
    from gamma_align.io.files.sources import Source

Regions = dict[str, list[tuple[float, float]]]
"""Recording to its regions, (start, end) in seconds."""

_FIELDS = 4


def regions(source: Source) -> Regions:
    """Return the regions of each recording in a file, in order, those that meet joined; channels are not told apart.

    Raises
    ------
    InputError
        For a line that is none of a UEM.
    """
    found: Regions = {}
    for number, line in line_files.numbered(source):
        fields = line.split()
        if not fields or fields[0].startswith(";;"):
            continue
        bounds = [durations.number(field) for field in fields[2:]]
        if len(fields) != _FIELDS or None in bounds:
            raise InputError(
                f"{source.name}, line {number}: {line[:60]!r} is no region; a line of a UEM file is recording, "
                "channel, start and end in seconds"
            )
        start, end = (float(bound) for bound in bounds if bound is not None)
        if not (start <= end < float("inf") and start > float("-inf")):
            raise InputError(f"{source.name}, line {number}: the region ends at {end:.15g}, it starts at {start:.15g}")
        found.setdefault(fields[0], []).append((start, end))
    return {recording: _joined(its) for recording, its in found.items()}


def holes(its: list[tuple[float, float]]) -> int:
    """Return how many gaps there are between the regions of a recording."""
    return sum(before[1] < after[0] for before, after in pairwise(its))


def extent(its: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the first start and the last end."""
    return its[0][0], its[-1][1]


def _joined(its: list[tuple[float, float]]) -> list[tuple[float, float]]:
    joined: list[tuple[float, float]] = []
    for start, end in sorted(its):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
