"""The language of the command line: how its messages name options, repairs, packages and commands."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from gamma_align.errors import Set, Surface
from gamma_align.reading.options import READING_OPTIONS

PROGRAM = "gamma-align"
FLAGS = {
    **{option.name: option.flag for option in READING_OPTIONS},
    "annotators": "--annotator",
    "documents": "--document",
    "n_jobs": "--jobs",
}
"""Options whose name on the command line is not the keyword with dashes in place of underscores."""


def flag_of(keyword: str) -> str:
    """Return the option of the command line that sets a keyword argument."""
    return FLAGS.get(keyword, f"--{keyword.replace('_', '-')}")


class _CommandLine:
    def option(self, name: str, value: object) -> str:
        text = _argument_text(value)
        return f"{flag_of(name)} {text}" if text else flag_of(name)

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
        return shlex.quote(",".join(map(str, value)))
    return shlex.quote(str(value))


def _plain_text(value: object) -> str:
    """Return the value of an entry as the command line reads it: as JSON, except for texts."""
    return str(value).lower() if isinstance(value, bool) else str(value)
