"""Options: each is declared once, and help, checks, signatures, JSON Schema, forms and lists are rendered from that.

A package declares its options in a module ``options`` that imports this module and the standard library alone: the
command line prints its help from declarations without NumPy. Not here: what an option does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeGuard, TypeVar

from gamma_align.errors import SettingsError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., object])
_LINE = 116
"""Characters in a line of a generated description: docstrings in the source have as many."""


class Real(NamedTuple):
    """A finite number within bounds; `remark` follows the bounds in messages."""

    at_least: float | None = None
    above: float | None = None
    below: float | None = None
    remark: str = ""

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return "float"

    def problem(self, value: object) -> str | None:
        """Return the range if a value is outside it, as "must be above 0"."""
        if not _is_number(value):
            return "must be a number"
        if not math.isfinite(value):
            return "must be a finite number"
        if self.below is not None and self.above is not None:
            is_fine, bounds = self.above < value < self.below, f"between {self.above:g} and {self.below:g}"
        elif self.above is not None:
            is_fine, bounds = value > self.above, f"above {self.above:g}"
        else:
            is_fine, bounds = self.at_least is None or value >= self.at_least, f"{self.at_least or 0:g} or more"
        return None if is_fine else f"must be {bounds}{self.remark}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of values."""
        bounds = {"minimum": self.at_least, "exclusiveMinimum": self.above, "exclusiveMaximum": self.below}
        return {"type": "number", **{name: bound for name, bound in bounds.items() if bound is not None}}


class Whole(NamedTuple):
    """A whole number of at least so much; `remark` follows the bound in messages."""

    at_least: int = 0
    remark: str = ""

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return "int"

    def problem(self, value: object) -> str | None:
        """Return the range if a value is outside it, as `Real.problem` does."""
        if not _is_number(value):
            return "must be a whole number"
        return None if value >= self.at_least else f"must be {self.at_least} or more{self.remark}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of values."""
        return {"type": "integer", "minimum": self.at_least}


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
        allowed = [self.value_of(word) for word in self.words]
        if any(type(value) is type(each) and value == each for each in allowed):
            return None
        if self.values:
            *first, last = (each if isinstance(each, bool) else repr(each) for each in allowed)
            return f"must be {', '.join(map(str, first))} or {last}"
        return f"must be one of {', '.join(self.words)}"

    def schema(self) -> dict[str, Any]:
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

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of values."""
        return {"type": "boolean"}


class Text(NamedTuple):
    """A text; in Python it may be something else as well, which `python` names, and which is checked where it is used.

    `completion` names what a shell completes it with: "formats" or nothing.
    """

    python: str = "str"
    completion: str = ""

    @property
    def annotation(self) -> str:
        """The type in Python."""
        return self.python

    def problem(self, value: object) -> str | None:  # noqa: ARG002  (as other kinds)
        """Return None: the code that uses the value checks it."""
        return None

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of values."""
        return {"type": "string"}


