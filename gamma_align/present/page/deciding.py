"""The places and findings of a report as its script needs them to keep decisions, and who may be right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gamma_align.insight.causes.findings import Finding
from gamma_align.insight.consensus.decisions import FindingFacts
from gamma_align.insight.disagreements.disputed_rows import Disagreement

# One encoder for all: `json.dumps` makes a new one for each of thousands of places.
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def place(row: Disagreement) -> str:
    """Return a unitary alignment as a decision names it, in JSON."""
    return _json({"document": row.document, "units": [unit._asdict() for unit in row.units]})


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
