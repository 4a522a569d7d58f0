"""The request ``measure`` of the older αU of each document, to compare with published values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamma_align.data import Corpus, Json
from gamma_align.errors import Location, SettingsError
from gamma_align.measures.unitizing import ALPHA_2004, AlphaU2004
from gamma_align.measures.unitizing.unitizing_alpha_2004 import unitizing_alpha_2004
from gamma_align.requests.settings import Values

_OTHER_OPTIONS = ("pairs", "work", "plot", "worst", "cite")


class OlderAlpha(NamedTuple):
    """αU of each document, the number of units of each annotator, and the notes of the corpus."""

    documents: tuple[AlphaU2004, ...]
    annotators: dict[str, int]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Json]:
        """Return the result ready for JSON."""
        documents = [document.to_dict() for document in self.documents]
        return {"schema_version": 1, "documents": documents, "annotators": self.annotators, "notes": [*self.notes]}


def check(values: Values) -> None:
    """Refuse other coefficients beside αU, and options that have no meaning for it."""
    if len(values["coefficients"]) > 1:
        raise SettingsError(
            f"{ALPHA_2004} cannot be combined with other coefficients",
            "name it alone",
            Location.for_option("coefficients"),
        )
    for name in _OTHER_OPTIONS:
        if values.get(name):
            raise SettingsError(
                f"it cannot be combined with {ALPHA_2004}", "leave out one of the two", Location.for_option(name)
            )


def compute_older_alpha(corpus: Corpus, values: Values, _progress: object = None) -> OlderAlpha:
    """Return αU of each document of a corpus; it takes no time, and reports no progress."""
    check(values)
    units = np.bincount(corpus.annotator, minlength=len(corpus.annotators)).tolist()
    annotators = dict(zip(corpus.annotators, units, strict=True))
    return OlderAlpha(unitizing_alpha_2004(corpus), annotators, tuple(corpus.notes))
