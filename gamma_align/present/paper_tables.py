"""The tables of results for papers, which `markup` writes as Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gamma_align.data.wording import counted, label_text
from gamma_align.inference.values import Value
from gamma_align.insight.comparison.differences import Paired
from gamma_align.insight.comparison.families import Families
from gamma_align.insight.disagreements.disagreements import Disagreements
from gamma_align.measures.items.items_result import ItemResult
from gamma_align.measures.reference.evaluate import Evaluation, SystemScore
from gamma_align.measures.reference.pairwise_f1 import PAIRED, PairwiseF1
from gamma_align.measures.reference.reference_options import MATCHES
from gamma_align.measures.reference.segmentation import VALUES
from gamma_align.present import comparison_tables as comparison
from gamma_align.present import disagreements_tables as disagreements
from gamma_align.present import families_tables as families
from gamma_align.present import gamma_tables, unitizing_tables
from gamma_align.present.evaluation_text import AGREEMENTS, SEGMENTATION
from gamma_align.present.table import Cell, Table, table_of_cells

_INTERVAL = "95 % interval"


def families_tables(result: Families) -> Iterator[Table]:
    """Yield both families by document, those of the corpus, and what pairs of categories contribute."""
    yield families.documents_table(result)
    yield gamma_tables.corpus_table(result.gamma)
    yield unitizing_tables.corpus_table(result.unitizing)
    yield families.contributions_table(result)


def paired_tables(result: Paired, documents: int) -> Iterator[Table]:
    """Yield the differences of two corpora, and of each coefficient the documents that differ most."""
    yield comparison.values_table(result, p_align="left")
    for table, _ in comparison.documents_tables(result, documents):
        yield table


def _alone(value: Value) -> Value:
    """Return a value without its interval."""
    return Value(value.value, reason=value.reason)


def _label(label: str | None) -> str:
    return "(none)" if label is None else label_text(label)


def item_tables(result: ItemResult) -> Iterator[Table]:
    """Yield the coefficients."""
    level = result.settings["level"]
    sizes = f"{counted(result.table['items'], 'item')}, {counted(result.table['coders'], 'coder')}"
    interval = f", {100 * level:g} % interval" if result.settings["interval"] else ""
    rows: list[list[Cell]] = [
        [row.symbol, Value(row.value, row.low, row.high, row.reason, row.error_reason), row.observed, row.expected]
        for row in result.coefficients.values()
    ]
    yield table_of_cells(f"Agreement on {sizes}{interval}", ["coefficient", "value", "D_o", "D_e"], rows)


def evaluation_tables(result: Evaluation) -> Iterator[Table]:
    """Yield precision, recall and F1 of each system, its other F1 and agreement, its labels, and what was asked for."""
    systems, title = result.systems, f"against {result.reference}"
    strict = [(row.system, row.spans["strict"]) for row in systems if row.spans]
    scores: list[list[Cell]] = [[name, score.precision, score.recall, score.f1] for name, score in strict]
    yield table_of_cells(
        f"Units with the same bounds and label, {title}", ["system", "precision", "recall", "F1"], scores
    )
    matches = MATCHES if systems[0].spans else ()
    agreements = systems[0].agreement
    others: list[list[Cell]] = [
        [row.system, *(_alone(row.spans[name].f1) for name in matches), *map(_alone, row.agreement.values())]
        for row in systems
    ]
    head = ["system", *matches, *(AGREEMENTS[name] for name in agreements)]
    yield table_of_cells(f"F1 by what counts as found, and agreement, {title}", head, others if len(head) > 1 else [])
    labels = [row for system in systems for row in _labels(system)]
    head = ["system", "category", "units", "reference", "precision", "recall", "F1"]
    yield table_of_cells(f"Units by category, {title}", head, labels)
    segments = [(row.system, row.segmentation) for row in systems if row.segmentation is not None]
    rows: list[list[Cell]] = [[name, *(getattr(score, value) for value in VALUES)] for name, score in segments]
    yield table_of_cells(f"Segmentation, {title}", ["system", *SEGMENTATION.values()], rows)
    speech = [(row.system, row.diarization) for row in systems if row.diarization is not None]
    times: list[list[Cell]] = [
        [name, score.der, score.jer, score.false_alarm, score.missed, score.confusion, score.total]
        for name, score in speech
    ]
    head = ["system", "DER", "JER", "false alarm", "missed", "confusion", "total"]
    yield table_of_cells(f"Diarization, {title}", head, times)


def _labels(system: SystemScore) -> Iterator[list[Cell]]:
    for row in system.labels:
        score = row.spans["strict"]
        values = map(_alone, (score.precision, score.recall, score.f1))
        yield [system.system, _label(row.category), row.units, row.reference_units, *values]


def pairwise_f1_tables(result: PairwiseF1) -> Iterator[Table]:
    """Yield the pairs of annotators, their mean, and all pooled."""
    pairs: list[list[Cell]] = [[row.first, row.second, row.documents, *_f1(row.f1)] for row in result.pairs]
    pairs += [["mean of pairs", "", None, *_f1(result.mean)], ["pooled", "", None, *_f1(result.pooled)]]
    yield table_of_cells("F1 of pairs of annotators", ["first", "second", "documents", *PAIRED], pairs)


def _f1(values: Mapping[str, Value]) -> list[Value]:
    return [_alone(values[name]) for name in PAIRED]


def disagreements_tables(result: Disagreements, rows: int) -> Iterator[Table]:
    """Yield at most `rows` rows of each table of disagreements, the worst first."""
    for table in disagreements.disagreements_tables(result):
        yield table.first(rows, lambda left_out: lambda _: f"… and {left_out} more")
