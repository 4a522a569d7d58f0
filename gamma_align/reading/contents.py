"""All that is at a path: units as they stand there, and every problem that keeps them from being a corpus.

`read` raises the first of the problems, and validating lists them all: both go the one way through the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data.build import CheckedTables
from gamma_align.data.corpus import Corpus
from gamma_align.data.problem import Problems, refuse, single_problems
from gamma_align.errors import Cure, InputError, Location, Problem, Set

NO_ANNOTATIONS = "no annotations in it; there is nothing to measure"


@dataclass(slots=True)
class Contents:
    """What is at a path: its format, notes, problems in the order they were found, and the units.

    `checked` has the units that can be told apart, ``None`` where nobody's are; `layer` is the index in `layers` of
    each row's (that of units without one is ""). `texts` are those of documents whose bounds count its code points.
    `mismatches` are units that do not cover the text that the file says, `differences` are annotators whose text is not
    the first one's, whether or not that is refused; both are ``None`` where there are no texts. `swapped` are units
    whose bounds were swapped, as the files have them.
    """

    location: str
    description: str = ""
    files: int = 1
    problems: Problems = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checked: CheckedTables | None = None
    layers: tuple[str, ...] = ("",)
    layer: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    texts: dict[str, str] = field(default_factory=dict)
    mismatches: list[Problem] | None = None
    differences: list[Problem] | None = None
    swapped: list[str] = field(default_factory=list)

    def corpus(self) -> Corpus:
        """Return the corpus."""
        refuse(self.problems, can_be_listed=True)
        if self.checked is None:
            raise InputError(NO_ANNOTATIONS, location=Location(self.location))
        return Corpus(**self.checked.columns(tuple(self.notes), self.texts))

    def sorted_problems(self) -> list[Problem]:
        """Return the problems one by one, by file and line."""
        return sorted(single_problems(self.problems), key=_by_location)

    def add(self, what: str) -> None:
        """Add a problem of the whole."""
        self.problems.append(Problem(Location(self.location), what))

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Turn an error within the block into a problem."""
        try:
            yield
        except InputError as error:
            if error.problem not in self.problems:
                self.problems.append(error.problem)


def in_two(pairs: Iterable[tuple[str, str, str]]) -> Problem | None:
    """Return the problem that two paths have the same annotator of the same document; all are (path, both names)."""
    first: dict[tuple[str, str], str] = {}
    for path, document, annotator in pairs:
        before = first.setdefault((document, annotator), path)
        if before != path:
            cause = f"both have annotator {annotator!r} of document {document!r}"
            return Problem(Location(f"{before} and {path}"), cause, _cure_apart(Path(before), Path(path)))
    return None


def _cure_apart(first: Path, second: Path) -> Cure:
    """Return how two files are told apart: by the one folder in which their paths differ, or by their names."""
    parts = [one if one == other else "{annotator}" for one, other in zip(first.parts, second.parts, strict=False)]
    if first.name == second.name and len(first.parts) == len(second.parts) and parts.count("{annotator}") == 1:
        template = Path(*parts).with_name(f"{{document}}{first.suffix}")
        return Cure("if the folders are annotators, give the one path '{}'", template.as_posix())
    return Cure(
        "if the files are annotators, use {}; if they are documents, use {}",
        Set("annotator", "{file}"),
        Set("document", "{file}/{document}"),
    )


def _by_location(problem: Problem) -> tuple[str, int]:
    location = problem.location or Location("")
    digits = re.search(r"\d{1,18}", str(location.where or ""))
    return location.file, int(digits.group()) if digits else 0
