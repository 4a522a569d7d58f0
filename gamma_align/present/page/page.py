"""The page of a report."""

from __future__ import annotations

from gamma_align.errors import PYTHON, Surface
from gamma_align.present.figures.palette import palette_css
from gamma_align.present.page.contents import Contents
from gamma_align.present.page.environment import safe, source
from gamma_align.present.page.report_tables import ReportTables
from gamma_align.present.page.sections import Sections
from gamma_align.version import __version__
from gamma_align.work import release_freed_memory


def page(report: Contents, surface: Surface = PYTHON) -> str:
    """Return the report as one HTML page, which loads no other file; notes are in the language of the surface."""
    release_freed_memory()  # that the disagreements have used
    view = View(report, surface=surface)
    title = f"{report.title}: agreement report"
    return view.render("page.html", decide_script=safe(source("decide.js")), **frame(title))


def frame(title: str) -> dict[str, str]:
    """Return the parts that all pages share, with this title: styles, script and version."""
    css = "".join(map(source, ("base.css", "style.css", "file.css")))
    script = safe(source("report.js"))
    return {"title": title, "css": safe(palette_css() + css), "script": script, "version": __version__}


class View(Sections):
    """The contents of the sections, and their tables."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tables = ReportTables(self)
