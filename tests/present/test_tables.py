"""Tables are declared once: every writer renders the columns of the declaration."""

import csv
import io

import pytest
from places import CORPORA
from table_data import frame, records

import gamma_align as ga
from gamma_align.present import (
    comparison_tables,
    consensus_tables,
    disagreements_tables,
    evaluation_tables,
    families_tables,
    gamma_tables,
    unitizing_tables,
)
from gamma_align.present.items_tables import coefficients_table, with_aickin
from gamma_align.present.table import (
    Column,
    FormNames,
    Kind,
    Noted,
    Priority,
    Table,
    further,
    further_by_option,
    selected,
)
from gamma_align.present.writers.data import csv_rows, csv_text
from gamma_align.present.writers.paper import latex, markdown
from gamma_align.present.writers.text import table_lines

CORPUS = CORPORA / "pygamma" / "AlexPaulSuzan.csv"


@pytest.fixture(scope="module")
def result():
    return ga.gamma(CORPUS, samples=4)


def test_new_column_of_documents_is_in_the_levels_of_csv(result, monkeypatch):
    columns = gamma_tables.document_columns()
    new = Column("observed", Kind.NUMBER, content=lambda row: row.gamma.observed)
    monkeypatch.setattr(gamma_tables, "document_columns", lambda **_: [*columns, new])
    rows = list(csv.DictReader(io.StringIO(csv_text(csv_rows(gamma_tables.measure_table(result))))))
    assert [row["observed"] != "" for row in rows] == [row["category"] == "" for row in rows]
    assert "observed" in "\n".join(table_lines(gamma_tables.documents_table(result)))


def test_column_can_have_another_content_in_the_terminal():
    column = Column(
        "x", Kind.NUMBER, content=float, terminal_heading="", terminal_content=lambda x: Noted("NA", f"no {x}")
    )
    table = Table("t", "title", [column], [3, 4, 3])
    assert table_lines(table, indent="  ") == ["", "  NA (1)", "  NA (2)", "  NA (1)", "  (1) no 3", "  (2) no 4"]
    assert csv_text(csv_rows(table)) == "x\n3.0\n4.0\n3.0\n"
    assert "| 3.000 |" in markdown([table])


def test_coefficients_of_items_have_the_same_columns_in_csv_and_in_json():
    items = ga.item_agreement([["a", "a"], ["b", "b"], ["a", "b"]], coefficients=["kappa"])
    (record,) = records(coefficients_table(items))
    (value,) = items.to_dict()["coefficients"].values()
    assert record.items() <= value.items()
    assert csv_text(csv_rows(coefficients_table(items))).splitlines()[0].split(",") == list(record)


def test_aickin_is_a_row_of_the_coefficients():
    table = coefficients_table(ga.item_agreement([["a", "a"], ["b", "b"], ["a", "b"]], coefficients=["kappa"]))
    row = records(with_aickin(table, ga.Value(0.25)))[-1]
    assert {name: content for name, content in row.items() if content is not None} == {
        "name": "aickin",
        "symbol": "a",
        "value": 0.25,
    }


@pytest.mark.parametrize(
    ("narrow", "wide"), [(Priority.PAGE, Priority.PAPER), (Priority.PAPER, Priority.TERMINAL)], ids=["page", "paper"]
)
def test_wider_form_has_the_columns_of_a_narrower_one(result, narrow, wide):
    table = gamma_tables.documents_table(result)
    names = [column.name for column in table.columns_for(wide)]
    kept = [column.name for column in table.columns_for(narrow)]
    assert [name for name in names if name in kept] == kept
    assert len(kept) < len(names)


def test_a_frame_begins_with_values_and_intervals():
    frame = ga.gamma(CORPORA / "novels_ner", samples=2).to_frame()
    values = ["gamma", "gamma_low", "gamma_high", "gamma_cat", "gamma_cat_low", "gamma_cat_high"]
    assert [*frame.columns[:10]] == ["document", "annotators", "units", *values, "optimal"]
    assert len({*frame.columns}) == len(frame.columns)


@pytest.mark.parametrize("make", [ga.gamma, ga.unitizing_alpha], ids=["gamma", "unitizing"])
def test_frame_of_documents_has_the_columns_of_csv_and_the_content_of_json(make):
    measured = make(CORPORA / "novels_ner", **({"samples": 2} if make is ga.gamma else {}))
    tables = gamma_tables if make is ga.gamma else unitizing_tables
    table = tables.all_documents_table(measured)
    assert {*measured.to_frame().columns} == {*next(iter(csv_rows(table)))}
    for record, document in zip(records(table), measured.to_dict()["documents"], strict=True):
        assert record.items() <= document.items()


