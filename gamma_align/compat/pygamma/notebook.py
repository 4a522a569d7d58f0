"""Pictures of continua and alignments, drawn by gamma_align."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamma_align.alignment import Alignment as GivenAlignment
from gamma_align.compat.pygamma.alignment import Alignment
from gamma_align.compat.pygamma.continuum import Continuum
from gamma_align.compat.pygamma.unit import Segment, Unit
from gamma_align.data import Continuum as GammaContinuum
from gamma_align.present.figures import Palette, Scene, alignment_svg, label_order
from gamma_align.present.figures.draw import draw

_WIDTH = 960.0  # pixels


def show_continuum(continuum: Continuum, labelled: bool = True) -> Any:  # noqa: ANN401, ARG001
    """Show the picture of a continuum in a notebook, or return it as SVG outside of one."""
    return _show(continuum_picture(continuum))


def show_alignment(alignment: Alignment, labelled: bool = True) -> Any:  # noqa: ANN401, ARG001
    """Show the picture of an alignment in a notebook, or return it as SVG outside of one."""
    return _show(alignment_picture(alignment))


def _show(svg: str) -> Any:  # noqa: ANN401
    """Show a picture in a notebook, and return None; outside of a notebook return it."""
    try:
        import IPython
    except ImportError:
        return svg
    display: Any = IPython.display
    if IPython.get_ipython() is None:
        return svg
    display.display(display.HTML(svg))
    return None


def continuum_picture(continuum: Continuum) -> str:
    """Return the picture of a continuum as SVG."""
    data, _ = _data(continuum)
    scene = Scene(data, np.full(len(data), -1), np.zeros(0), 1.0, label_order(data))
    return draw(scene, width=_WIDTH, palette=Palette(scene.labels))


def alignment_picture(alignment: Alignment) -> str:
    """Return the picture of an alignment as SVG; ValueError without a continuum."""
    if alignment.continuum is None:
        raise ValueError("an alignment without a continuum cannot be drawn")
    assert isinstance(alignment.continuum, Continuum)
    data, rows = _data(alignment.continuum)
    groups = np.repeat(np.arange(len(alignment.unitary_alignments)), [unitary.nb_units for unitary in alignment])
    units = np.array([rows[member] for member in alignment.members()], dtype=np.int64)
    order = np.lexsort((groups, units))
    units = units[order]
    groups = groups[order]
    group = np.full(len(data), -1)
    group[units[::-1]] = groups[::-1]  # the first one assigned last stays
    disorders = np.array([unitary.disorder for unitary in alignment])
    disorder = alignment.disorder
    drawn = GivenAlignment(data, group, disorders, disorder, disorder, is_optimal=True, cover=(units, groups))
    return alignment_svg(drawn, title=data.document)


def _data(continuum: Continuum) -> tuple[GammaContinuum, dict[tuple[str, Unit], int]]:
    """Return the continuum as gamma_align's, and the row of each unit in it."""
    records = [(name, unit.segment.start, unit.segment.end, unit.annotation) for name, unit in continuum]
    low = min([continuum.bound_inf, *(record[1] for record in records)])
    data = GammaContinuum.from_records(
        records,
        annotators=list(continuum.annotators),
        extent=(low, continuum.bound_sup),
        document=continuum.uri or "continuum",
    )
    rows = {
        (unit.annotator, Unit(Segment(unit.start, unit.end), unit.category)): row
        for row, unit in enumerate(data.units())
    }
    return data, rows


for _shown, _picture in ((Continuum, continuum_picture), (Alignment, alignment_picture)):
    setattr(_shown, "_repr_html_", _picture)  # noqa: B010  (a notebook looks for this method)
