"""Rows of documents made in one place and pooled in another: those of all parts of a corpus give its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gamma_align.data.corpus import Corpus
from gamma_align.errors import SettingsError
from gamma_align.gammas.coefficients import GammaResult
from gamma_align.gammas.gamma import result_of
from gamma_align.gammas.measure import run
from gamma_align.gammas.other_samplers import DOCUMENTS
from gamma_align.gammas.rows import GammaRows
from gamma_align.gammas.settings import GammaSettings
from gamma_align.results.frames import check_poolable


def gamma_rows(corpus: Corpus, settings: GammaSettings, *, n_jobs: int | None = None) -> GammaRows:
    """Return the rows of a corpus, or of a part of one: each depends on its own document alone."""
    if settings.sampler == DOCUMENTS:
        raise SettingsError(
            "samples are made of the units of other documents, so rows of a part are not those of the whole; use "
            "sampler='shift'"
        )
    rule = settings.rule
    if rule.samples is None and rule.of == "corpus":
        raise SettingsError(
            "how many samples a document has depends on the whole corpus where the precision is that of its values, so "
            "rows of a part are not those of the whole: ask for a number with samples=N, or for the precision of every "
            "document with precision_of='documents'"
        )
    return replace(run(corpus, settings, n_jobs=n_jobs), made_with=settings.fingerprint)


def pooled_gamma(parts: Sequence[GammaRows], settings: GammaSettings) -> GammaResult:
    """Return the result that rows give together, whatever parts they come in."""
    check_poolable(parts, settings.fingerprint)
    categories = tuple(sorted({label for part in parts for label in part.labels}))
    rows = GammaRows.joined([_recoded(part, categories) for part in parts])
    order = sorted(range(len(rows)), key=rows.documents.__getitem__)
    return result_of(rows.take(np.array(order, dtype=np.int64)), settings)


def _recoded(rows: GammaRows, categories: tuple[str, ...]) -> GammaRows:
    """Return rows whose categories are among these, all of them sorted."""
    code = {label: index for index, label in enumerate(categories)}
    codes = np.array([code.get(label, -1) for label in rows.categories], dtype=np.int64)
    return replace(rows, categories=categories, category_k=codes[rows.category_k])
