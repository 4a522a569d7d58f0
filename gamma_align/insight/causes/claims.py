"""Claims about an annotator in a scope, whose counts are those of the data as annotated."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from gamma_align.columns import BoolArray
from gamma_align.insight.causes.cause import Candidate
from gamma_align.insight.causes.scopes import Counts, count_in
from gamma_align.insight.causes.view import Events, View


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Claim(Candidate):
    """A claim that an annotator has more hits in some of the events, the scope, than in all others.

    `counts` come from the view that proposed the claim, after the repairs of earlier causes.
    """

    counts: Counts

    @abstractmethod
    def scope(self, view: View) -> tuple[Events, BoolArray]:
        """Return the events of a view, and whether each is in the scope."""

    def counts_as_annotated(self, view: View) -> Counts:
        """Return the counts in the data before the repairs of other causes."""
        return count_in(view.base, self.annotator, *self.scope(view.base))

    def is_unclear(self, view: View) -> bool:
        """Return whether the data as annotated do not bear the claim out."""
        return view is not view.base and not self.counts_as_annotated(view).is_higher
