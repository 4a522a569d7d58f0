"""The public functions that take any source: each reads what it is given, and calls a function of another package.

Importing this package gives results their forms for `print` and for a notebook (`forms`): a result knows nothing of
tables. Not here: any computation, and the reading itself. The types handed on are the results of the packages called.
"""

from gamma_align.api import forms as forms
from gamma_align.lazy import door

_NAMES = {"insight": ("compare", "rounds", "unit_changes"), "report": ("html_changes", "html_report")}

__getattr__, __all__ = door(__name__, _NAMES)
