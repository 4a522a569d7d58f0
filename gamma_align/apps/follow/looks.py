"""What a look at a project found: γ, the documents that are done, and what changed since the look before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gamma_align.data import MIN_ANNOTATORS, Corpus, Json, counted
from gamma_align.errors import SettingsError
from gamma_align.inference import Value
from gamma_align.insight.causes import Finding
from gamma_align.reading import atomic_text

_HISTORY_FILE = "looks.json"
_SCHEMA_VERSION = 1


class Look(NamedTuple):
    """A look at a project.

    `documents` have been annotated by anybody, `done` of them by two annotators or more; `new`, `redone` and `gone` are
    those since the look before. `came` and `went` are the causes of disagreement since the last look for which they are
    known; None if there is none, or they are not looked for.
    """

    moment: str
    gamma: float | None
    low: float | None
    high: float | None
    reason: str | None
    documents: int
    done: int
    new: int
    redone: int
    gone: int
    came: tuple[str, ...] | None = None
    went: tuple[str, ...] | None = None

    def to_dict(self) -> dict[str, Json]:
        """Return the look, ready for JSON."""
        return {"schema_version": _SCHEMA_VERSION, **self._asdict()}

    def line(self) -> str:
        """Return the look as one line of text."""
        value = f"NA ({self.reason})" if self.gamma is None else f"{self.gamma:.4f}"
        interval = "" if self.low is None or self.high is None else f" [{self.low:.4f}, {self.high:.4f}]"
        changes = {"new": self.new, "redone": self.redone, "gone": self.gone}
        changed = ", ".join(f"{count} {change}" for change, count in changes.items() if count)
        return (
            f"{self.moment}  γ {value}{interval}  {self.done} of {counted(self.documents, 'document')} done: "
            f"{changed or 'the same'}"
        )


class History:
    """The looks so far; fingerprints of the documents of the last one, and the last causes; in a folder, if given."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / _HISTORY_FILE
        self.looks: list[Look] = []
        self.causes: tuple[Finding, ...] | None = None
        self._documents: dict[str, str] = {}
        if self._path is not None and self._path.exists():
            self._load(self._path)

    def has_changed(self, documents: Mapping[str, str]) -> bool:
        """Return whether the fingerprints of documents differ from those of the last look, or there was no look."""
        return not self.looks or self._documents != documents

    def add(self, look: Look, documents: Mapping[str, str], causes: Sequence[Finding] | None) -> None:
        """Add a look with the fingerprints of its documents, and its causes if they are known, and store it."""
        self.looks.append(look)
        self._documents = dict(documents)
        self.keep(causes)

    def keep(self, causes: Sequence[Finding] | None) -> None:
        """Store all, with the causes of the last look if they are known."""
        self.causes = self.causes if causes is None else tuple(causes)
        if self._path is not None:
            content = {
                "schema_version": _SCHEMA_VERSION,
                "looks": [one._asdict() for one in self.looks],
                "documents": self._documents,
                "causes": None if self.causes is None else [*map(_cause_to_dict, self.causes)],
            }
            atomic_text(self._path, json.dumps(content, ensure_ascii=True, indent=1) + "\n")

    def changes(self, documents: Mapping[str, str]) -> dict[str, int]:
        """Return how many documents are new, redone and gone since the last look."""
        before = self._documents
        return {
            "new": len(documents.keys() - before.keys()),
            "redone": sum(before[name] != mark for name, mark in documents.items() if name in before),
            "gone": len(before.keys() - documents.keys()),
        }

    def _load(self, path: Path) -> None:
        """Read the history in a file; SettingsError if it is damaged."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            self.looks = [Look(**{**look, **_as_tuples(look)}) for look in content["looks"]]
            self._documents = dict(content["documents"])
            causes = content["causes"]
            self.causes = None if causes is None else tuple(map(_cause_from_dict, causes))
        except (OSError, ValueError, TypeError, KeyError):
            raise SettingsError(
                f"{path} is damaged, or of another version", "remove it: only the looks before are lost"
            ) from None


def look_of(moment: str, corpus: Corpus, gamma: Value, changes: Mapping[str, int]) -> Look:
    """Return the look at a corpus with its γ."""
    bounds = [None if np.isnan(bound) else float(bound) for bound in (gamma.low, gamma.high)]
    return Look(
        moment=moment,
        gamma=float(gamma) if gamma.is_available else None,
        low=bounds[0],
        high=bounds[1],
        reason=gamma.reason,
        documents=len(corpus),
        done=int(np.count_nonzero(corpus.n_annotators >= MIN_ANNOTATORS)),
        new=changes["new"],
        redone=changes["redone"],
        gone=changes["gone"],
    )


_NOT_KEPT: dict[str, Any] = {"alignments": np.zeros(0, dtype=np.int64), "examples": ()}
"""What of a cause is not kept: it refers to a corpus that may be gone."""


def _cause_to_dict(cause: Finding) -> dict[str, Json]:
    """Return a cause ready for JSON, without the fields that refer to the corpus."""
    return {field.name: getattr(cause, field.name) for field in fields(cause) if field.name not in _NOT_KEPT}


def _cause_from_dict(content: Mapping[str, Any]) -> Finding:
    """Return a cause from its JSON; fields that are not kept are empty."""
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in content.items()
    }
    return Finding(**values, **_NOT_KEPT)


def _as_tuples(look: Mapping[str, Sequence[str] | None]) -> dict[str, tuple[str, ...] | None]:
    """Return the lists of causes in a stored look as tuples, None if there are none."""
    names = ("came", "went")
    return {name: None if look.get(name) is None else tuple(look[name] or ()) for name in names}
