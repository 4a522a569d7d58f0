"""The consensus of annotators, of units in any form, with decisions that may be in a file."""

from __future__ import annotations

import os
from typing import Unpack

from gamma_align.api.sources import CORPUS, corpus_of
from gamma_align.data import Source
from gamma_align.insight.consensus import Consensus, ConsensusOptions, Decisions
from gamma_align.insight.consensus import consensus as _consensus


@CORPUS.described(_consensus.consensus)
def consensus(  # noqa: D103  (it has that of the other)
    source: Source,
    /,
    *,
    decisions: Decisions | str | os.PathLike[str] | None = None,
    **settings: Unpack[ConsensusOptions],
) -> Consensus:
    if isinstance(decisions, (str, os.PathLike)):
        from gamma_align.reading import read_decisions

        decisions = read_decisions(decisions)
    return _consensus.consensus(corpus_of(source, "consensus"), decisions=decisions, **settings)
