"""What single formats ask for: the options they know, and no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from gamma_align.errors import SettingsError

if TYPE_CHECKING:
    from typing import Any

    from gamma_align.io.marks.choices import Choices


def known(choices: Choices, name: str, told: Mapping[str, str] | Iterable[str]) -> Mapping[str, Any]:
    """Return the options of a format.

    Parameters
    ----------
    choices : Choices
        What the user says.
    name : str
        Of the format.
    told : mapping of str to str, or iterable of str
        Each option it knows, and, in a mapping, what it is.

    Raises
    ------
    SettingsError
        For an option that it does not know.
    """
    strange = [option for option in choices.options if option not in told]
    if strange:
        each = [f"{option!r}: {told[option]}" if isinstance(told, Mapping) else repr(option) for option in told]
        raise SettingsError(f"{name} has no option {strange[0]!r}; its options are {'; '.join(each) or 'none'}")
    return choices.options
