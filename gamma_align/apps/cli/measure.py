"""``gamma-align measure``: γ, γcat and γk of a corpus, and the unitizing family on request."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

import gamma_align as ga
from gamma_align.apps.cli import _pipeline
from gamma_align.apps.cli._corpus import read_corpus, read_in_parts
from gamma_align.apps.cli._engine import engine
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._gate import Values, check_gate, checks_of, gate, most_important
from gamma_align.apps.cli._measure import proofs, verdict
from gamma_align.apps.cli._messages import ExitCode, Progress, print_message
from gamma_align.apps.cli._pairs import PAIRWISE, propose_pairs, run_pairs
from gamma_align.columns import FloatArray
from gamma_align.data import DataFacts, counted, few, printable
from gamma_align.errors import Location, SettingsError
from gamma_align.inference import column_of
from gamma_align.insight.comparison import FAMILIES
from gamma_align.measures.gamma import DocumentResult, GammaResult
from gamma_align.measures.unitizing import ALPHA_2004, UnitizingValues
from gamma_align.present import (
    Listing,
    Table,
    gamma_tables,
    gamma_text,
    prefix_of,
    symbol_of,
    unitizing_tables,
    unitizing_text,
)
from gamma_align.reading import DataSet, Dependent, Marked, alphabets, dependents
from gamma_align.requests import (
    COMMAND_LINE,
    GAMMA,
    UNITIZING,
    MeasureResult,
    compute_measure,
    measure_settings,
    result_rows,
    units_by_annotator,
)

MAX_LISTED_ANNOTATORS = 8  # in the line that lists them
MANY_DOCUMENTS = 100
"""From this number of documents on, progress shows documents per second, and notes count documents without a value."""
MAX_PROBLEMS = 20  # shown of documents that are left out
MAX_UNITS_RATIO = 100
"""An annotator is reported if the median of the others is more than this number times their units per document."""
# Units that an annotator would have at the rate of the others: if it has none in place of 20, that is no accident.
_MIN_EXPECTED_UNITS = 20


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, and return the exit code."""
    measure_settings(vars(arguments))  # wrong settings are refused before data are read
    if ALPHA_2004 in arguments.coefficients:
        from gamma_align.apps.cli._older_alpha import run_older_alpha  # few runs need it

        return run_older_alpha(arguments)
    if arguments.pairs:
        check_gate(arguments, [PAIRWISE], "with --pairs it is pairwise-gamma")
        return run_pairs(arguments)
    listing = Listing(arguments.sort, arguments.worst)
    thresholds = [*arguments.fail_under, *arguments.fail_under_documents]
    measured = [name for name in thresholds if name.startswith(arguments.coefficients)]
    if arguments.plot is not None:
        from gamma_align.present.plots import check_plot

        # A plot that cannot be written is refused before the work.
        check_plot(arguments.plot)
    check_gate(arguments, measured, f"add --coefficients {','.join(FAMILIES)}")
    if arguments.work is not None and GAMMA not in arguments.coefficients:
        raise SettingsError("it stores the work on γ, which is not measured here", location=Location.for_option("work"))

    with engine(arguments):
        return _pipeline.run(
            arguments,
            lambda corpus, progress: _compute(corpus, arguments, progress),
            # This sampler draws units from other documents, so it needs all of them in memory.
            read=read_corpus if arguments.sampler == "documents" else read_in_parts,
            text=lambda results: _text(results, listing),
            csv=result_rows,
            forms=_pipeline.forms_of(lambda results: _tables(results, listing), _signatures) | {"cite": _citation},
            plot=_plot,
            verdict=lambda results: _verdict(results, arguments),
        )


