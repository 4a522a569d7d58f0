"""The newest annotations of a project, and why they may not be the newest."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from gamma_align.data import Corpus


class Version(NamedTuple):
    """The newest version of each document, and since when it is.

    Attributes
    ----------
    corpus : Corpus or None
        The documents; None if nothing could be read yet.
    moment : str
        Date and time of the newest annotations, in UTC.
    waiting : tuple of str
        What is not in the corpus yet, and why: sentences.
    """

    corpus: Corpus | None
    moment: str
    waiting: tuple[str, ...] = ()


class Project(Protocol):
    """Where annotations come from."""

    def newest(self) -> Version:
        """Return the newest version that is complete."""
        ...
