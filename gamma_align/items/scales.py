"""What others have called such values; on request only, and never without the warning.

References
----------
Landis & Koch 1977; Krippendorff 2004 (p. 241); Green 1997; Artstein & Poesio 2008, §5.3.
"""

from __future__ import annotations

import math

from gamma_align.errors import SettingsError

SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "landis-koch": (
        (-math.inf, "poor"),
        (0.0, "slight"),
        (0.2, "fair"),
        (0.4, "moderate"),
        (0.6, "substantial"),
        (0.8, "almost perfect"),
    ),
    "krippendorff": ((-math.inf, "not reliable"), (0.667, "tentative conclusions"), (0.8, "reliable")),
    "green": ((-math.inf, "low"), (0.4, "fair to good"), (0.75, "high")),
}
"""Scales by name: where each word begins. A bound belongs to the word above it."""

WARNING = (
    "words on a scale are conventions: no single threshold suits all purposes, values of different coefficients are "
    "not comparable, and what is enough depends on the use (Artstein & Poesio 2008, §5.3); report how the value was "
    "obtained: coefficient, coders, items, categories, guidelines"
)
"""What stands beside every word."""


def word(value: float, scale: str) -> str:
    """Return what a scale calls a value; read `WARNING` with it.

    Raises
    ------
    SettingsError
        For a scale that is none.
    """
    if scale not in SCALES:
        raise SettingsError(f"scale must be one of {', '.join(SCALES)}, not {scale!r}")
    if math.isnan(value):
        return ""
    return [name for least, name in SCALES[scale] if value >= least][-1]
