"""The language of the command line: how its messages name options, repairs, packages and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamma_align.errors import Surface
from gamma_align.reading.options import READING_OPTIONS

PROGRAM = "gamma-align"
FLAGS = {
    **{option.name: option.flag for option in READING_OPTIONS},
    "annotators": "--annotator",
    "documents": "--document",
    "n_jobs": "--jobs",
}
"""Options whose name on the command line is not the keyword with dashes in place of underscores."""

FLAGS_WITHOUT_COLUMN = {"document": "--one-document", "category": "--no-categories"}
"""Options for roles that no column of a table has; in Python the name of the column is None."""


def flag_of(keyword: str) -> str:
    """Return the option of the command line that sets a keyword argument."""
    return FLAGS.get(keyword, f"--{keyword.replace('_', '-')}")


class _CommandLine:
    def option(self, name: str, value: object) -> str:
        if isinstance(value, Mapping) and None in value.values():
            return " ".join(FLAGS_WITHOUT_COLUMN[role] for role in value)
        text = _argument_text(value)
        return f"{flag_of(name)} {text}" if text else flag_of(name)

    def argument(self, name: str) -> str:
        return f"argument {flag_of(name)}"

    def fix(self, name: str, clause: str) -> str:
        command = f"{PROGRAM} validate --fix {name}"
        return f"{clause} ({command})" if clause else f"let {command} do it"

    def install(self, extra: str) -> str:
        return f"run  pip install 'gamma-align[{extra}]'"

    def call(self, function: str, command: str) -> str:  # noqa: ARG002  (the Surface protocol)
        return f"{PROGRAM} {command}"


COMMAND_LINE: Surface = _CommandLine()


def _argument_text(value: object) -> str:
    """Return a value as it is typed in a shell; nothing for None and for True, which a flag alone says."""
    if value is None or value is True:
        return ""
    if isinstance(value, Mapping):
        return _quoted(",".join(f"{key}={text}" for key, text in value.items()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        # In a list of columns, a name with a comma stands in quotes, as in a CSV file.
        return _quoted(",".join(f'"{name}"' if "," in name else name for name in map(str, value)))
    return _quoted(str(value))


def _quoted(text: str) -> str:
    """Return the text in quotes if a shell would change it."""
    if "=" not in text and not any(character in text for character in " '\"{}*?$&|;<>()"):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"
