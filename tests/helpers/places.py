"""Where the checkout has what tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPORA = ROOT / "corpora"
FORMATS = CORPORA / "formats"
TESTS = ROOT / "tests"
GOLDEN = TESTS / "golden"
