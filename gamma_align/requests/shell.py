"""The language of the command line: how its messages name options, repairs, packages and commands."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamma_align.errors import Set, Surface

PROGRAM = "gamma-align"  # the name of the command


@cache
def _flags() -> Mapping[tuple[str, str], str]:
    """Return the option of each keyword that has another name there, by function ("" for reading and selecting).

    The declarations are imported when a message first needs them: most runs print none.
    """
    from gamma_align.alignment import ALIGNMENT
    from gamma_align.data import SELECTION_OPTIONS
    from gamma_align.insight.disagreements import DISAGREEMENT_OPTIONS
    from gamma_align.insight.replacement import REPLACEMENT_OPTIONS
    from gamma_align.present.page import REPORT_OPTIONS
    from gamma_align.reading import READING_OPTIONS
    from gamma_align.simulation import PLAN_OPTIONS, POWER_OPTIONS, SHUFFLING_OPTIONS

    options = {
        "": (*READING_OPTIONS, *SELECTION_OPTIONS.options, ALIGNMENT),
        "shuffle": SHUFFLING_OPTIONS.options,
        "plan": PLAN_OPTIONS.options,
        "plan_difference": POWER_OPTIONS.options,
        "disagreements": DISAGREEMENT_OPTIONS.options,
        "replaceable": REPLACEMENT_OPTIONS.options,
        "html_report": REPORT_OPTIONS.options,
    }
    flags = {(function, option.name): option.flag for function in options for option in options[function]}
    return flags | {("", "n_jobs"): "--jobs"}


@cache
def _repeated_options() -> frozenset[str]:
    """Return the keywords of reading whose option of the command line is given once for each entry."""
    from gamma_align.measures.items import ITEM_READING
    from gamma_align.options import Listed
    from gamma_align.reading import READING_OPTIONS

    options = (*READING_OPTIONS, *ITEM_READING.options)
    return frozenset(option.name for option in options if isinstance(option.kind, Listed) and option.kind.is_repeated)


def flag_of(keyword: str, function: str = "") -> str:
    """Return the option of the command line that sets a keyword argument of a function; by default, of `read`.

    An option itself is returned as it is.
    """
    if keyword.startswith("--"):
        return keyword
    flag = _flags().get((function, keyword)) or _flags().get(("", keyword))
    return flag or f"--{keyword.replace('_', '-')}"


class _CommandLine:
    def option(self, name: str, value: object, function: str = "") -> str:
        if isinstance(value, Mapping) and None in value.values():
            from gamma_align.reading import ABSENT_COLUMNS

            return " ".join(ABSENT_COLUMNS[role].flag for role in value)
        flag = flag_of(name, function)
        if isinstance(value, Mapping | list) and name in _repeated_options():
            entries = value
            if isinstance(value, Mapping):
                entries = [f"{key}={_plain_text(entry)}" for key, entry in value.items()]
            return " ".join(f"{flag} {_argument_text(entry)}" for entry in entries)
        text = _argument_text(value)
        return f"{flag} {text}" if text else flag

    def entries(self, option: str, names: Sequence[str]) -> str:
        return " ".join(f"{flag_of(option)} {shlex.quote(name)}=…" for name in names)

    def argument(self, name: str) -> str:
        return f"argument {flag_of(name)}"

    def fix(self, name: str, clause: str) -> str:
        command = f"{PROGRAM} validate --fix {name}"
        return f"{clause} ({command})" if clause else f"let {command} do it"

    def install(self, extra: str) -> str:
        return f"run  pip install 'gamma-align[{extra}]'"

    def call(self, function: str, command: str, setting: Set | None) -> str:  # noqa: ARG002  (the Surface protocol)
        return f"{PROGRAM} {command}" if setting is None else f"{PROGRAM} {command} {setting.render(self)}"


COMMAND_LINE: Surface = _CommandLine()


def _argument_text(value: object) -> str:
    """Return a value as it is typed in a shell; nothing for None and for True, which a flag alone says."""
    if value is None or value is True:
        return ""
    if isinstance(value, Mapping):
        return shlex.quote(",".join(f"{key}={_plain_text(entry)}" for key, entry in value.items()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        # In a list of columns, a name with a comma stands in quotes, as in a CSV file.
        return shlex.quote(",".join(f'"{name}"' if "," in name else name for name in map(str, value)))
    return shlex.quote(str(value))


def _plain_text(value: object) -> str:
    """Return the value of an entry as the command line reads it: as JSON, except for texts."""
    return str(value).lower() if isinstance(value, bool) else str(value)
