"""The places and findings of a report as its script needs them to keep decisions, and who may be right."""

from __future__ import annotations

import json

from gamma_align.insight.causes.findings import Finding
from gamma_align.insight.consensus.decisions import FindingFacts
from gamma_align.insight.disagreements.disagreements import Disagreement
from gamma_align.present.page.contents import Contents


def place(row: Disagreement) -> str:
    """Return a unitary alignment as a decision names it, in JSON."""
    return _json({"document": row.document, "units": [unit._asdict() for unit in row.units]})


def facts(cause: Finding) -> str:
    """Return a finding as a decision names it, in JSON."""
    return _json({"finding": FindingFacts.of(cause)._asdict()})


def readers(subject: Disagreement | Finding, report: Contents) -> str:
    """Return the annotators whose reading of a place or a finding may hold, in JSON.

    For a finding it is the annotator concerned, whose reading stands against the votes of all others, or anyone if the
    evidence does not show whose it is.
    """
    if isinstance(subject, Disagreement):
        return _json(sorted({*(unit.annotator for unit in subject.units), *subject.absent}))
    names = report.disagreements.corpus.annotators
    return _json(list(names if subject.annotator is None else (subject.annotator,)))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
