"""All that was found where annotations are validated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamma_align.data.problem import Problem
    from gamma_align.validation.columns import Columns
    from gamma_align.validation.findings import Finding


@dataclass(slots=True)
class Survey:
    """What is at a path.

    Attributes
    ----------
    place : str
        What messages call the whole.
    told : str
        The format.
    files : int
        How many files were looked at.
    problems : list of Problem
        What keeps `read` from reading them; none if it does.
    notes : list of str
        What was guessed or left out.
    columns : Columns or None
        The units that can be told apart; ``None`` where nobody's are.
    findings : list of Finding
        What there is to see in them.
    swapped : list of str
        Units whose bounds were swapped, as the files have them.
    """

    place: str
    told: str
    files: int
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    columns: Columns | None = None
    findings: list[Finding] = field(default_factory=list)
    swapped: list[str] = field(default_factory=list)
