"""The citation of a result in a paper: a sentence with the numbers, the method, and BibTeX."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import chain
from typing import NamedTuple

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.checks import number_range
from gamma_align.data.json_types import Json
from gamma_align.data.wording import counted, decimal, printable
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result, Value, column_of
from gamma_align.insight.replacement.replacement_result import ModelResult, Replacement
from gamma_align.measures.gamma.gamma_result import GammaResult
from gamma_align.measures.items.items_result import ItemCoefficient, ItemResult
from gamma_align.measures.unitizing.unitizing_result import UnitizingResult
from gamma_align.present.bibliography import (
    GAMMA_PAPERS,
    ITEM_PAPERS,
    REPLACEMENT_PAPERS,
    SOFT_PAPERS,
    UNITIZING_PAPERS,
    bibtex,
)
from gamma_align.present.symbols import prefix_of
from gamma_align.version import __version__

_WEIGHT_NAMES = ("alpha", "beta", "delta_empty")
_SAMPLER_PHRASES = {
    "shift": "shifted by at least {} length of units",
    "documents": "of the units of other documents",
    "statistical": "of units drawn from normal distributions, as pygamma-agreement does",
}
_INTERVAL_LEVEL = 0.95  # of the intervals of γ and uα
_RESULTS_CURE = "pass results of gamma, unitizing_alpha, item_agreement or replaceable"


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
    document, shifted by at least the mean length of units, seed 0. Intervals: 95 %, jackknife over documents.
    """
    if not results:
        raise SettingsError("citation() takes one or more results, but there is none", _RESULTS_CURE)
    parts = [_describe(result) for result in results]
    source = f"gamma_align {__version__}, signature"
    sentences = [
        f"{part.numbers}; {source} {printable(result.signature)}" for result, part in zip(results, parts, strict=True)
    ]
    papers = chain.from_iterable(part.papers for part in parts)
    return Citation("\n".join(sentences), "\n".join(part.method for part in parts), bibtex(papers))


class _Parts(NamedTuple):
    """The numbers of a result in words, the method, and the papers to cite."""

    numbers: str
    method: str
    papers: Sequence[str]


@singledispatch
def _describe(result: object) -> _Parts:
    """Return the parts of the citation of a result; each measure registers its own function."""
    raise SettingsError(f"citation() takes no {type(result).__name__}", _RESULTS_CURE)


@_describe.register
def _describe_gamma(result: GammaResult) -> _Parts:
    settings = result.settings
    gammas = column_of(result.documents, "gamma")
    measured = np.flatnonzero(~np.isnan(np.array(column_of(gammas, "value"))))
    samples = np.array(column_of(result.documents, "samples"))[measured]
    precisions = np.array(column_of(gammas, "expected_precision"))[measured]
    annotators = np.array(column_of(result.documents, "annotators"))[measured].tolist()
    weights = ", ".join(f"{sign} = {settings[name]:g}" for sign, name in zip("αβΔ", _WEIGHT_NAMES, strict=True))
    # A single document has no variation between documents: its interval is that of the sampling.
    interval = settings["interval_corpus" if len(result.documents) > 1 else "interval_documents"]
    prefix = prefix_of(settings)
    cover = ", in which a unit may be in several unitary alignments (soft-γ: Titeux & Riad 2021)" if prefix else ""
    proven = "all" if result.optimal else "not all"
    method = (
        f"{prefix}γ and {prefix}γcat (Mathet, Widlöcher & Métivier 2015; Mathet 2017): alignments of least disorder"
        f"{cover}, {proven} proven optimal; dissimilarity {settings['dissimilarity']} with {weights}; "
        f"{_chance(samples, precisions, settings)}. Intervals: {interval.partition(';')[0]}."
    )
    numbers = _numbers({f"{prefix}γ": result.gamma, f"{prefix}γcat": result.gamma_cat}, _INTERVAL_LEVEL)
    return _Parts(f"{numbers}; {_documents(annotators)}", method, (*GAMMA_PAPERS, *(SOFT_PAPERS if prefix else ())))


def _chance(samples: IntArray, precisions: FloatArray, settings: Mapping[str, Json]) -> str:
    """Return how the expected disorders of documents with these numbers of samples were obtained."""
    min_distance = "half the mean" if settings["min_distance"] == "half" else "the mean"
    sampler = _SAMPLER_PHRASES[str(settings["sampler"])].format(min_distance)
    sampled = samples[samples > 0].tolist()
    drawn = f"{_in_words(number_range(sampled))} random samples a document, {sampler}, seed {settings['seed']}"
    if len(sampled) == len(samples):
        return f"disorder expected by chance from {drawn}"
    error = float(np.nan_to_num(precisions[samples == 0]).max())  # NaN: without disorder there is nothing to compute
    computed = f"with a numerical error of at most {error:.1%}" if error else "exactly"
    text = f"disorder expected by chance computed {computed} over all random positions, {sampler}, without sampling"
    return text + (f"; for {counted(len(sampled), 'document')} from {drawn}" if sampled else "")