def _compute(
    corpus: ga.Corpus | DataSet, arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> MeasureResult:
    """Return the results that the arguments request."""
    if isinstance(progress, Progress):
        n_documents = len(corpus) if isinstance(corpus, ga.Corpus) else corpus.n_documents
        progress.documents = n_documents if n_documents >= MANY_DOCUMENTS else 0
    if not arguments.quiet:
        for warning in annotator_warnings(corpus):
            print_message("warning", warning)
        if isinstance(corpus, ga.Corpus) and GAMMA in arguments.coefficients:
            propose_pairs(corpus)
    return compute_measure(corpus, vars(arguments), progress)


def annotators_text(units: Mapping[str, int]) -> str:
    """Return annotators with their numbers of units in a line; a long list shows only the most and the fewest units."""
    names = list(units) if len(units) <= MAX_LISTED_ANNOTATORS else sorted(units, key=lambda name: -units[name])
    words = [f"{printable(name)} {units[name]}" + " units" * (not index) for index, name in enumerate(names)]
    if len(words) > MAX_LISTED_ANNOTATORS:
        words = [*words[: MAX_LISTED_ANNOTATORS - 2], f"… ({len(words)} in all)", words[-1]]
    return f"annotators: {', '.join(words)}\n"


def _medians_without_each(values: FloatArray) -> FloatArray:
    """Return the median of all values but one, for each of them; 0 if it is the only one, shape (n,)."""
    n = len(values)
    if n == 1:
        return np.zeros(1)
    order = values.argsort()
    rank = order.argsort()
    ascending = values[order]
    medians: FloatArray = sum(ascending[at + (rank <= at)] for at in ((n - 2) // 2, (n - 1) // 2)) / 2.0
    return medians


def annotator_warnings(corpus: ga.Corpus | DataSet) -> Iterator[str]:
    """Yield warnings about annotators with hardly any units, dependent tiers, and annotators without common categories.

    Dependent tiers are found only if the corpus is in memory.
    """
    marked = units_by_annotator(corpus)
    yield from _rare_annotators(corpus.annotators, marked)
    tiers: Sequence[Dependent] = ()
    if isinstance(corpus, ga.Corpus):
        tiers = dependents(corpus.unit_document, corpus.annotator, corpus.category, corpus.start, corpus.end)
    for tier in tiers:
        name = corpus.annotators[tier.annotator]
        parent = corpus.annotators[tier.base]
        yield (
            f"annotator {name!r} looks like a tier that depends on {parent!r}: {tier.description}, and they share "
            "hardly a category; if so, choose tiers of rivals with --layers A,B (layers=), or annotators with "
            "--annotator A,B"
        )
    groups = alphabets(marked.annotator, marked.category)
    has_note = isinstance(corpus, ga.Corpus) and DataFacts.of(corpus).has_own_categories
    if len(groups) > 1 and not tiers and not has_note:
        names = [few((repr(corpus.annotators[code]) for code in group), 3) for group in groups]
        yield (
            f"annotators without a category in common: {few((f'({group})' for group in names), 3)}; map the categories "
            "of one group to the others' with --labels 'theirs=ours', else γcat compares nothing"
        )


def _rare_annotators(annotators: Sequence[str], marked: Marked) -> Iterator[str]:
    """Yield a warning if annotators have hardly any units."""
    rates = marked.units / np.maximum(marked.documents, 1)
    medians = _medians_without_each(rates)
    expected = medians * marked.documents
    rare = ((rates < medians / MAX_UNITS_RATIO) & (expected >= _MIN_EXPECTED_UNITS)).nonzero()[0]
    if not len(rare):
        return
    names = few((repr(annotators[code]) for code in rare.tolist()), 3)
    subject = f"annotator {names} has"
    cure = "if that is no annotator, leave it out"
    if len(rare) > 1:
        subject = f"annotators {names} have"
        cure = "leave out those that are no annotators"
    max_rate = rates[rare].max()
    limit = "at most " if len(rare) > 1 and max_rate > 0 else ""
    yield (
        f"{subject} less than a hundredth of the others' units, document by document: {limit}{max_rate:.3g} where "
        f"they have {medians[rare].min():.3g}; {cure} with --annotator, which names those to keep"
    )


def _text(results: MeasureResult, listing: Listing) -> str:
    texts = [gamma_text(results.gamma, listing, OPTION_NAMES)] if results.gamma else []
    texts += [unitizing_text(results.unitizing, listing, OPTION_NAMES)] if results.unitizing else []
    return "\n".join([annotators_text(results.annotators), *texts])


def _tables(results: MeasureResult, listing: Listing) -> Iterator[Table]:
    """Yield the tables of the results."""
    if results.gamma is not None:
        yield gamma_tables.corpus_table(results.gamma)
        yield gamma_tables.documents_table(results.gamma, listing)
    if results.unitizing is not None:
        yield unitizing_tables.corpus_table(results.unitizing)
        yield unitizing_tables.documents_table(results.unitizing, listing)


def _signatures(results: MeasureResult) -> list[str]:
    return [result.signature for result in results.measured]


def _plot(results: MeasureResult, path: Path) -> None:
    """Write a plot, or print a warning if there is nothing to plot."""
    from gamma_align.present.plots import save_documents

    try:
        save_documents(results.measured[0], path)
    except SettingsError as error:  # the result has the reason
        print_message("warning", f"argument --plot: {error.render(COMMAND_LINE)}")


def _citation(results: MeasureResult) -> str:
    """Return the references of the results."""
    from gamma_align.present.citation import citation

    return str(citation(*results.measured))


def _verdict(results: MeasureResult, arguments: argparse.Namespace) -> int:
    """Return the exit code: documents left out, thresholds, values and proofs; print the reasons."""
    measured = results.measured
    codes = [_left_out(measured[0].problems)]
    prefix = prefix_of(results.gamma.settings) if results.gamma is not None else ""
    values = dict(chain.from_iterable(_values(result, prefix).items() for result in measured))
    checks = [*checks_of(values, arguments)]
    if arguments.fail_under_documents:
        for result in measured:
            for document in result.documents:
                checks += checks_of(_values(document, prefix), arguments, document.document, document=True)
    codes.append(gate(checks, arguments, _signatures(results)))
    if results.gamma is not None and not arguments.quiet:
        for line in without_value(results.gamma):
            print_message("note", line)
    main = next(iter(values))
    if main in arguments.fail_under:  # the gate has printed an error if it is not available
        codes.append(proofs(results.gamma, arguments))
    else:
        codes.append(verdict(*values[main], results.gamma, arguments))
    return most_important(codes)


def without_value(result: GammaResult) -> Iterator[str]:
    """Yield the numbers of documents without γ and γcat by reason, if there are many documents."""
    total = len(result.documents)
    if total < MANY_DOCUMENTS:
        return
    for name in ("gamma", "gamma_cat"):
        symbol = symbol_of(name, prefix_of(result.settings))
        reasons = Counter(filter(None, column_of(column_of(result.documents, name), "reason")))
        if reasons:
            counts = ", ".join(f"{printable(reason)} ({count})" for reason, count in reasons.most_common())
            yield f"{symbol}: {reasons.total()} of {total} documents have no value: {counts}"


def _left_out(problems: Sequence[str]) -> int:
    """Print the problems of documents that are left out, and return the exit code."""
    for problem in problems[:MAX_PROBLEMS]:
        print_message("error", problem)
    if not problems:
        return ExitCode.FINE
    n_hidden = len(problems) - MAX_PROBLEMS
    hidden = f"{counted(n_hidden, 'more problem')}, which --json has; " if n_hidden > 0 else ""
    print_message("error", f"{hidden}documents with problems are left out of the result")
    return ExitCode.LEFT_OUT


def _values(measured: GammaResult | DocumentResult | UnitizingValues, prefix: str) -> Values:
    """Return the values of a corpus or document that can have a threshold; `prefix` precedes γ."""
    if isinstance(measured, UnitizingValues):
        named = {"": ("uα", measured.u), "-bar": ("|uα", measured.bar_u), "-c": ("cuα", measured.cu)}
        categories = measured.layers or measured.ku
        named |= {f"-k:{label}": (f"({label})uα", value) for label, value in categories.items()}
        return {f"{UNITIZING}{name}": value for name, value in named.items()}
    gamma, gamma_cat, gamma_k = (symbol_of(name, prefix) for name in ("gamma", "gamma_cat", "gamma_k"))
    values = {GAMMA: (gamma, measured.gamma), "gamma-cat": (gamma_cat, measured.gamma_cat)}
    return values | {f"gamma-k:{label}": (f"{gamma_k} {label}", value) for label, value in measured.gamma_k.items()}
