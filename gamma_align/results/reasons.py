"""Reasons, shared by several coefficients, for which a coefficient is not available."""

from __future__ import annotations

ONE_ANNOTATOR = "one annotator only"
NO_ANNOTATOR = "no annotator"
NO_UNITS = "no units"


def too_few(annotators: int) -> str | None:
    """Return why so many annotators cannot agree or disagree, or None where they can."""
    if annotators >= 2:  # noqa: PLR2004
        return None
    return ONE_ANNOTATOR if annotators else NO_ANNOTATOR
