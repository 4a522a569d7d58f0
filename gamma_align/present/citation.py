"""What a paper says of a result: the sentence with the numbers, how they were made, and the BibTeX of both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import NamedTuple

from gamma_align.data.checks import number_range
from gamma_align.data.wording import counted, decimal, printable
from gamma_align.errors import SettingsError
from gamma_align.inference.values import Result, Value
from gamma_align.measures.gamma.gamma_result import DocumentResult, GammaResult
from gamma_align.measures.items.items_result import ItemCoefficient, ItemResult
from gamma_align.measures.unitizing.unitizing_result import UnitizingDocument, UnitizingResult
from gamma_align.present.bibliography import ITEMS, UNITIZING, UNITS, bibtex
from gamma_align.version import __version__

_WEIGHTS = ("alpha", "beta", "delta_empty")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Citation(Result):
    """What a paper says of results; ``print`` shows all of it.

    Attributes
    ----------
    sentence : str
        The values of the whole corpus with their intervals, how much they rest on, version and signature: a line for
        each result.
    method : str
        How they were made, in a few sentences.
    bibtex : str
        Entries of the papers of the measures, and of this software.

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


def citation(*results: GammaResult | UnitizingResult | ItemResult) -> Citation:
    """Return what a paper says of the results of `gamma`, `unitizing_alpha` and `item_agreement`.

    Raises
    ------
    SettingsError
        For another kind of result, or none.

    Examples
    --------
    >>> units = [("d1", "ann", 0, 4, "x"), ("d1", "bob", 1, 5, "x"), ("d2", "ann", 2, 5, "y"), ("d2", "bob", 2, 6, "y")]
    >>> print(ga.citation(ga.gamma(units, samples=30)).method)
    γ and γcat (Mathet, Widlöcher & Métivier 2015; Mathet 2017): alignments of least disorder, all proven optimal;
    dissimilarity sporadic+nominal with α = 1, β = 1, Δ = 1; disorder expected by chance from 30 random samples a
    document, shifted by at least the mean length of units, seed 0. Intervals: 95 %, jackknife over documents.
    """
    if not results:
        raise SettingsError("citation() takes one result or more")
    parts = [_said_of(result) for result in results]
    source = f"gamma_align {__version__}, signature"
    return Citation(
        "\n".join(
            f"{said.numbers}; {source} {printable(each.signature)}" for each, said in zip(results, parts, strict=True)
        ),
        "\n".join(said.method for said in parts),
        bibtex(key for said in parts for key in said.papers),
    )


class _Parts(NamedTuple):
    """The numbers of a result, how they were made, and the papers to cite."""

    numbers: str
    method: str
    papers: Sequence[str]


@singledispatch
def _said_of(result: object) -> _Parts:
    raise SettingsError(
        f"citation() takes results of gamma, unitizing_alpha and item_agreement, not {type(result).__name__}"
    )


@_said_of.register
def _of_gamma(result: GammaResult) -> _Parts:
    settings = result.settings
    measured = [document for document in result.documents if document.gamma.is_available]
    weights = ", ".join(f"{sign} = {settings[name]:g}" for sign, name in zip("αβΔ", _WEIGHTS, strict=True))
    samples = number_range([document.samples for document in measured])
    least = "half the mean" if settings["min_distance"] == "half" else "the mean"
    made = {
        "shift": f"shifted by at least {least} length of units",
        "documents": "of the units of other documents",
        "statistical": "of units drawn from normal distributions, as pygamma-agreement does",
    }[settings["sampler"]]
    interval = settings["interval_corpus" if len(result.documents) > 1 else "interval_documents"]
    method = (
        f"γ and γcat (Mathet, Widlöcher & Métivier 2015; Mathet 2017): alignments of least disorder, "
        f"{'all' if result.optimal else 'not all'} proven optimal; dissimilarity {settings['dissimilarity']} with "
        f"{weights}; disorder expected by chance from {_in_words(samples)} random samples a document, {made}, "
        f"seed {settings['seed']}. Intervals: {interval.partition(';')[0]}."
    )
    numbers = _numbers({"γ": result.gamma, "γcat": result.gamma_cat}, 0.95)
    return _Parts(f"{numbers}; {_documents(measured)}", method, UNITS)


@_said_of.register
def _of_unitizing(result: UnitizingResult) -> _Parts:
    measured = [document for document in result.documents if document.u.is_available]
    values = {"uα": result.u} if result.layers else {"uα": result.u, "|uα": result.bar_u, "cuα": result.cu}
    unit = f", lengths in {printable(result.length_unit)}" if result.length_unit else ""
    layers = ", each category on a layer of its own" if result.layers else ""
    method = (
        f"{_and([*values])} (Krippendorff, Mathet, Bouvry & Widlöcher 2016): distance of categories "
        f"{result.settings['distance']['name']}{unit}{layers}. Intervals: {result.interval}."
    )
    return _Parts(f"{_numbers(values, 0.95)}; {_documents(measured)}", method, UNITIZING)


@_said_of.register
def _of_items(result: ItemResult) -> _Parts:
    settings, values = result.settings, result.coefficients.values()
    papers = [key for value in values for key in ITEMS.get(value.symbol, ())]
    sizes = f"{counted(result.table['items'], 'item')}, {counted(result.table['coders'], 'coder')}"
    interval = f"{100 * settings['level']:g} %, {settings['interval']}" if settings["interval"] else "none"
    missing = _and([*dict.fromkeys(value.missing for value in values)])
    method = (
        f"{_and([value.symbol for value in values])}: distance of categories {settings['distance']['name']}, missing "
        f"judgments {missing}. Intervals: {interval}."
    )
    named = {value.symbol: value for value in values}
    return _Parts(f"{_numbers(named, settings['level'])}; {sizes}", method, papers)


def _documents(documents: Sequence[DocumentResult] | Sequence[UnitizingDocument]) -> str:
    """Return how many documents have a value, and how many annotators."""
    annotators = number_range([document.annotators for document in documents])
    noun = "annotator" if annotators == "1" else "annotators"
    each = " each" if len(documents) > 1 else ""
    return f"{counted(len(documents), 'document')}, {_in_words(annotators)} {noun}{each}"


def _numbers(values: Mapping[str, Value | ItemCoefficient], level: float) -> str:
    """Return "γ = 0.88 (95 % interval 0.83 to 0.91), γcat = 0.98 (0.97 to 0.98)"."""
    before = f"{100 * level:g} % interval "
    words = []
    for name, value in values.items():
        if value.reason is not None:
            words.append(f"{name} not available ({printable(value.reason)})")
            continue
        missing = value.no_interval if isinstance(value, Value) else value.error_reason
        bounds = f"no interval: {printable(missing)}" if missing else ""
        if not math.isnan(value.low):
            bounds, before = f"{before}{decimal(value.low)} to {decimal(value.high)}", ""
        words.append(f"{name} = {decimal(value.value)}" + (f" ({bounds})" if bounds else ""))
    return ", ".join(words)


def _in_words(numbers: str) -> str:
    """Return a range of numbers as a sentence has it: "3 to 7"."""
    return numbers.replace("-", " to ")


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
