"""`GammaResults`: the best alignments of a continuum and of its samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gamma_align.compat.pygamma.alignment import Alignment
from gamma_align.compat.pygamma.dissimilarity import AbstractDissimilarity


@dataclass
class GammaResults:
    """The result of `Continuum.compute_gamma`, from which γ, γcat and γk are computed."""

    best_alignment: Alignment
    chance_alignments: Sequence[Alignment]
    dissimilarity: AbstractDissimilarity
    precision_level: float | None = None

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return len(self.chance_alignments)

    @property
    def alignments_nb(self) -> int:
        """The number of unitary alignments of the best alignment."""
        return len(self.best_alignment.unitary_alignments)

    @property
    def observed_disorder(self) -> float:
        """The disorder of the best alignment."""
        return self.best_alignment.disorder

    @property
    def expected_disorder(self) -> float:
        """The mean disorder of the samples."""
        return float(np.mean([alignment.disorder for alignment in self.chance_alignments]))

    @property
    def approx_gamma_range(self) -> tuple[float, float]:
        """γ if the expected disorder is too high or too low by the precision; ValueError without a precision."""
        if self.precision_level is None:
            raise ValueError("No precision level has been set, cannot compute the gamma boundaries")
        observed = self.observed_disorder
        expected = self.expected_disorder
        error = self.precision_level
        return 1 - observed / (expected * (1 - error)), 1 - observed / (expected * (1 + error))

    @property
    def gamma(self) -> float:
        """γ."""
        return 1 - self.observed_disorder / self.expected_disorder if self.observed_disorder else 1.0

    @property
    def gamma_cat(self) -> float:
        """γcat; 0 if no disorder is expected."""
        return self._categorial(None)

    def gamma_k(self, category: str) -> float:
        """Return γk of a category; 0 if no disorder is expected."""
        return self._categorial(category)

    def _categorial(self, category: str | None) -> float:
        """Return γk of a category, or γcat for None: 1 without observed disorder, else 0 without expected disorder."""
        observed = self.best_alignment.gamma_k_disorder(self.dissimilarity, category)
        if observed == 0:
            return 1.0
        disorders = [alignment.gamma_k_disorder(self.dissimilarity, category) for alignment in self.chance_alignments]
        expected = float(np.mean(disorders))
        return 1 - observed / expected if expected else 0.0
