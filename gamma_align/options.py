"""Options: each is declared once; help, checks, signatures, JSON Schema, forms and documentation are rendered from it.

A package declares its options in a module ``…options`` that imports only such modules and the standard library: the
command line prints its help from declarations, without NumPy. The effect of an option is not defined here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, TypeGuard, TypeVar

from gamma_align.errors import SettingsError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., object])
_LINE_LENGTH = 116  # characters, as in the docstrings of the source, which are indented by 4


class Real(NamedTuple):
    """A finite number within bounds, or 0 with `or_zero`; `remark` follows the bounds in messages."""

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    remark: str = ""
    or_zero: bool = False

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return "float"

    def problem(self, value: object) -> str | None:
        """Return the range, as "must be above 0", if a value is outside it."""
        if not _is_number(value):
            return "must be a number"
        if not math.isfinite(value):
            return "must be a finite number"
        is_within = (
            (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )
        if is_within or (self.or_zero and value == 0):
            return None
        return f"must be {'0, or ' if self.or_zero else ''}{self._bounds()}{self.remark}"

    def _bounds(self) -> str:
        if self.above is not None and self.below is not None:
            return f"between {self.above:g} and {self.below:g}"
        if self.at_least is not None and self.at_most is not None:
            return f"from {self.at_least:g} to {self.at_most:g}"
        lower = f"{self.at_least or 0:g} or more" if self.above is None else f"above {self.above:g}"
        return lower if self.at_most is None else f"{lower} and at most {self.at_most:g}"

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of values."""
        bounds = {
            "minimum": 0 if self.or_zero else self.at_least,
            "exclusiveMinimum": self.above,
            "maximum": self.at_most,
            "exclusiveMaximum": self.below,
        }
        return {"type": "number", **{name: bound for name, bound in bounds.items() if bound is not None}}


class Whole(NamedTuple):
    """A whole number within bounds; `remark` follows the bounds in messages."""

    at_least: int = 0
    remark: str = ""
    at_most: int | None = None

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return "int"

    def problem(self, value: object) -> str | None:
        """Return the range if a value is outside it, as `Real.problem` does."""
        if not (_is_number(value) and float(value).is_integer()):
            return "must be a whole number"
        if value >= self.at_least and (self.at_most is None or value <= self.at_most):
            return None
        bounds = f"{self.at_least} or more" if self.at_most is None else f"from {self.at_least} to {self.at_most}"
        return f"must be {bounds}{self.remark}"

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of values."""
        bounds = {"minimum": self.at_least, "maximum": self.at_most}
        return {"type": "integer", **{name: bound for name, bound in bounds.items() if bound is not None}}


class Choice(NamedTuple):
    """One of several words; `values` maps the words that stand for something else in Python."""

    words: tuple[str, ...]
    values: Mapping[str, object] = MappingProxyType({})

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return "str" if not self.values else 'bool | Literal["auto"]'

    def value_of(self, word: object) -> object:
        """Return the value in Python that a word stands for."""
        return self.values.get(word, word) if isinstance(word, str) else word

    def word_of(self, value: object) -> str:
        """Return the word that stands for a value."""
        words = [word for word in self.words if self.value_of(word) is value]
        return words[0] if words else str(value)

    def problem(self, value: object) -> str | None:
        """Return the range if a value is outside it, as `Real.problem` does."""
        if isinstance(value, str) and value in self.words and value not in self.values:
            return None  # most values are such words; a small request checks dozens of them
        allowed = [self.value_of(word) for word in self.words]
        if any(type(value) is type(choice) and value == choice for choice in allowed):  # 1 is not True
            return None
        if self.values:
            *first, last = (choice if isinstance(choice, bool) else repr(choice) for choice in allowed)
            return f"must be {', '.join(map(str, first))} or {last}"
        return f"must be one of {', '.join(self.words)}"

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of values."""
        return {"enum": [*self.words]}


class Flag(NamedTuple):
    """True or false; on the command line an option without a value."""

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return "bool"

    def problem(self, value: object) -> str | None:
        """Return the range if a value is outside it, as `Real.problem` does."""
        return None if isinstance(value, bool) else "must be True or False"

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of values."""
        return {"type": "boolean"}


class Text(NamedTuple):
    """A text. In Python it may have another type, which `python` names; the code that uses the value checks it.

    `parse` reads the argument on the command line; it raises ValueError with the reason if it cannot. `completion`
    names the words that a shell completes: "formats" or nothing.
    """

    python: str = "str"
    completion: str = ""
    parse: Callable[[str], object] = str

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return self.python

    def problem(self, value: object) -> str | None:  # noqa: ARG002  (as other kinds)
        """Return None: the code that uses the value checks it."""
        return None

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of values."""
        return {"type": "string"}


