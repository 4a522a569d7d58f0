"""The public `html_report`, for whatever holds a corpus; not among the measures, since templates are slow to import."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

from gamma_align._api import read_source
from gamma_align.data.sources import Source
from gamma_align.report.html import report
from gamma_align.report.html.report import Report


@functools.wraps(report.html_report)
def html_report(source: Source, /, *, title: str | None = None, **settings: Any) -> Report:  # noqa: ANN401
    if title is None and isinstance(source, (str, os.PathLike)):
        title = Path(source).stem
    return report.html_report(read_source(source, "html_report"), title=title, **settings)


html_report.__module__ = "gamma_align"
