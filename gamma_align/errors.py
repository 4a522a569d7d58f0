"""Exceptions and warnings of gamma_align, and the facts that they are made of.

::

    GammaAlignError
    ├── InputError(ValueError)        data that cannot be measured: file, line, document, annotator, unit and the cure
    ├── SettingsError(ValueError)     a parameter out of its range
    ├── MissingExtraError(ImportError) an optional package is not installed; the message has the command
    ├── SolverError(RuntimeError)     a solver failed; never a result that is silently worse
    └── ResourceError                 the machine does not have what the work needs
        ├── OutOfMemoryError(MemoryError)  memory: the message says for what
        ├── DiskFullError             space on a disk; nothing is half-written
        └── WorkerError(RuntimeError) a worker process ended, also when its work was tried again

    GammaAlignWarning(UserWarning)    something the user should know and may wish to change

An error is a `Problem`: a location, a cause and a cure. The cure refers to options, repairs and packages as objects,
and each surface (Python, command line, HTTP API) renders them in its own language::

    raise InputError(
        "the unit ends at 3, before its start 5",
        Cure("correct it, or {}", Fix("swapped-bounds")),
        Location("units.csv", 7),
    )

Command line: ``units.csv, line 7: the unit ends at 3, before its start 5; correct it, or let gamma-align validate --fix
swapped-bounds do it``. `str` of an error speaks Python. The cause is a full clause without names of options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, Self, TypeVar

MAX_LINE_LENGTH = 4000
"""Maximum number of characters in a line of a message. Labels and cells that a message quotes may have millions."""

MAX_NOTES_SHOWN = 3
"""Notes of one kind that are shown one by one; more are one note with the first ones."""

_MIN_SUGGESTION_SIMILARITY = 0.7  # difflib's ratio; its default of 0.6 suggests names that look unrelated
_MAX_SUGGESTIONS = 2


def shortened(message: str) -> str:
    """Return the message; the middle of each line that is too long to read is left out."""
    if len(message) <= MAX_LINE_LENGTH:
        return message
    return "\n".join(map(_shortened_line, message.split("\n")))


def _shortened_line(line: str) -> str:
    if len(line) <= MAX_LINE_LENGTH:
        return line
    half = MAX_LINE_LENGTH // 2 - 20  # 20 characters for the words in the middle
    return f"{line[:half]} [… {len(line) - 2 * half:,} characters …] {line[-half:]}"


def similar_names(text: str, names: Iterable[str]) -> list[str]:
    """Return at most two of the names that the text may stand for.

    Options are compared without their dashes. If names begin with the text, these are returned.
    """
    import difflib

    name_of_word = {name.lstrip("-"): name for name in names}
    word = text.lstrip("-")
    matches = [name for name in name_of_word if len(word) > 1 and name.startswith(word)]
    matches = matches or difflib.get_close_matches(word, name_of_word, cutoff=_MIN_SUGGESTION_SIMILARITY)
    return [name_of_word[match] for match in matches[:_MAX_SUGGESTIONS]]


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return "; did you mean …?" with the names that the text may stand for, or an empty string."""
    matches = similar_names(text, names)
    return f"; did you mean {' or '.join(matches)}?" if matches else ""


class Set(NamedTuple):
    """A reference to an option, by its keyword in Python, with the value that it should have, if one is meant.

    `function` names the function that takes the keyword if reading or selecting takes a keyword with this name as well:
    `shuffle` takes an ``annotator``, too.
    """

    option: str
    value: object = None
    function: str = ""

    def render(self, surface: Surface) -> str:
        """Return the option in the language of the surface."""
        return surface.option(self.option, self.value, self.function)


class Entry(NamedTuple):
    """A reference to entries of an option that maps names to values; the user chooses the values."""

    option: str
    name: str
    more_names: tuple[str, ...] = ()

    def render(self, surface: Surface) -> str:
        """Return the option with the names in the language of the surface."""
        return surface.entries(self.option, (self.name, *self.more_names))


class Fix(NamedTuple):
    """A reference to a repair of `validate`; `clause` says in the imperative what it does, if that helps."""

    name: str
    clause: str = ""

    def render(self, surface: Surface) -> str:
        """Return the clause that says how to apply the repair."""
        return surface.fix(self.name, self.clause)


class Install(NamedTuple):
    """A reference to an optional dependency of this package: an extra."""

    extra: str

    def render(self, surface: Surface) -> str:
        """Return the clause that says how to install it."""
        return surface.install(self.extra)


