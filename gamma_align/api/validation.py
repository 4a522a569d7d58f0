"""`validate`, and the text of its report."""

from __future__ import annotations

from gamma_align.api.forms import text
from gamma_align.reading.validation import validate as _validate

validate = _validate.validate
setattr(_validate.ValidationReport, "__str__", text)  # noqa: B010  (a type checker refuses the assignment)
