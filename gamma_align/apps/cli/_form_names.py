"""The names that the command line has for forms of a result, for lines on rows that are left out."""

from __future__ import annotations

from gamma_align.present import FormNames

OPTION_NAMES = FormNames(csv="--csv", json="--json", rows="--rows N")
