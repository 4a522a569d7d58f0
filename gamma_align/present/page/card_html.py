"""Cards of disagreements as HTML.

A report has up to two thousand cards with up to eight thousand lanes. Format strings write them four times as fast as
a template would. All names, labels and words are escaped here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from gamma_align.data import Unit, span
from gamma_align.insight.disagreements import Disagreement, Share
from gamma_align.present.figures.palette import Palette
from gamma_align.present.page.cards import Bar, Card, Lane, Piece
from gamma_align.present.page.deciding import place, readers_of_place
from gamma_align.present.page.environment import safe, short_label
from gamma_align.present.page.numbers import decimal

_SPECIAL_CHARACTERS = re.compile("[&<>'\"]")
_MAX_NAMES = 3  # of annotators who share a lane; the title of the lane has all
_STRIP_HEAD = '<svg class="strip" width="100%" height="14" aria-hidden="true"><line x2="100%" y1="13.5" y2="13.5"/>'
_BUTTON_END = '">Decide</button> <span class="decided"></span></p>'


def escaped(text: str) -> str:
    """Return a text with character references, as templates write it."""
    return str(escape(text)) if _SPECIAL_CHARACTERS.search(text) else text


class CardHtml:
    """Chips of labels, lanes and cards as HTML.

    Parameters
    ----------
    palette : Palette
        The colours of labels.
    bar : function of Share, optional
        Draws the bar of a card.
    is_linked : bool
        Whether the place of a card is a link to the annotations of its document.
    can_decide : bool
        Whether cards can be decided.
    """

    def __init__(
        self,
        palette: Palette,
        *,
        bar: Callable[[Share], str] = lambda _: "",
        is_linked: bool = False,
        can_decide: bool = False,
    ) -> None:
        self._palette = palette
        self._bar = bar
        self._is_linked = is_linked
        self._can_decide = can_decide
        # Few labels and groups of annotators are in many lanes.
        self._chips: dict[str | None, Markup] = {}
        self._paints: dict[tuple[str | None, bool], str] = {}
        self._heads: dict[tuple[str, ...], str] = {}
        self._readers: dict[tuple[str, ...], str] = {}

    def chip(self, label: str | None) -> Markup:
        """Return a label on its colour."""
        chip = self._chips.get(label)
        if chip is None:
            text = escaped(short_label(label, self._palette.labels))
            chip = safe(f'<span class="chip {self._palette.mark(label).classes}" dir="auto">{text}</span>')
            self._chips[label] = chip
        return chip

    def lane(self, lane: Lane) -> Markup:
        """Return a lane of a card."""
        return safe(self._lane(lane))

    def card(self, card: Card, foot: str = "") -> str:
        """Return a card; `foot` is the HTML of its last line."""
        row = card.row
        document = escaped(card.document)
        order = f"{card.local_number} of {card.n_alignments}"
        label = f"Alignment {order} in {document}. Disorder {decimal(card.disorder)}: {card.sum}."
        location = f"<bdi>{document}</bdi>, {card.location}"
        if self._is_linked:
            location = f'<a data-document="{document}" data-at="{card.local_number}">{location}</a>'
        subject = button = ""
        if self._can_decide:
            name = f"disagreement {card.local_number} of {document}"
            subject = f' data-subject="{escaped(place(row))}" data-readers="{self._readers_of(row)}"'
            button = f'<p class="deciding"><button type="button" class="decide" aria-label="Decide {name}{_BUTTON_END}'
        if foot:
            foot = f"<footer>{foot}</footer>"
        return (
            f'<article class="card"{subject} data-address="a-{document}-{card.local_number}" aria-label="{label}">'
            f'<header><h3>{card.title}</h3><span class="soft">{location}</span>'
            f'<span class="sum">{card.sum} {self._bar(row.disorder)}</span></header>\n'
            f'<div class="lanes">{"".join(map(self._lane, card.lanes))}</div>\n{foot}{button}</article>\n'
        )

    def _readers_of(self, row: Disagreement) -> str:
        names = (*(unit.annotator for unit in row.units), *row.absent)
        readers = self._readers.get(names)
        if readers is None:
            readers = self._readers[names] = escaped(readers_of_place({*names}))
        return readers

    def _lane(self, lane: Lane) -> str:
        unit = lane.unit
        other_unit = lane.other_unit
        kind = f"{'' if unit else ' empty'}{' reference' if lane.is_reference else ''}"
        if lane.pieces:
            content = f'<span class="text" dir="auto">{self._text(lane.pieces, unit)}</span>\n'
        else:
            content = f"{_STRIP_HEAD}{''.join(map(self._rectangle, lane.bars))}</svg>\n"
        if unit is not None:
            bounds = "" if lane.pieces else f' <span class="soft small">{span(unit.start, unit.end)}</span>'
            label = f'<span class="what">{self.chip(unit.category)}{bounds}</span>'
        elif other_unit is not None:
            bounds = f'<span class="soft small">other unit, {span(other_unit.start, other_unit.end)}</span>'
            label = f'<span class="what other-unit">{self.chip(other_unit.category)} {bounds}</span>'
        else:
            label = '<span class="chip none">nothing</span>'
        return f'<div class="lane{kind}">{self._head(lane.annotators)}{content}{label}</div>\n'

    def _head(self, annotators: tuple[str, ...]) -> str:
        """Return the names of a lane."""
        head = self._heads.get(annotators)
        if head is None:
            names = ", ".join(annotators[:_MAX_NAMES]) + (" …" if len(annotators) > _MAX_NAMES else "")
            number = f" ({len(annotators)})" if len(annotators) > 1 else ""
            title = escaped(", ".join(annotators))
            head = f'<span class="who" dir="auto" title="{title}">{escaped(names)}{number}</span>\n'
            self._heads[annotators] = head
        return head

    def _text(self, pieces: Sequence[Piece], unit: Unit | None) -> str:
        """Return the words of a lane, with a mark on the words of its unit."""
        words = []
        for text, kind in pieces:
            word = escaped(text)
            if kind == "own":
                classes = "" if unit is None else self._palette.mark(unit.category).classes
                word = f'<mark class="{classes}">{word}</mark>'
            elif kind:
                word = f'<span class="{kind}">{word}</span>'
            words.append(word)
        return "".join(words)

    def _rectangle(self, bar: Bar) -> str:
        """Return a unit of a lane without text; units of other unitary alignments are lower and lighter."""
        paint = self._paints.get((bar.label, bar.is_own))
        if paint is None:
            tint = self._palette[self._palette.mark(bar.label).tint]
            aligned = f'y="1" height="12" fill="{self._palette.fill(bar.label)}"'
            paint = aligned if bar.is_own else f'y="7" height="6" fill="{tint}"'
            self._paints[bar.label, bar.is_own] = paint
        return f'<rect x="{bar.start}%" width="{bar.width}%" {paint}/>'
