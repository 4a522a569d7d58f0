"""The public `report`, for whatever holds a corpus: apart from other measures, since templates are slow to import."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

from gamma_align._api import read_source
from gamma_align.data.sources import Source
from gamma_align.report.html.report import Report
from gamma_align.report.html.report import report as report_of_corpus


@functools.wraps(report_of_corpus)
def report(source: Source, /, *, title: str | None = None, **settings: Any) -> Report:  # noqa: ANN401
    if title is None and isinstance(source, (str, os.PathLike)):
        title = Path(source).stem
    return report_of_corpus(read_source(source, "report"), title=title, **settings)


report.__module__ = "gamma_align"
