"""The order of packages."""

from __future__ import annotations

from pathlib import Path

import gamma_align as ga

PACKAGE = Path(ga.__file__).parent

# A package imports itself and the packages before it in this list.
# fmt: off
ORDER = [
    "errors", "lazy", "options", "columns", "version", "kernels", "data", "distances", "inference", "alignment",
    "chance", "work", "measures", "insight", "reading", "simulation", "present", "api", "requests", "compat", "apps",
]
# fmt: on