class File(NamedTuple):
    """The path of a file or folder; if it `is_table`, the HTTP API takes the rows of a table in its place.

    `python` is the type in Python.
    """

    is_table: bool = False
    python: str = "str | os.PathLike[str]"

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return self.python

    def problem(self, value: object) -> str | None:  # noqa: ARG002  (as other kinds)
        """Return None: the code that uses the value checks it."""
        return None

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of a table: a list of rows."""
        return {"type": "array", "items": {"type": "array", "items": dict(_CELL)}}


class Listed(NamedTuple):
    """Several values, or names with values; `syntax` is the way they are written in one argument.

    "names" and "escaped" have commas between, the latter with a backslash before a comma in a name; "quoted" is a row
    of CSV; "labels" are escaped names that may have a value behind an equals sign, and "weights" names that may have a
    number there; a "column", a "pair" and an "option" are one name with its value, and a "text" is one text: these are
    repeated. `items` is the kind of the values between commas if they are not any names. If the list `is_extended`, the
    argument may be repeated with further values.
    """

    syntax: str
    python: str = "Iterable[str]"
    items: Real | Whole | Choice | None = None
    is_extended: bool = False

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return self.python

    @property
    def is_repeated(self) -> bool:
        """Whether the argument is given once for each entry."""
        return self.syntax in ("column", "pair", "option", "text")

    @property
    def is_mapping(self) -> bool:
        """Whether entries may have values."""
        return self.syntax in ("labels", "weights", "column", "pair", "option")

    def problem(self, value: object) -> str | None:  # noqa: ARG002  (as other kinds)
        """Return None: the code that uses the value checks it."""
        return None

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of values: a list, or a text as on the command line."""
        items = dict(_CELL) if self.items is None else self.items.schema()
        entries = {"type": "object", "additionalProperties": {"type": ["string", "number", "null"]}}
        return {"anyOf": [dict(_CELL), {"type": "array", "items": items}, *([entries] if self.is_mapping else [])]}


Kind = Real | Whole | Choice | Flag | Text | File | Listed
_CELL = {"type": ["string", "number"]}
"""JSON Schema of a name or the cell of a table: labels may be numbers."""
# numbers that several packages need
NON_NEGATIVE = Real(at_least=0)
POSITIVE = Real(above=0)
# Disorders are multiples of weight and cost, and their squares and cubes have to be floating-point numbers.
EMPTY_COST = Real(at_least=1e-50, at_most=1e50)
WEIGHT = EMPTY_COST._replace(or_zero=True)


class Control(NamedTuple):
    """An option's field in the form of the web interface."""

    section: str
    title: str
    symbol: str = ""
    choices: Mapping[str, str] = MappingProxyType({})
    affects: str = "values"
    """What has to be computed again after a change: "data", "alignment" or "values" alone."""
    is_percent: bool = False
    is_title_hidden: bool = False


