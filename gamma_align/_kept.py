"""γ of data that are read, with the work kept in a folder on request: what `gamma` and ``measure`` share.

Apart from `_api`, so that measuring γ waits for no other measure to be imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Unpack

from gamma_align.data.corpus import Corpus
from gamma_align.data.parts import Parts
from gamma_align.gammas.coefficients import GammaResult
from gamma_align.gammas.gamma import gamma_of
from gamma_align.gammas.keywords import GammaOptions
from gamma_align.gammas.part_work import Store
from gamma_align.gammas.settings import GammaSettings
from gamma_align.io.work_folder import kept_work


def gamma(
    data: Corpus | Parts,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    work: str | os.PathLike[str] | Store | None = None,
    **settings: Unpack[GammaOptions],
) -> GammaResult:
    """Return γ of the data; see `gamma_align.gamma`."""
    options = GammaSettings.of(**settings)
    with kept_work(work, data, options) as store:
        return gamma_of(data, options, n_jobs=n_jobs, progress=progress, work=store)
