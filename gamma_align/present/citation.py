"""The citation of a result in a paper: a sentence with the numbers, the method, and BibTeX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data import Json, counted, number_range, printable
from gamma_align.errors import SettingsError
from gamma_align.inference import Result, column_of
from gamma_align.measures.gamma import WITHOUT_ERROR, GammaResult
from gamma_align.present.bibliography import GAMMA_PAPERS, SOFT_PAPERS, bibtex
from gamma_align.present.citation_words import (
    INTERVAL_LEVEL,
    RESULTS_CURE,
    CitationParts,
    documents_in_words,
    numbers_in_words,
    range_in_words,
)
from gamma_align.present.symbols import prefix_of
from gamma_align.version import __version__

if TYPE_CHECKING:
    from gamma_align.insight.replacement import Replacement
    from gamma_align.measures.items import ItemResult
    from gamma_align.measures.unitizing import UnitizingResult

_WEIGHT_NAMES = ("alpha", "beta", "delta_empty")
_SAMPLER_PHRASES = {
    "shift": "shifted by at least {} length of units",
    "documents": "of the units of other documents",
    "statistical": "of units drawn from normal distributions, as pygamma-agreement does",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Citation(Result):
    """The text that a paper needs to report results; ``print`` shows all of it.

    Attributes
    ----------
    sentence : str
        The values of the corpus with their intervals, the size of the data, version and signature: one line for each
        result.
    method : str
        The method in a few sentences.
    bibtex : str
        Entries of the papers that define the measures, and of this software.

    Examples
    --------
    >>> items = ga.ItemTable.from_matrix([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    >>> citation = ga.citation(ga.item_agreement(items, coefficients=["alpha"]))
    >>> citation.sentence.split("; ")[:2]
    ['α = 0.53 (95 % interval −0.80 to 0.98)', '4 items, 2 coders']
    """

    sentence: str
    method: str
    bibtex: str

    def __str__(self) -> str:
        return f"{self.sentence}\n\n{self.method}\n\n{self.bibtex}"


def citation(*results: GammaResult | UnitizingResult | ItemResult | Replacement) -> Citation:
    """Return the text with which a paper reports results: values, method and papers to cite.

    Parameters
    ----------
    *results
        Results of `gamma`, `unitizing_alpha`, `item_agreement` and `replaceable`.

    Raises
    ------
    SettingsError
        If there is no result or a result of another function.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "y")]
    >>> print(ga.citation(ga.gamma(units, samples=30)).method)
    γ and γcat (Mathet, Widlöcher & Métivier 2015; Mathet 2017): alignments of least disorder, all proven optimal;
    dissimilarity sporadic+nominal with α = 1, β = 1, Δ = 1; disorder expected by chance from 30 random samples a
    document, shifted by at least the mean length of units, seed 0. Intervals: 95 %, jackknife over documents, Student's
    t on √(1 - value).
    """
    if not results:
        raise SettingsError("citation() takes one or more results, but there is none", RESULTS_CURE)
    parts = [_describe(result) for result in results]
    source = f"gamma_align {__version__}, signature"
    sentences = [
        f"{part.numbers}; {source} {printable(result.signature)}" for result, part in zip(results, parts, strict=True)
    ]
    papers = chain.from_iterable(part.papers for part in parts)
    return Citation("\n".join(sentences), "\n".join(part.method for part in parts), bibtex(papers))


def _describe(result: GammaResult | UnitizingResult | ItemResult | Replacement) -> CitationParts:
    if isinstance(result, GammaResult):
        return _describe_gamma(result)
    from gamma_align.present.other_citations import describe_other  # the report of γ does without the other results

    return describe_other(result)


def _describe_gamma(result: GammaResult) -> CitationParts:
    settings = result.settings
    gammas = column_of(result.documents, "gamma")
    measured = np.flatnonzero(~np.isnan(np.array(column_of(gammas, "value"))))
    samples = np.array(column_of(result.documents, "samples"))[measured]
    precisions = np.array(column_of(gammas, "expected_precision"))[measured]
    annotators = np.array(column_of(result.documents, "annotators"))[measured].tolist()
    weights = ", ".join(f"{sign} = {settings[name]:g}" for sign, name in zip("αβΔ", _WEIGHT_NAMES, strict=True))
    # A single document has no variation between documents: its interval is that of the sampling.
    interval = settings["interval_corpus" if len(result.documents) > 1 else "interval_documents"].partition(";")[0]
    if result.gamma.no_interval in WITHOUT_ERROR:
        interval = f"none ({result.gamma.no_interval})"
    prefix = prefix_of(settings)
    cover = ", in which a unit may be in several unitary alignments (soft-γ: Titeux & Riad 2021)" if prefix else ""
    proven = "all" if result.optimal else "not all"
    method = (
        f"{prefix}γ and {prefix}γcat (Mathet, Widlöcher & Métivier 2015; Mathet 2017): alignments of least disorder"
        f"{cover}, {proven} proven optimal; dissimilarity {settings['dissimilarity']} with {weights}; "
        f"{_chance(samples, precisions, settings)}. Intervals: {interval}."
    )
    numbers = numbers_in_words({f"{prefix}γ": result.gamma, f"{prefix}γcat": result.gamma_cat}, INTERVAL_LEVEL)
    return CitationParts(
        f"{numbers}; {documents_in_words(annotators)}", method, (*GAMMA_PAPERS, *(SOFT_PAPERS if prefix else ()))
    )


def _chance(samples: IntArray, precisions: FloatArray, settings: Mapping[str, Json]) -> str:
    """Return how the expected disorders of documents with these numbers of samples were obtained."""
    min_distance = "half the mean" if settings["min_distance"] == "half" else "the mean"
    sampler = _SAMPLER_PHRASES[str(settings["sampler"])].format(min_distance)
    sampled = samples[samples > 0].tolist()
    drawn = f"{range_in_words(number_range(sampled))} random samples a document, {sampler}, seed {settings['seed']}"
    if len(sampled) == len(samples):
        return f"disorder expected by chance from {drawn}"
    error = float(np.nan_to_num(precisions[samples == 0]).max())  # NaN: without disorder there is nothing to compute
    computed = f"with a numerical error of at most {error:.1%}" if error else "exactly"
    text = f"disorder expected by chance computed {computed} over all random positions, {sampler}, without sampling"
    return text + (f"; for {counted(len(sampled), 'document')} from {drawn}" if sampled else "")