def test_lines_on_rows_left_out_use_the_words_of_the_surface():
    command_line = FormNames("--csv", "--json", "--rows N")
    assert further("more pairs", "json")(3)(FormNames()) == "… and 3 more pairs: JSON has them all"
    assert further("more pairs", "csv", "json")(3)(command_line) == "… and 3 more pairs: --csv and --json have them all"
    assert further_by_option(2)(command_line) == "… and 2 more: --rows N shows more, --json all"
    assert (
        selected(2, 5, "of the lowest γ", "json")(FormNames())
        == "… the 2 documents of the lowest γ; 3 left out (JSON has all)"
    )
    assert selected(5, 5, "of the lowest γ", "json") is None


def test_pairs_of_categories_have_one_column_in_papers_and_two_in_csv():
    result = ga.families(CORPUS, samples=2)
    table = families_tables.contributions_by_document(result)
    assert next(csv.reader(io.StringIO(csv_text(csv_rows(table)))))[:4] == ["level", "document", "first", "second"]
    heads = [column.head for column in families_tables.contributions_table(result).columns_for(Priority.PAPER)]
    assert heads == ["categories", "γcat", "cuα"]


def test_the_table_of_disagreements_has_the_columns_of_the_result():
    result = ga.disagreements(CORPUS, samples=2)
    assert frame(disagreements_tables.alignments_table(result)).equals(result.to_frame())


def test_the_table_of_a_consensus_has_its_annotator_and_the_columns_of_the_result():
    result = ga.consensus(CORPUS, name="gold")
    table = frame(consensus_tables.units_table(result, result.units))
    assert list(table.columns[:2]) == ["document", "annotator"]
    assert table.pop("annotator").unique().tolist() == ["gold"]
    assert table.equals(result.to_frame())


def test_the_table_of_a_comparison_has_the_differences_of_corpora_and_documents():
    corpus = ga.read(CORPORA / "novels_ner")
    groups = [corpus.select(annotators=["user1", name]) for name in ("user2", "user3")]
    result = ga.compare(*groups, samples=2, replicates=9)
    table = frame(comparison_tables.comparison_table(result))
    assert (table["level"] == "corpus").sum() == len(result.differences)
    by_document = table[table["level"] == "document"]
    assert by_document["difference"].tolist() == [row.difference for row in result.documents]
    assert by_document["difference_documents"].isna().all()


@pytest.mark.parametrize("form", [markdown, latex], ids=["markdown", "latex"])
def test_tables_without_rows_are_not_printed(form):
    result = ga.disagreements({"ann": [(0, 4, "x")], "bob": [(0, 4, "x")]}, samples=2)
    text = form(disagreements_tables.disagreements_tables(result))
    assert "Documents" in text
    assert "Kinds" not in text


@pytest.fixture(scope="module")
def evaluation():
    measures = "spans,gamma,unitizing-alpha,diarization"
    return ga.evaluate(CORPUS, reference="Paul", measures=measures, samples=4, cases=True)


def test_csv_of_an_evaluation_has_the_columns_of_its_data_frame(evaluation):
    rows = frame(evaluation_tables.evaluation_table(evaluation))
    systems = rows[rows["level"] == "system"].reset_index(drop=True)
    expected = evaluation.to_frame()
    assert systems[expected.columns].astype(expected.dtypes).equals(expected)
    assert len(rows) == len(systems) + sum(len(system.labels) for system in evaluation.systems)


def test_labels_of_a_system_end_with_all_units_and_the_mean(evaluation):
    system = evaluation.systems[0]
    table = evaluation_tables.system_labels_table(system, max_labels=2)
    *labels, total, mean = [row.split() for row in table_lines(table)[1:-1]]
    assert [row[0] for row in labels] == [label.category for label in system.labels[:2]]
    assert total[:3] == ["all", "6", "4"]
    assert total[-1] == f"{system.spans['strict'].f1.value:.4f}"
    assert mean[-1] == f"{system.macro['strict']['f1']:.4f}"
    assert table_lines(table)[-1] == f"… and {len(system.labels) - 2} more labels: JSON has them all"


def test_mean_and_pooled_f1_follow_the_first_pairs():
    result = ga.pairwise_f1(CORPUS)
    rows = [*evaluation_tables.pairwise_f1_table(result, max_pairs=1).rows]
    assert [row.level for row in rows] == ["pair", "mean", "pooled"]
    levels = [row["level"] for row in records(evaluation_tables.pairwise_f1_table(result))]
    assert levels == ["pair"] * 3 + ["mean", "pooled"]


def test_documents_are_listed_as_people_count():
    units = [(f"d{number}", who, 0, 4, "x") for number in (10, 2, 1) for who in ("ann", "bob")]
    rows = gamma_tables.documents_table(ga.gamma(units, samples=2)).rows
    assert [row.document for row in rows] == ["d1", "d2", "d10"]