class Listed(NamedTuple):
    """Several names, or names with values; `syntax` is the way they are written in one argument.

    "names" and "escaped" have commas between, the latter with a backslash before a comma in a name; "quoted" is a row
    of CSV; "labels" are escaped names that may have a value behind an equals sign; a "column", a "pair" and an "option"
    are one name with its value, and a "text" is one text: these are repeated.
    """

    syntax: str
    python: str = "Iterable[str]"

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
        return self.syntax in ("labels", "column", "pair", "option")

    def problem(self, value: object) -> str | None:  # noqa: ARG002  (as other kinds)
        """Return None: the code that uses the value checks it."""
        return None

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of values."""
        cell: dict[str, Any] = {"type": ["string", "number"]}
        entries = {"type": "object", "additionalProperties": {"type": ["string", "number", "null"]}}
        return {"anyOf": [cell, {"type": "array", "items": cell}, *([entries] if self.is_mapping else [])]}


Kind = Real | Whole | Choice | Flag | Text | Listed
NON_NEGATIVE, POSITIVE = Real(at_least=0), Real(above=0)


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
    """A declaration: from it come the argument and its help, the check, the signature, JSON Schema and form.

    `default` holds unless conventions decide; `conventions` maps those with another value to it, and is None if
    conventions do not decide the option. `shown_default` is the default that help shows in place of `default`;
    without `shows_default` it shows none. `argument` is the option on the command line if it is not named after the
    keyword. `explanation` is for Python, in full sentences without the default; without it `help` serves there, too.
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

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return self.argument or f"--{self.name.replace('_', '-')}"

    @property
    def words(self) -> tuple[str, ...]:
        """The words to choose from, none if the option is no choice."""
        return self.kind.words if isinstance(self.kind, Choice) else ()

    @property
    def own_default(self) -> Any:  # noqa: ANN401  (the value of any option)
        """The default in signatures and on the command line: None if the conventions decide."""
        return self.default if self.conventions is None else None

    def check(self, value: object) -> None:
        """Refuse a value that is out of range."""
        check(self.name, self.kind, value)

    def value_under(self, conventions: str) -> Any:  # noqa: ANN401  (likewise)
        """Return the value that conventions give the option."""
        return (self.conventions or {}).get(conventions, self.default)

    def defaults(self) -> str:
        """Return the default, and those of other conventions: "default: mean; authors: half"."""
        default = self.shown_default or ("" if self.default is None else self._shown(self.default))
        shown = [f"default: {default}"] if default else []
        shown += [f"{name}: {self._shown(value)}" for name, value in (self.conventions or {}).items()]
        return "; ".join(shown)

    def _shown(self, value: object) -> str:
        if isinstance(self.kind, Choice):
            return self.kind.word_of(value)
        return f"{value:g}" if isinstance(value, float) else str(value)

    def help_text(self) -> str:
        """Return the help with the defaults behind it."""
        defaults = self.defaults()
        return f"{self.help} ({defaults})" if defaults and self.shows_default else self.help

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the option, whose default is named where no convention decides."""
        default = {} if self.own_default in (None, ()) else {"default": self.own_default}
        return {**self.kind.schema(), **default, "description": self.help_text()}

    def parameter(self) -> str:
        """Return the entry in the section "Parameters" of a docstring."""
        import textwrap

        typed = self.kind.annotation
        if isinstance(self.kind, Choice):
            values = [self.kind.value_of(word) for word in self.kind.words]
            typed = "{" + ", ".join(str(each) if isinstance(each, bool) else f'"{each}"' for each in values) + "}"
        text = self.explanation or f"{self.help[0].upper()}{self.help[1:]}."
        if self.conventions is not None or self.default is not None:
            texts = [f"Default: {_python(self.default)}"]
            texts += [f"{name}: {_python(value)}" for name, value in (self.conventions or {}).items()]
            text = f"{text} {'; '.join(texts)}."
        lines = textwrap.wrap(text, _LINE - 8, break_on_hyphens=False, break_long_words=False)
        return "\n".join([f"{self.name} : {typed}, optional", *(f"    {line}" for line in lines)])


class Group(NamedTuple):
    """Options of one section of the help.

    Without a title they are on the first page, among the options people use; `page` is "more" or "reading".
    """

    options: tuple[Option, ...]
    title: str = ""
    page: str = ""


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
    return tuple(option for group in groups for option in group.options)


def resolved(options: Sequence[Option], given: Mapping[str, Any], measure: str) -> dict[str, Any]:
    """Return the value of each option: the one given, or that of the conventions; None is as if it were not given.

    Raises
    ------
    SettingsError
        For a name that no option has, or a value out of its range.
    """
    names = [option.name for option in options]
    unknown = sorted(given.keys() - set(names))
    if unknown:
        raise SettingsError(f"{measure} has no setting {unknown[0]!r}{did_you_mean(unknown[0], names)}")
    values = {name: value for name, value in given.items() if value is not None}
    for option in options:
        if option.name in values:
            option.check(values[option.name])
    conventions = values.get("conventions", "")
    return {option.name: values.get(option.name, option.value_under(conventions)) for option in options}


def takes_options(options: Sequence[Option]) -> Callable[[Function], Function]:
    """Return a decorator of a function with ``**settings``: its signature and its docstring show each option by name.

    The entry ``**settings`` (or ``**options``) of the section "Parameters" is replaced by those of the options.
    """

    def decorate(function: Function) -> Function:
        import inspect

        signature = inspect.signature(function)
        parameters = list(signature.parameters.values())
        rest = parameters.pop()
        named = {parameter.name for parameter in parameters}
        shown = [option for option in options if option.name not in named]
        parameters += [
            inspect.Parameter(
                option.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=option.own_default,
                annotation=_annotation(option),
            )
            for option in shown
        ]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        if function.__doc__ is not None:  # python -OO has none
            function.__doc__ = _documented(function.__doc__, f"**{rest.name}", shown)
        return function

    return decorate


def _annotation(option: Option) -> str:
    """Return the type of an option in a signature."""
    return option.kind.annotation if option.own_default is not None else f"{option.kind.annotation} | None"


def _documented(docstring: str, entry: str, options: Sequence[Option]) -> str:
    """Return a docstring with the entries of options in place of one entry and its description."""
    lines = docstring.split("\n")
    start = next(index for index, line in enumerate(lines) if line.strip().endswith(entry))
    margin = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
    end = start + 1
    while lines[end].startswith(f"{margin} "):
        end += 1
    others = lines[start].removesuffix(entry).rstrip(", ")  # parameters described together with the options
    kept = [others, *lines[start + 1 : end]] if others.strip() else []
    entries = [f"{margin}{line}" for option in options for line in option.parameter().split("\n")]
    return "\n".join([*lines[:start], *kept, *entries, *lines[end:]])


def _python(value: object) -> str:
    """Return a value as it is written in Python, texts in double quotes."""
    return f'"{value}"' if isinstance(value, str) else str(value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) or hasattr(value, "__float__")
