"""Functions that an earlier package calls and a later one provides, such as reading a path.

A measure takes a path wherever it takes a corpus, and imports no reader of files; an alignment has a picture, and
imports no drawing. Such a function is called by its purpose. `gamma_align/__init__.py`, above all packages, says in
`PROVIDERS` who provides it, and the provider is imported at the first call.
"""

import sys
from importlib import import_module
from typing import Any


def provided(purpose: str) -> Any:  # noqa: ANN401  (callers state the type of the function)
    """Import and return the function that is provided for a purpose."""
    # The table is there, and not here, since no module knows a later one. It is looked up and not imported, since the
    # command line has to catch Ctrl-C before the package imports anything.
    package: Any = sys.modules["gamma_align"]
    module, _, function = package.PROVIDERS[purpose].partition(":")
    return getattr(import_module(module), function)