class Call(NamedTuple):
    """A reference to a function of the package and the command that does the same, or to an option of the two."""

    function: str
    command: str
    setting: Set | None = None

    def render(self, surface: Surface) -> str:
        """Return the function or the command."""
        return surface.call(self.function, self.command, self.setting)


Reference = Set | Entry | Fix | Install | Call


class Surface(Protocol):
    """The language of a place where messages appear."""

    def option(self, name: str, value: object, function: str = "") -> str:
        """Return an option, and its value unless that is None; `function` is as in `Set`."""

    def entries(self, option: str, names: Sequence[str]) -> str:
        """Return an option that maps names to values, with "…" for the value of each name."""

    def argument(self, name: str) -> str:
        """Return the words for an option whose value is wrong."""

    def fix(self, name: str, clause: str) -> str:
        """Return a clause in the imperative that applies a repair, after `clause` if there is one."""

    def install(self, extra: str) -> str:
        """Return a clause in the imperative that installs an extra."""

    def call(self, function: str, command: str, setting: Set | None) -> str:
        """Return a function of the package or the command that does the same, with the option if one is meant."""


class _Python:
    """Messages for callers of the package."""

    def option(self, name: str, value: object, function: str = "") -> str:  # noqa: ARG002  (the Surface protocol)
        return f"{name}=" if value is None else f"{name}={value!r}"

    def entries(self, option: str, names: Sequence[str]) -> str:
        return f"{option}={{{', '.join(f'{name!r}: …' for name in names)}}}"

    def argument(self, name: str) -> str:
        return name

    def fix(self, name: str, clause: str) -> str:
        call = f"ga.validate(path).fix({name!r})"
        return f"{clause} ({call})" if clause else f"let {call} do it"

    def install(self, extra: str) -> str:
        return f"run  pip install 'gamma-align[{extra}]'"

    def call(self, function: str, command: str, setting: Set | None) -> str:  # noqa: ARG002  (the Surface protocol)
        return f"ga.{function}" if setting is None else f"ga.{function}(…, {setting.render(self)})"


PYTHON: Surface = _Python()
"""The language of messages for callers of the package."""


class Cure:
    """The clause that says what to do, with references in place of each ``{}`` of its template.

    Parameters
    ----------
    template : str
        A clause in the imperative. Without references it is used as it is.
    *references : Set, Entry, Fix, Install, Call, Cure or str
        One for each ``{}``; a text is inserted as it is.
    """

    __slots__ = ("references", "template")

    def __init__(self, template: str, *references: Reference | Cure | str) -> None:
        self.template = template
        self.references = references

    def __repr__(self) -> str:
        return f"Cure({', '.join(map(repr, (self.template, *self.references)))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cure) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[type[Cure], tuple[object, ...]]:
        return Cure, (self.template, *self.references)

    def render(self, surface: Surface) -> str:
        """Return the clause in the language of the surface."""
        if not self.references:
            return self.template
        texts = (text if isinstance(text, str) else text.render(surface) for text in self.references)
        return self.template.format(*texts)

    def change_text(self, change: Callable[[str], str]) -> Cure:
        """Return the cure with its texts changed by a function, such as one that removes a path."""
        return Cure(change(self.template), *(_changed(reference, change) for reference in self.references))


def _changed(reference: Reference | Cure | str, change: Callable[[str], str]) -> Reference | Cure | str:
    if isinstance(reference, str):
        return change(reference)
    return reference.change_text(change) if isinstance(reference, Cure) else reference


Where = int | str
"""The line of a file, or words for a part of it ("row 3", "task 3, annotation 17")."""


class Location(NamedTuple):
    """A file (or another origin), and the line or part of it; or an option.

    `row` is the index of a record that was passed in; `option` is the keyword of an option whose value is wrong.
    """

    file: str
    where: Where | None = None
    row: int | None = None
    option: str = ""

    @classmethod
    def for_option(cls, keyword: str) -> Location:
        """Return the location of an option."""
        return cls(keyword, option=keyword)

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.file, self.within(self.file))))

    def within(self, file: str) -> str:
        """Return the location without the name of the file if it is in this file."""
        if self.file != file:
            return str(self)
        return f"line {self.where}" if isinstance(self.where, int) else self.where or ""


