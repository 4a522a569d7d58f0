"""The forms of results: text for `print`, tables or a picture for a notebook, data frames, and columns of the JSON.

The modules of tables are imported with the first result that is shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from gamma_align.data import FrameColumns, Json
from gamma_align.inference import DataForms, Result

_summary_table = Result._repr_html_


def text(result: object) -> str:
    """Return a result as text; its short form if its class has no text."""
    from gamma_align.present import result_text

    return result_text(result) or repr(result)


def _html(result: Result) -> str:
    """Return the tables of a result, or the picture of an alignment; a result without either shows its contents."""
    from gamma_align.alignment import Alignment

    if isinstance(result, Alignment):
        from gamma_align.present.figures import alignment_svg

        return alignment_svg(result)
    from gamma_align.present import result_html

    return result_html(result) or _summary_table(result)


class TableForms(DataForms):
    """JSON and data frames of results with the columns of their tables."""

    def contents(self, result: Result) -> Mapping[str, Json]:
        """Return the contents; rows of the table of the result have its columns, too."""
        from gamma_align.present import frame_table
        from gamma_align.present.writers import with_columns

        table = frame_table(result)
        contents = super().contents(result)
        return contents if table is None else with_columns(contents, table)

    def columns(self, result: Result, level: str | None) -> FrameColumns:
        """Return the columns of the table of a level; a result without a table shows its contents."""
        from gamma_align.present import frame_table
        from gamma_align.present.writers import frame_columns

        table = frame_table(result, level)
        return super().columns(result, level) if table is None else frame_columns(table)


Result.forms = TableForms()
for _name, _form in {"__str__": text, "_repr_html_": _html}.items():
    setattr(Result, _name, _form)
