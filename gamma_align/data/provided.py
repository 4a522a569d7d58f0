"""Functions that an earlier package calls and a later one provides, such as reading a path.

A measure accepts a path wherever it accepts a corpus, but does not import a reader of files; an alignment has a
picture, but does not import the drawing of figures. Such a function is looked up by its purpose in the table
`PROVIDERS` of `gamma_align/__init__.py`, above all packages, and its module is imported at the first call.
"""

import sys
from importlib import import_module
from typing import Any


def provided(purpose: str) -> Any:  # noqa: ANN401  (callers state the type of the function)
    """Import and return the function that is provided for a purpose."""
    # The table is not here because no module knows a later one. It is not imported because the command line has to
    # catch Ctrl-C before the package imports anything.
    package: Any = sys.modules["gamma_align"]
    module, _, function = package.PROVIDERS[purpose].partition(":")
    return getattr(import_module(module), function)
