"""The modules that are imported before workers are forked. None of them starts a thread."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from importlib import import_module

import_module("gamma_align.apps.service.body")
import_module("gamma_align.apps.service.page.fragments")
for _name in import_module("gamma_align.apps.service.work").COMMANDS:
    import_module("gamma_align.requests.commands").computation(_name)
