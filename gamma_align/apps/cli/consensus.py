"""``gamma-align consensus``: one annotation of each document, from its annotators."""

from __future__ import annotations

import argparse

from gamma_align.api.consensus import consensus
from gamma_align.apps.cli._arguments import source_label
from gamma_align.apps.cli._corpus import read_corpus
from gamma_align.apps.cli._form_names import OPTION_NAMES
from gamma_align.apps.cli._messages import check_proofs, print_notes, write_stdout
from gamma_align.apps.cli._output import check_target, write_corpus
from gamma_align.insight.consensus import CONSENSUS_OPTIONS, Consensus
from gamma_align.measures.gamma import GammaSettings
from gamma_align.present import decisions_table, units_table
from gamma_align.present.consensus_text import consensus_text
from gamma_align.present.writers import csv_rows, csv_text, json_pieces
from gamma_align.requests import COMMAND_LINE, given, measure_settings, naming


def run(arguments: argparse.Namespace) -> int:
    """Compute the consensus, write it if requested, print the report, and return the exit code."""
    check_target(arguments, [arguments.distance_matrix, arguments.taxonomy, arguments.decisions], option="-o/--output")
    settings = GammaSettings.of(**measure_settings(vars(arguments)))
    corpus = read_corpus(arguments)
    print_notes(corpus.notes, quiet=arguments.quiet)
    with naming(source_label(arguments)):
        result = consensus(
            corpus,
            **given(vars(arguments), CONSENSUS_OPTIONS.options),
            dissimilarity=settings.dissimilarity,
            limits=settings.limits,
        )
        if arguments.output is not None:
            write_corpus(result.corpus, arguments)
    write_stdout(_render(result, arguments))
    print_notes([note for note in result.notes if note not in corpus.notes], quiet=arguments.quiet)
    return check_proofs(result.gaps, arguments.time_limit, len(corpus))


def _render(result: Consensus, arguments: argparse.Namespace) -> str:
    """Return the consensus in the requested form."""
    if arguments.json:
        return "".join(json_pieces(result.to_dict(), COMMAND_LINE))
    if arguments.decided:
        return csv_text(csv_rows(decisions_table(result)), is_safe=arguments.csv_safe)
    if arguments.csv or arguments.voted_out:
        table = units_table(result, result.voted_out if arguments.voted_out else result.units)
        return csv_text(csv_rows(table), is_safe=arguments.csv_safe)
    return consensus_text(result, arguments.rows, OPTION_NAMES)
