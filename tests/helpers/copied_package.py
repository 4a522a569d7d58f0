"""A copy of the package that a test may change."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# An editable install finds modules of the checkout before PYTHONPATH. Python imports sitecustomize at its start.
_FORGET_EDITABLE_INSTALL = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if not type(finder).__name__.startswith("ScikitBuild")]
"""


def copy_package(folder: Path) -> dict[str, str]:
    """Copy the package of the checkout into a folder; return the environment in which Python imports the copy.

    The copy has the plain kernels.
    """
    ignored = shutil.ignore_patterns("__pycache__", "src")
    shutil.copytree(ROOT / "gamma_align", folder / "gamma_align", ignore=ignored)
    (folder / "sitecustomize.py").write_text(_FORGET_EDITABLE_INSTALL, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(folder)}
