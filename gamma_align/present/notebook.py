"""Results as HTML for a notebook: the verdict, the first rows of their tables, and a picture of where people differ."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from gamma_align.data import MAX_ROWS_SHOWN, span
from gamma_align.insight import verdicts
from gamma_align.insight.look import Look
from gamma_align.measures.gamma import GammaResult
from gamma_align.present.result_tables import shown_tables
from gamma_align.present.symbols import prefix_of
from gamma_align.present.table import Priority, Remainder, Table
from gamma_align.present.writers.html import html

if TYPE_CHECKING:  # γ alone needs no causes
    from gamma_align.insight.disagreements import Disagreements


_PICTURE_WIDTH = 900.0  # pixels: the output of a cell
_PICTURE_CHARACTERS = 420.0  # about four lines of text
_PICTURE_ALIGNMENTS = 12  # of a document without a text, about


def result_html(result: object) -> str:
    """Return the verdict and the tables of a result as HTML; an empty text if its class has none.

    Disagreements are shown as the look at them.
    """
    from gamma_align.insight.disagreements import Disagreements

    if isinstance(result, Disagreements):
        from gamma_align.insight.look import look_at_disagreements

        result = look_at_disagreements(result)
    sentences = [f"<p>{escape(sentence)}</p>" for sentence in _sentences(result)]
    tables = [html(table, Priority.PAPER) for table in map(_shown, shown_tables(result)) if table.rows]
    differing = result.result if isinstance(result, Look) else None
    pictures = _picture(differing) if isinstance(differing, Disagreements) and differing.disagreements else ()
    return "\n".join([*sentences, *tables, *pictures])


def _picture(result: Disagreements) -> Iterator[str]:
    """Yield the stretch with the densest disorder of the document with most of it, as wide as a cell."""
    from gamma_align.present.figures import Palette, Scene, label_order
    from gamma_align.present.figures.draw import picture_svg

    name = result.documents[0].document
    scene = Scene.of_disagreements(result, name)
    window = scene.densest_part(_PICTURE_CHARACTERS, _PICTURE_ALIGNMENTS)
    yield f"<p>{escape(f'{name}, {span(*window)}')}</p>"
    drawn = picture_svg(scene, window=window, width=_PICTURE_WIDTH, palette=Palette(label_order(result.corpus)))
    yield f'<div style="max-width:100%;overflow-x:auto">{drawn}</div>'


def _sentences(result: object) -> Iterator[str]:
    """Yield the verdict on a result."""
    if isinstance(result, Look):
        yield from result.verdict
        if result.similar:
            yield f"{verdicts.similar([(row.task, row.gamma, row.by_pairs) for row in result.similar])}."
        yield from (sentence for row in result.models for sentence in row.sentences)
        yield from result.remarks
    elif isinstance(result, GammaResult):
        yield verdicts.measured(result.gamma, f"{prefix_of(result.settings)}γ")


def _shown(table: Table) -> Table:
    rows = [*table.rows]
    if len(rows) <= MAX_ROWS_SHOWN:
        return table._replace(rows=rows)  # with its own line on documents that are left out
    return table._replace(rows=rows).first(MAX_ROWS_SHOWN, _remainder)


def _remainder(left_out: int) -> Remainder:
    return lambda _: f"… {left_out} more: to_frame() has them all"
