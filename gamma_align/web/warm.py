"""What every worker has imported before it is forked; it starts no thread."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from importlib import import_module

import_module("gamma_align.web.body")
import_module("gamma_align.web.page.fragments")
for _name in import_module("gamma_align.web.work").COMMANDS:
    import_module(f"gamma_align.cli.{_name}")