class Problem(NamedTuple):
    """Something that is wrong: where, the cause, and the cure; `details` follow the cure, such as further rows."""

    location: Location | None
    cause: str
    cure: Cure | None = None
    details: str = ""

    def render(self, surface: Surface) -> str:
        """Return the message in the language of the surface."""
        cure = "" if self.cure is None else f"; {self.cure.render(surface)}"
        return f"{self._location_text(surface)}{self.cause}{cure}{self.details}"

    def __str__(self) -> str:
        return self.render(PYTHON)

    def as_note(self) -> Note:
        """Return the problem as a text that can still be rendered for another surface."""
        return Note(f"{self._location_text(PYTHON)}{self.cause}", self.cure)

    def prefixed(self, text: str) -> Problem:
        """Return the problem with a text before its location, such as the path that was read."""
        return self._replace(location=None, cause=f"{text}: {self._location_text(PYTHON)}{self.cause}")

    def _location_text(self, surface: Surface) -> str:
        if self.location is None:
            return ""
        option = self.location.option
        return f"{surface.argument(option) if option else self.location}: "

    def add_cure(self, cure: Cure) -> Problem:
        """Return the problem with another cure after its own."""
        return self._replace(cure=cure if self.cure is None else Cure("{}; {}", self.cure, cure))

    def change_text(self, change: Callable[[str], str]) -> Problem:
        """Return the problem with its texts changed by a function, such as one that removes a path."""
        location = self.location and self.location._replace(file=change(self.location.file))
        cure = None if self.cure is None else self.cure.change_text(change)
        return self._replace(location=location, cause=change(self.cause), cure=cure, details=change(self.details))


class Note(str):
    """An assumption that was made, with the cure if it is wrong. As a text it speaks Python.

    Parameters
    ----------
    cause : str
        What was assumed.
    cure : Cure, optional
        How to choose something else.
    separator : str
        The text between the two.
    """

    __slots__ = ("cause", "cure", "separator")
    cause: str
    cure: Cure | None
    separator: str

    def __new__(cls, cause: str, cure: Cure | None = None, separator: str = "; ") -> Self:
        """Render the note for Python; `render` renders it for another surface."""
        note = super().__new__(cls, cls._text(cause, cure, separator, PYTHON))
        note.cause = cause
        note.cure = cure
        note.separator = separator
        return note

    def __getnewargs__(self) -> tuple[str, Cure | None, str]:  # type: ignore[override]  # what pickle passes to __new__
        return self.cause, self.cure, self.separator

    @staticmethod
    def _text(cause: str, cure: Cure | None, separator: str, surface: Surface) -> str:
        return cause if cure is None else f"{cause}{separator}{cure.render(surface)}"

    def render(self, surface: Surface) -> str:
        """Return the note in the language of the surface."""
        return self._text(self.cause, self.cure, self.separator, surface)

    @classmethod
    def prefixed(cls, text: str, note: str) -> Note:
        """Return a note, which may be a plain text, with a text before it, such as the name of its corpus."""
        if isinstance(note, Note):
            return cls(f"{text}: {note.cause}", note.cure, note.separator)
        return cls(f"{text}: {note}")


class NoteGroup(Note):
    """Notes of one kind as one note: the first ones, and the number of all, which `validate` lists one by one.

    Parameters
    ----------
    prefix : str
        What all of them begin with, such as the name of the file.
    causes : sequence of str
        The cause of each, or the notes themselves; the cure of the first note is the cure of all.
    shown : int
        How many are shown.
    """

    __slots__ = ("causes", "prefix", "shown")
    causes: tuple[str, ...]
    prefix: str
    shown: int

    def __new__(cls, prefix: str, causes: Sequence[str], shown: int = MAX_NOTES_SHOWN) -> Self:
        """Render the notes for Python."""
        texts = [cause.cause if isinstance(cause, Note) else cause for cause in causes[:shown]]
        cure = Cure("{} lists them all", Call("validate", "validate"))
        if isinstance(causes[0], Note) and causes[0].cure is not None:
            cure = Cure("{}; {}", causes[0].cure, cure)
        group = super().__new__(cls, f"{prefix}{'; '.join(texts)} … ({len(causes)} in all)", cure)
        group.causes = tuple(causes)
        group.prefix = prefix
        group.shown = shown
        return group

    def __getnewargs__(self) -> tuple[str, tuple[str, ...], int]:  # type: ignore[override]  # what pickle passes
        return self.prefix, self.causes, self.shown

    @property
    def notes(self) -> list[Note]:
        """All notes."""
        return [
            cause if isinstance(cause, Note) and not self.prefix else Note(f"{self.prefix}{cause}")
            for cause in self.causes
        ]

    @classmethod
    def few(cls, notes: Sequence[str]) -> list[str]:
        """Return notes of one kind, such as of many files, or if they are many, a group that shows the first."""
        return [cls("", notes, 1)] if len(notes) > MAX_NOTES_SHOWN else list(notes)


def render(text: str, surface: Surface) -> str:
    """Return a text that may be a `Note` in the language of the surface."""
    return text.render(surface) if isinstance(text, Note) else text


