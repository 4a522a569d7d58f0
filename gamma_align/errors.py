"""Exceptions and warnings of gamma_align.

::

    GammaAlignError
    ├── InputError(ValueError)        data that cannot be measured: file, line, document, annotator, unit and the cure
    ├── SettingsError(ValueError)     a parameter out of its range
    ├── MissingExtraError(ImportError) an optional package is not installed; the message has the command
    └── SolverError(RuntimeError)     a solver failed; never a result that is silently worse

    GammaAlignWarning(UserWarning)    something the user should know and may wish to change
"""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 4000
"""How many characters a line of a message has at most; labels and cells that it quotes may have millions."""


def shortened(message: str) -> str:
    """Return the message, the middle of a line left out that is too long to be read: what is wrong, and the cure."""
    if len(message) <= LONGEST:
        return message
    return "\n".join(map(_shortened_line, message.split("\n")))


def _shortened_line(line: str) -> str:
    if len(line) <= LONGEST:
        return line
    half = LONGEST // 2 - 20
    return f"{line[:half]} [… {len(line) - 2 * half:,} characters …] {line[-half:]}"


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """Return the names that the text may stand for, as the end of a sentence; nothing where there are none.

    Options are compared without their dashes, and what a name begins with stands for it.
    """
    import difflib

    words = {name.lstrip("-"): name for name in names}
    word = text.lstrip("-")
    close = [name for name in words if len(word) > 1 and name.startswith(word)]
    close = (close or difflib.get_close_matches(word, words, cutoff=0.7))[:2]
    return f"; did you mean {' or '.join(words[name] for name in close)}?" if close else ""


class GammaAlignError(Exception):
    """Base of every error this package raises on purpose."""

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message))


class InputError(GammaAlignError, ValueError):
    """Data that cannot be measured as they are; the message says where and what to do."""


class SettingsError(GammaAlignError, ValueError):
    """A parameter outside its range."""


class MissingExtraError(GammaAlignError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}: run  pip install 'gamma-align[{extra}]'")


class SolverError(GammaAlignError, RuntimeError):
    """A solver ended without an answer that can be trusted."""


class GammaAlignWarning(UserWarning):
    """Something that was taken as it is and that the user may want to change."""
