"""The content of a path: units as the files have them, and all problems that prevent a corpus.

`read` raises the first problem and `validate` lists all; both read the files in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gamma_align.columns import IntArray
from gamma_align.data import CheckedTables, Corpus, Problems, Versions, on_texts, refuse, single_problems
from gamma_align.errors import Cure, InputError, Location, Problem, Set, UnknownMeaningError
from gamma_align.reading.intake.mapping import ColumnMap

NO_ANNOTATIONS = "no annotations in it; there is nothing to measure"


@dataclass(slots=True)
class Contents:
    """The content of a path: its format, notes, problems in the order of reading, and the units.

    `checked` has the units without problems, ``None`` if there are none; `layer` is the index into `layers` of the
    layer of each row ("" for units without a layer). `texts` has the text of each document if bounds count its code
    points, `tokens` its tokens if they count those, and `onto` the texts to place tokens in. `mismatches` are units
    that cover another text than the file has for them, `differences` are annotators with another text than the first
    annotator, whether or not either is refused; both are ``None`` without texts.
    `swapped` are units with bounds that were swapped, as the files have them. `versions` is a column that is not read
    and tells repeated units apart. `unknown` is the first error that names of columns do not tell what they mean, and
    `map` is what the columns mean if one map says it for all files. `seen_is_told` is as in `Corpus`.
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
    tokens: dict[str, tuple[str, ...]] = field(default_factory=dict)
    onto: dict[str, str] | None = None
    mismatches: list[Problem] | None = None
    differences: list[Problem] | None = None
    swapped: list[str] = field(default_factory=list)
    versions: Versions | None = None
    unknown: UnknownMeaningError | None = None
    map: ColumnMap | None = None
    seen_is_told: bool = True

    def corpus(self) -> Corpus:
        """Return the corpus."""
        refuse(self.problems, can_be_listed=True)
        if self.checked is None:
            raise InputError(NO_ANNOTATIONS, location=Location(self.location))
        columns = self.checked.columns(tuple(self.notes), self.texts)
        columns["seen_is_told"] = self.seen_is_told
        if self.tokens:
            columns["tokens"] = tuple(map(self.tokens.get, columns["documents"]))
        corpus = Corpus(**columns)
        return corpus if self.onto is None else on_texts(corpus, self.onto)

    def sorted_problems(self) -> list[Problem]:
        """Return the problems one by one, by file and line."""
        return sorted(single_problems(self.problems), key=_by_location)

    def add(self, cause: str) -> None:
        """Add a problem of the whole path."""
        self.problems.append(Problem(Location(self.location), cause))

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Turn an error within the block into a problem."""
        try:
            yield
        except InputError as error:
            if isinstance(error, UnknownMeaningError):
                self.unknown = self.unknown or error
            if error.problem not in self.problems:
                self.problems.append(error.problem)


def in_two(pairs: Iterable[tuple[str, str, str]]) -> Problem | None:
    """Return the problem that two paths have the same annotator and document; pairs are (path, document, annotator)."""
    first: dict[tuple[str, str], str] = {}
    for path, document, annotator in pairs:
        previous = first.setdefault((document, annotator), path)
        if previous != path:
            cause = f"both have annotator {annotator!r} of document {document!r}"
            return Problem(Location(f"{previous} and {path}"), cause, _cure_apart(Path(previous), Path(path)))
    return None


def _cure_apart(first: Path, second: Path) -> Cure:
    """Return how to tell two files apart: by the only folder in which their paths differ, or by their names."""
    if first.is_dir() and second.is_dir():
        first, second = first / "*.*", second / "*.*"
    parts = [
        one if one == other else "{annotator}"
        for one, other in zip(first.parent.parts, second.parent.parts, strict=False)
    ]
    is_one_level = len(first.parts) == len(second.parts) and parts.count("{annotator}") == 1
    if is_one_level and first.stem == second.stem:
        suffix = first.suffix if first.suffix == second.suffix else ".*"
        template = Path(*parts, f"{{document}}{suffix}")
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
