"""Settings every test shares."""

from __future__ import annotations

from hypothesis import settings

# the same examples on every machine and in any order of tests; machines under load are not failures
settings.register_profile("gamma_align", derandomize=True, deadline=None, database=None)
settings.load_profile("gamma_align")
