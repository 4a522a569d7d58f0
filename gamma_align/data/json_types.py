"""The type of values that are ready for JSON."""

from __future__ import annotations

from typing import Any

Json = Any
"""A value that `json` can write. A strict union would need a cast wherever a dictionary of results is indexed."""