@_describe.register
def _describe_unitizing(result: UnitizingResult) -> _Parts:
    annotators = [document.annotators for document in result.documents if document.u.is_available]
    # Layers have uα alone.
    values = {"uα": result.u} if result.layers else {"uα": result.u, "|uα": result.bar_u, "cuα": result.cu}
    unit = f", lengths in {printable(result.length_unit)}" if result.length_unit else ""
    layers = ", each category on a layer of its own" if result.layers else ""
    method = (
        f"{_and([*values])} (Krippendorff, Mathet, Bouvry & Widlöcher 2016): distance of categories "
        f"{result.settings['distance']['name']}{unit}{layers}. Intervals: {result.interval}."
    )
    return _Parts(f"{_numbers(values, _INTERVAL_LEVEL)}; {_documents(annotators)}", method, UNITIZING_PAPERS)


@_describe.register
def _describe_items(result: ItemResult) -> _Parts:
    settings, values = result.settings, result.coefficients.values()
    papers = [*chain.from_iterable(ITEM_PAPERS.get(value.symbol, ()) for value in values)]
    sizes = f"{counted(result.table['items'], 'item')}, {counted(result.table['coders'], 'coder')}"
    interval = f"{100 * settings['level']:g} %, {settings['interval']}" if settings["interval"] else "none"
    missing = _and([*dict.fromkeys(value.missing for value in values)])
    method = (
        f"{_and([value.symbol for value in values])}: distance of categories {settings['distance']['name']}, missing "
        f"judgments {missing}. Intervals: {interval}."
    )
    named = {value.symbol: value for value in values}
    return _Parts(f"{_numbers(named, settings['level'])}; {sizes}", method, papers)


@_describe.register
def _describe_replacement(result: Replacement) -> _Parts:
    settings, noun = result.settings, result.noun
    people = "1 person" if len(result.people) == 1 else f"{len(result.people)} people"
    max_instances = max((model.instances for model in result.models), default=0)
    sizes = f"{people}, {counted(max_instances, noun)}"
    models = "; ".join(map(_model_in_words, result.models))
    passing = f"{result.n_passing} of {result.n_calibrated} people pass in the model's place"
    calibration = passing if result.n_calibrated else "no calibration with people in the model's place"
    similarity = _SIMILARITY_PHRASES[str(settings["similarity"])]
    method = (
        f"Alternative annotator test (Calderon, Reichart & Dror 2025): each person is compared with the model by the "
        f"similarity of both to the other people ({similarity}), one-sided t-test with ε = {settings['epsilon']:g}, "
        f"false discovery rate {settings['rate']:g} (Benjamini & Yekutieli 2001). ω is the share of people whom the "
        f"model could replace, ρ the mean share of {noun}s that it does not lose to a person. Intervals: 95 %, over "
        f"{noun}s; ρ jackknife, people less near than the model bootstrap."
    )
    return _Parts(f"{models}; {sizes}; {calibration}", method, REPLACEMENT_PAPERS)


_SIMILARITY_PHRASES = {
    "disorder": "1 − Σδ/((|A| + |B|)Δ) of the alignment of least disorder",
    "strict": "F1 of units with the same bounds and label",
    "characters": "F1 of characters with their label",
    "1 - distance": "1 − the distance of their categories",
}


def _model_in_words(model: ModelResult) -> str:
    """Return "gpt: ω = 0.10 (fails), ρ = 0.76 (95 % interval 0.56 to 0.90), nearer than 29 of 29 people (…)"."""
    if not model.omega.is_available:
        return f"{printable(model.model)}: not available ({printable(model.omega.reason or '')})"
    verdict = "passes" if model.passes else "fails"
    standing = f"nearer to the people than {model.nearer_than} of {model.n_people} of them"
    if not math.isnan(model.standing.low):
        standing += f" (share {decimal(model.standing.low)} to {decimal(model.standing.high)})"
    numbers = _numbers({"ρ": model.rho}, _INTERVAL_LEVEL)
    return f"{printable(model.model)}: ω = {decimal(model.omega.value)} ({verdict}), {numbers}, {standing}"


def _documents(annotators: Sequence[int]) -> str:
    """Return the numbers of documents and of annotators in words; `annotators` has the number of each document."""
    number = number_range(annotators)
    noun = "annotator" if number == "1" else "annotators"
    suffix = " each" if len(annotators) > 1 else ""
    return f"{counted(len(annotators), 'document')}, {_in_words(number)} {noun}{suffix}"


def _numbers(values: Mapping[str, Value | ItemCoefficient], level: float) -> str:
    """Return "γ = 0.88 (95 % interval 0.83 to 0.91), γcat = 0.98 (0.97 to 0.98)"."""
    level_text = f"{100 * level:g} % interval "  # before the first interval only
    texts = []
    for name, value in values.items():
        if value.reason is not None:
            texts.append(f"{name} not available ({printable(value.reason)})")
            continue
        reason = value.no_interval if isinstance(value, Value) else value.error_reason
        interval = f" (no interval: {printable(reason)})" if reason else ""
        if not math.isnan(value.low):
            interval = f" ({level_text}{decimal(value.low)} to {decimal(value.high)})"
            level_text = ""
        texts.append(f"{name} = {decimal(value.value)}{interval}")
    return ", ".join(texts)


def _in_words(numbers: str) -> str:
    """Return a range of numbers in words: "3 to 7"."""
    return numbers.replace("-", " to ")


def _and(names: Sequence[str]) -> str:
    """Return names as a list in words: "α, β and γ"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
