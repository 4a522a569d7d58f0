"""Warnings where the layer keeps to a definition that pygamma-agreement does not follow."""

from __future__ import annotations

import warnings


class DefinitionWarning(UserWarning):
    """The result differs from pygamma-agreement's, which does not follow the definition here."""


def note(text: str) -> None:
    """Warn of a difference; Python prints a warning once for each place in a script."""
    warnings.warn(text, DefinitionWarning, stacklevel=3)
