"""Citations of results of uα, of coefficients on items, and of models in the place of people.

Each imports the module of its result, which a citation of γ does without.
"""

from __future__ import annotations

import math
from functools import singledispatch
from itertools import chain

from gamma_align.data import counted, decimal, printable
from gamma_align.errors import SettingsError
from gamma_align.insight.replacement import ModelResult, Replacement
from gamma_align.measures.items import ItemResult
from gamma_align.measures.unitizing import UnitizingResult
from gamma_align.present.bibliography import ITEM_PAPERS, REPLACEMENT_PAPERS, UNITIZING_PAPERS
from gamma_align.present.citation_words import (
    INTERVAL_LEVEL,
    RESULTS_CURE,
    CitationParts,
    documents_in_words,
    listed,
    numbers_in_words,
)


@singledispatch
def describe_other(result: object) -> CitationParts:
    """Return the parts of the citation of a result that is not γ; each measure registers its own function."""
    raise SettingsError(f"citation() takes no {type(result).__name__}", RESULTS_CURE)


@describe_other.register
def _describe_unitizing(result: UnitizingResult) -> CitationParts:
    annotators = [document.annotators for document in result.documents if document.u.is_available]
    # Layers have uα alone.
    values = {"uα": result.u} if result.layers else {"uα": result.u, "|uα": result.bar_u, "cuα": result.cu}
    unit = f", lengths in {printable(result.length_unit)}" if result.length_unit else ""
    layers = ", each category on a layer of its own" if result.layers else ""
    method = (
        f"{listed([*values])} (Krippendorff, Mathet, Bouvry & Widlöcher 2016): distance of categories "
        f"{result.settings['distance']['name']}{unit}{layers}. Intervals: {result.interval}."
    )
    return CitationParts(
        f"{numbers_in_words(values, INTERVAL_LEVEL)}; {documents_in_words(annotators)}", method, UNITIZING_PAPERS
    )


@describe_other.register
def _describe_items(result: ItemResult) -> CitationParts:
    settings = result.settings
    values = result.coefficients.values()
    papers = [*chain.from_iterable(ITEM_PAPERS.get(value.symbol, ()) for value in values)]
    sizes = f"{counted(result.table['items'], 'item')}, {counted(result.table['coders'], 'coder')}"
    interval = f"{100 * settings['level']:g} %, {settings['interval']}" if settings["interval"] else "none"
    missing = listed([*dict.fromkeys(value.missing for value in values)])
    method = (
        f"{listed([value.symbol for value in values])}: distance of categories {settings['distance']['name']}, missing "
        f"judgments {missing}. Intervals: {interval}."
    )
    named = {value.symbol: value for value in values}
    return CitationParts(f"{numbers_in_words(named, settings['level'])}; {sizes}", method, papers)


@describe_other.register
def _describe_replacement(result: Replacement) -> CitationParts:
    settings = result.settings
    noun = result.noun
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
    return CitationParts(f"{models}; {sizes}; {calibration}", method, REPLACEMENT_PAPERS)


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
    numbers = numbers_in_words({"ρ": model.rho}, INTERVAL_LEVEL)
    return f"{printable(model.model)}: ω = {decimal(model.omega.value)} ({verdict}), {numbers}, {standing}"
