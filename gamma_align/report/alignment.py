"""An alignment as text for people: a table with a column an annotator, or a list where that would be too wide."""

from __future__ import annotations

import textwrap

from gamma_align.alignment.align import Alignment
from gamma_align.data.continuum import Unit
from gamma_align.report._tables import counted, label_text, printable, span, table

WIDEST_TABLE = 118  # an alignment whose table would be wider is written as a list
_EMPTY = "–"
_empty_wrapper = textwrap.TextWrapper(
    WIDEST_TABLE,
    initial_indent=f"     {_EMPTY} ",
    subsequent_indent=" " * 7,
    break_long_words=False,
    break_on_hyphens=False,
)


def alignment_text(alignment: Alignment) -> str:
    """Return an alignment for people: its disorder and proof, and a table (or list) of unitary alignments."""
    continuum = alignment.continuum
    counts = (
        counted(len(continuum.annotators), "annotator"),
        counted(len(continuum), "unit"),
        counted(len(alignment), "unitary alignment"),
    )
    lines = [f"document {printable(continuum.document)}: {', '.join(counts)}", _certificate(alignment)]
    if len(alignment):
        wide = _alignment_table(alignment)
        fits = max(map(len, wide)) <= WIDEST_TABLE
        lines += ["", *(wide if fits else _alignment_list(alignment))]
    return "\n".join(lines) + "\n"


def _certificate(alignment: Alignment) -> str:
    """Return the disorder of an alignment and what is proven of it, in one line."""
    if not len(alignment):
        return "no units: nothing to align"
    proof = "0: proven optimal" if alignment.is_optimal else f"{alignment.gap:.2%}: not proven optimal"
    return f"disorder {alignment.disorder:.6f}, bound {alignment.bound:.6f}, gap {proof}"


def _alignment_table(alignment: Alignment) -> list[str]:
    rows = [["", "disorder", *map(printable, alignment.continuum.annotators)]]
    unitary = zip(alignment.unitary_alignments(), alignment.unitary_disorders.tolist(), strict=True)
    for index, (units, disorder) in enumerate(unitary, 1):
        rows.append([str(index), f"{disorder:.4f}", *map(_unit, units)])
    return table(rows, right=(0, 1), indent="  ")


def _unit(unit: Unit | None) -> str:
    if unit is None:
        return _EMPTY
    return f"{span(unit.start, unit.end)} {label_text(unit.category)}".rstrip()


def _alignment_list(alignment: Alignment) -> list[str]:
    """Return the table turned on its side, for many annotators: a paragraph a unitary alignment."""
    names = list(map(printable, alignment.continuum.annotators))
    lines: list[str] = []
    unitary = zip(alignment.unitary_alignments(), alignment.unitary_disorders.tolist(), strict=True)
    for index, (units, disorder) in enumerate(unitary, 1):
        cells = [(name, _unit(unit)) for name, unit in zip(names, units, strict=True) if unit is not None]
        lines += [f"  {index}  disorder {disorder:.4f}", *table(cells, indent="     ")]
        empty = [name for name, unit in zip(names, units, strict=True) if unit is None]
        if empty:
            lines += _empty_wrapper.wrap(", ".join(empty))
    return lines