class Option(NamedTuple):
    """A declaration: the argument and its help, the check, the signature, JSON Schema and form are rendered from it.

    `default` holds unless conventions decide; `conventions` maps those with another value to it, and is None if
    conventions do not decide the option. `shown_default` is the default that help shows in place of `default`;
    without `shows_default` it shows none. `argument` is the option on the command line if it is not named after the
    keyword, and `short` its letter; if there is a `flag_value`, it takes no
    value and stands for this one. `explanation` is for Python, in full sentences without the default; without it
    `help` serves there, too.
    """

    name: str
    kind: Kind
    help: str
    default: Any = None
    conventions: Mapping[str, Any] | None = None
    metavar: str | None = None
    shown_default: str = ""
    shows_default: bool = True
    argument: str = ""
    explanation: str = ""
    is_argument: bool = True
    control: Control | None = None
    short: str = ""
    is_required: bool = False
    flag_value: Any = None

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return self.argument or f"--{self.name.replace('_', '-')}"

    @property
    def words(self) -> tuple[str, ...]:
        """The words to choose from, none if the option is no choice."""
        return self.kind.words if isinstance(self.kind, Choice) else ()

    @property
    def own_default(self) -> object:
        """The default in signatures and on the command line: None if the conventions decide."""
        return self.default if self.conventions is None else None

    @property
    def annotation(self) -> str:
        """The type in signatures."""
        return self.kind.annotation if self.own_default is not None else f"{self.kind.annotation} | None"

    def check(self, value: object) -> None:
        """Refuse a value that is out of range."""
        check(self.name, self.kind, value)

    def value_under(self, conventions: str) -> object:
        """Return the value that conventions give the option."""
        return (self.conventions or {}).get(conventions, self.default)

    def defaults(self) -> str:
        """Return the default, and the defaults of other conventions: "default: mean; authors: half"."""
        has_default = self.default is not None and not isinstance(self.kind, Flag)
        default = self.shown_default or (self._shown(self.default) if has_default else "")
        shown = [f"default: {default}"] if default else []
        shown += [f"{name}: {self._shown(value)}" for name, value in (self.conventions or {}).items()]
        return "; ".join(shown)

    def _shown(self, value: object) -> str:
        if isinstance(self.kind, Choice):
            return self.kind.word_of(value)
        if isinstance(value, tuple):
            return ",".join(map(self._shown, value))
        return f"{value:g}" if isinstance(value, float) else str(value)

    def help_text(self) -> str:
        """Return the help with the defaults behind it."""
        defaults = self.defaults()
        return f"{self.help} ({defaults})" if defaults and self.shows_default else self.help

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of the option, with its default if no conventions decide it."""
        default = {} if self.own_default in (None, ()) else {"default": self.own_default}
        return {**self.kind.schema(), **default, "description": self.help_text()}

    @property
    def description(self) -> str:
        """The meaning for users of Python, in full sentences."""
        return self.explanation or f"{self.help[0].upper()}{self.help[1:]}."

    def parameter(self, *, is_required: bool = False) -> str:
        """Return the entry in the section "Parameters" of a docstring."""
        typed = self.kind.annotation
        if isinstance(self.kind, Choice):
            values = [self.kind.value_of(word) for word in self.kind.words]
            typed = "{" + ", ".join(map(_python, values)) + "}"
        text = self.description
        if self.conventions is not None or self.default not in (None, ()):
            texts = [f"Default: {_python(self.default)}"]
            texts += [f"{name}: {_python(value)}" for name, value in (self.conventions or {}).items()]
            text = f"{text} {'; '.join(texts)}."
        lines = _wrapped(text, _LINE_LENGTH - 8)
        head = f"{self.name} : {typed}" if is_required else f"{self.name} : {typed}, optional"
        return "\n".join([head, *(f"    {line}" for line in lines)])


class Group(NamedTuple):
    """Options of one section of the help.

    Without a title they are on the first page, among the options used most; `page` is "more" or "reading". If the
    group `is_exclusive`, at most one of the options can be given.
    """

    options: tuple[Option, ...]
    title: str = ""
    page: str = ""
    is_exclusive: bool = False


def check(name: str, kind: Kind, value: object) -> None:
    """Refuse a value that is not of its kind.

    Raises
    ------
    SettingsError
        With the name and the range.
    """
    problem = kind.problem(value)
    if problem is not None:
        raise SettingsError(f"{name} {problem}, not {value!r}")


def check_fields(settings: object, options: Iterable[Option]) -> None:
    """Refuse settings in which an attribute of an option's name is out of the option's range; None is not checked."""
    for option in options:
        value = getattr(settings, option.name, None)
        if value is not None:
            option.check(value)


def all_options(groups: Iterable[Group]) -> tuple[Option, ...]:
    """Return the options of groups, in their order."""
    return tuple(chain.from_iterable(group.options for group in groups))


_OTHER_NAMES = {
    "random_state": "seed",
    "random_seed": "seed",
    "jobs": "n_jobs",
    "workers": "n_jobs",
    "metric": "distance",
    "n_samples": "samples",
}
"""Names of settings in other libraries, and ours."""
_COLUMNS = ("annotator", "coder", "document", "start", "end", "category", "label", "columns")


def no_setting(owner: str, name: str, known: Collection[str]) -> SettingsError:
    """Return the error of a setting that the owner does not have, with what is meant by it elsewhere."""
    if _OTHER_NAMES.get(name) in known:
        return SettingsError(f"{owner} has no setting {name!r}; {_OTHER_NAMES[name]!r} is that")
    if name in _COLUMNS:
        return SettingsError(
            f"{owner} has no setting {name!r}; ga.read(data, columns={{'annotator': 'coder'}}) names the columns"
        )
    return SettingsError(f"{owner} has no setting {name!r}{did_you_mean(name, known)}")


def resolved(options: Sequence[Option], settings: Mapping[str, Any], measure: str) -> dict[str, Any]:
    """Return the value of each option: the given value, or the value under the conventions for None.

    Raises
    ------
    SettingsError
        For a name that no option has, or a value out of its range.
    """
    names = [option.name for option in options]
    unknown = sorted(settings.keys() - set(names))
    if unknown:
        raise no_setting(measure, unknown[0], names)
    values = {name: value for name, value in settings.items() if value is not None}
    for option in options:
        if option.name in values:
            option.check(values[option.name])
    conventions = values.get("conventions", "")
    return {option.name: values.get(option.name, option.value_under(conventions)) for option in options}


class _Recorded(dict[str, Any]):
    """Values of options that remember which of them were read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.unread = set(values)

    def __getitem__(self, name: str) -> object:
        self.unread.discard(name)
        return super().__getitem__(name)


