"""The request ``look``: the first look at a corpus or a table of items; of a crowd, pairs before all together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gamma_align.data import Corpus, ItemTable
from gamma_align.insight.look import Look, is_crowd
from gamma_align.insight.look.look import look
from gamma_align.requests.distances import measure_settings
from gamma_align.requests.settings import Values


def compute_look(
    data: Corpus | ItemTable,
    values: Values,
    progress: Callable[[int, int], None],
    show_pairs: Callable[[Look], None] = lambda _: None,
) -> Look:
    """Return the look at data; `show_pairs` gets that at pairs of a crowd before all are aligned together."""
    settings = measure_settings(values)
    if isinstance(data, ItemTable):
        settings = {"distance": settings["distance"]}
    asked = {"n_jobs": values["jobs"], "progress": progress, **settings}
    first = look(data, model=values["model"] or (), **asked)
    if isinstance(data, ItemTable):
        return first
    people = data.drop(annotators=[row.model for row in first.models])
    if not is_crowd(people):
        return first
    show_pairs(first)
    together = look(people, together=True, **asked)
    return replace(
        together,
        verdict=(*first.verdict, *together.verdict),
        values=(*first.values, *together.values),
        models=first.models,
        notes=tuple(dict.fromkeys([*together.notes, *first.notes])),
    )