class GammaAlignError(Exception):
    """Base of every error this package raises on purpose.

    Parameters
    ----------
    cause : str or Problem
        A full clause that says what is wrong, without names of options; or the whole problem.
    cure : Cure or str, optional
        A clause in the imperative that says what to do.
    location : Location, optional
        Where it is wrong.
    n_more : int
        Number of further problems of the same data.
    see_all : Cure, optional
        How to list them.

    Attributes
    ----------
    problem : Problem
        Location, cause and cure, for surfaces to render; `str` of the error speaks Python.
    """

    def __init__(
        self,
        cause: str | Problem = "",
        cure: Cure | str | None = None,
        location: Location | None = None,
        *,
        n_more: int = 0,
        see_all: Cure | None = None,
    ) -> None:
        if isinstance(cause, Problem):
            problem = cause
        else:
            problem = Problem(location, cause, Cure(cure) if isinstance(cure, str) else cure)
        self.problem = problem._replace(cause=shortened(problem.cause))
        self.n_more = n_more
        self.see_all = see_all
        super().__init__(str(self))

    def __str__(self) -> str:
        return self.render(PYTHON)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...], dict[str, object]]:
        return _rebuilt, (type(self), self.problem), vars(self)

    def render(self, surface: Surface) -> str:
        """Return the message in the language of the surface."""
        more = "" if self.see_all is None else f" ({self.n_more} more; {self.see_all.render(surface)})"
        return shortened(f"{self.problem.render(surface)}{more}")

    def prefixed(self, text: str) -> Self:
        """Return the error with a text before its message, such as the path that was read."""
        return self._with(self.problem.prefixed(text))

    def at(self, location: Location) -> Self:
        """Return the error with this location; a former one becomes part of the cause."""
        problem = self.problem
        if problem.location is not None:
            problem = problem._replace(cause=f"{problem.location}: {problem.cause}")
        return self._with(problem._replace(location=location))

    def change_text(self, change: Callable[[str], str]) -> Self:
        """Return the error with its texts changed by a function, such as one that removes a path."""
        return self._with(self.problem.change_text(change))

    def add_cure(self, cure: Cure) -> Self:
        """Return the error with another cure after its own."""
        return self._with(self.problem.add_cure(cure))

    def _with(self, problem: Problem) -> Self:
        error: Self = _rebuilt(type(self), problem)
        vars(error).update({name: value for name, value in vars(self).items() if name != "problem"})
        return error


_Error = TypeVar("_Error", bound=GammaAlignError)


def _rebuilt(kind: type[_Error], problem: Problem) -> _Error:
    """Return an error that comes from another process."""
    error = Exception.__new__(kind)  # MemoryError, a base of one kind, has a `__new__` that refuses subclasses
    GammaAlignError.__init__(error, problem)
    return error


class InputError(GammaAlignError, ValueError):
    """Data that cannot be measured as they are; the message says where and what to do.

    Attributes
    ----------
    proposals : tuple of dict
        If the error asks what the columns of a table mean: maps that answer it, each a value of ``map=``, the likeliest
        first. Otherwise empty.
    """

    proposals: tuple[dict[str, object], ...] = ()


class UnknownMeaningError(InputError):
    """The meaning of columns or keys, or the format of a file, is not known."""


class OpenRoleError(UnknownMeaningError):
    """A table of units in which one role may be that of another column, or of none."""


class SettingsError(GammaAlignError, ValueError):
    """A parameter outside its range."""


class MissingExtraError(GammaAlignError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(Problem(None, f"{purpose} needs {package}", Cure("{}", Install(extra))))

    def render(self, surface: Surface) -> str:
        """Return the message, which is one clause, in the language of the surface."""
        problem = self.problem
        return problem.cause if problem.cure is None else f"{problem.cause}: {problem.cure.render(surface)}"


class SolverError(GammaAlignError, RuntimeError):
    """A solver ended without an answer that can be trusted."""


class ResourceError(GammaAlignError):
    """The machine lacks a resource that the work needs: memory, disk space or worker processes."""


class OutOfMemoryError(ResourceError, MemoryError):
    """The work needs more memory than is available; the message names the work and a way to need less."""


class DiskFullError(ResourceError):
    """No space is left on a disk. Nothing is half-written.

    It is no `OSError`: code that reports an `OSError` as a wrong path would catch it, too.
    """


class WorkerError(ResourceError, RuntimeError):
    """A worker process ended before its task was done, also when the task was tried again."""


class GammaAlignWarning(UserWarning):
    """Something that was taken as it is and that the user may want to change."""