def check_all_read(options: Sequence[Option], build: Callable[[Mapping[str, Any]], object], measure: str) -> None:
    """Refuse an option that a function from values to settings does not read: it would have no effect.

    A module calls this when it is imported.

    Raises
    ------
    TypeError
        With the names of the options that are not read.
    """
    values = _Recorded(resolved(options, {}, measure))
    build(values)
    if values.unread:
        unread = [option.name for option in options if option.name in values.unread]
        raise TypeError(f"{build.__module__}.{build.__name__} does not read {', '.join(unread)} of {measure}")


def takes_options(options: Sequence[Option]) -> Callable[[Function], Function]:
    """Return a decorator of a function that takes options: its signature and its docstring show each of them.

    Options that the function does not name stand for its ``**settings`` in both.

    Raises
    ------
    TypeError
        If the function has no ``**settings`` and does not name an option, which would have no effect.
    """

    def decorate(function: Function) -> Function:
        import inspect

        signature = inspect.signature(function)
        kept = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        further = [
            inspect.Parameter(
                option.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=option.own_default,
                annotation=option.annotation,
            )
            for option in options
            if option.name not in signature.parameters
        ]
        if further and len(kept) == len(signature.parameters):
            names = ", ".join(parameter.name for parameter in further)
            raise TypeError(f"{function.__module__}.{function.__qualname__} does not take {names}")
        shown = [*kept, *further]
        function.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
        if function.__doc__ is not None:  # python -OO has none
            required = {parameter.name: parameter.default is parameter.empty for parameter in shown}
            function.__doc__ = _documented(function.__doc__, required, options)
        return function

    return decorate


def _documented(docstring: str, is_required: Mapping[str, bool], options: Sequence[Option]) -> str:
    """Return a docstring whose section "Parameters" has an entry for each parameter, in their order."""
    lines = docstring.split("\n")
    title = next(index for index, line in enumerate(lines) if line.strip() == "Parameters")
    margin = lines[title].removesuffix("Parameters")
    start = title + 2  # below the dashes
    end = next((index for index in range(start, len(lines)) if not lines[index].strip()), len(lines))
    entries = _written_entries(lines[start:end], margin)
    for option in options:
        text = option.parameter(is_required=is_required.get(option.name, False))
        entries[option.name] = [f"{margin}{line}" for line in text.split("\n")]
    shown = [*chain.from_iterable(entries.get(name, []) for name in is_required)]
    return "\n".join([*lines[:start], *shown, *lines[end:]])


def _written_entries(lines: Sequence[str], margin: str) -> dict[str, list[str]]:
    """Return the lines of each parameter that a docstring describes, without ``**settings``.

    Parameters that are described together have the lines of the first of them.
    """
    entries: dict[str, list[str]] = {}
    entry: list[str] = []
    for line in lines:
        if line.startswith(f"{margin} "):
            entry.append(line)
            continue
        names, separator, kind = line.strip().partition(" : ")
        named = [name for name in names.split(", ") if not name.startswith("*")]
        entry = [f"{margin}{', '.join(named)}{separator}{kind}"]
        entries |= dict.fromkeys(named[:1], entry)
    return entries


def _wrapped(text: str, length: int) -> list[str]:
    """Return the lines of a text; `textwrap` takes four times as long, at every import of a decorated function."""
    words = text.split()
    lines = words[:1]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= length:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _python(value: object) -> str:
    """Return a value as it is written in Python, texts in double quotes and tuples as lists."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_python, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) or hasattr(value, "__float__")
