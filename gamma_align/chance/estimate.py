"""What every source returns: expected disorders with their errors, whether computed or estimated from samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from gamma_align.columns import CodeArray, Columns, FloatArray
from gamma_align.inference import Estimates

ESTIMATED, IMPOSSIBLE, CONSTANT, COMPUTED = range(4)
"""Kinds of δ_e: estimated from samples; impossible, as no two units can overlap; constant, so that no sample is needed;
computed without samples (`computed_chance`)."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimate(Columns):
    """Expected disorders of documents, or of categories of documents, shape (n,) each.

    Attributes
    ----------
    mean : ndarray of float64
        δ_e; NaN if it is not known.
    error, freedom, skewness : ndarray of float64
        Standard error of the mean over samples, its degrees of freedom, and its skewness.
    deviation : ndarray of float64
        Standard deviation (n - 1) of the samples.
    kind : ndarray
        `ESTIMATED`, `IMPOSSIBLE`, `CONSTANT` or `COMPUTED`.
    samples, controls : ndarray
        Number of samples that have the disorder, and of points from which the expectation of a control is estimated.
    bracket : ndarray of float64
        Upper limit of the amount by which the mean is too large because alignments of samples are not proven optimal.
    prior : ndarray of float64
        Variance of a sample before it is drawn (see `categorial`); 0 for γ.
    numerical_error : ndarray of float64
        Numerical error of a computed δ_e; 0 if the sum is exact, or if δ_e is estimated.
    """

    mean: FloatArray
    error: FloatArray
    freedom: FloatArray
    skewness: FloatArray
    deviation: FloatArray
    kind: CodeArray
    samples: CodeArray
    controls: CodeArray
    bracket: FloatArray
    prior: FloatArray
    numerical_error: FloatArray

    @classmethod
    def computed(cls, mean: FloatArray, numerical_error: FloatArray) -> Self:
        """Return computed disorders. If one is missing although the sum is exact, units cannot overlap."""
        is_impossible = np.isnan(mean) & (numerical_error == 0)
        return cls.blank(
            len(mean),
            mean=mean,
            freedom=np.full(len(mean), np.inf),
            numerical_error=np.fmax(numerical_error, 0.0),  # 0 if it is NaN
            kind=np.where(is_impossible, IMPOSSIBLE, COMPUTED),
        )

    @classmethod
    def of_samples(cls, means: Estimates, bracket: FloatArray) -> Self:
        """Return means over samples, which may be too large by the bracket."""
        return cls.blank(len(means), bracket=bracket, **means.columns())
