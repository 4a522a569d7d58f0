"""The places and findings of a report as its script needs them to keep decisions, and who may be right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache

from gamma_align.insight.causes import Finding
from gamma_align.insight.consensus import FindingFacts
from gamma_align.insight.disagreements import Disagreement

_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_text = lru_cache(maxsize=4096)(_json)  # names and labels are in thousands of places


def place(row: Disagreement) -> str:
    """Return a unitary alignment as a decision names it, in JSON."""
    units = [
        f'{{"annotator":{_text(name)},"start":{start!r},"end":{end!r},"category":{_text(category)}}}'
        for name, start, end, category in row.units
    ]
    return f'{{"document":{_text(row.document)},"units":[{",".join(units)}]}}'


def facts(cause: Finding) -> str:
    """Return a finding as a decision names it, in JSON."""
    return _json({"finding": FindingFacts.of(cause)._asdict()})


def readers_of_place(annotators: Iterable[str]) -> str:
    """Return the annotators whose reading of a place may hold, in JSON: all who saw its document."""
    return _json(sorted(annotators))


def readers_of_finding(cause: Finding, annotators: Sequence[str]) -> str:
    """Return the annotators whose reading of a finding may hold, in JSON.

    It is the annotator concerned, whose reading stands against the votes of all others, or anyone if the evidence does
    not show whose it is.
    """
    return _json([*annotators] if cause.annotator is None else [cause.annotator])
