"""Comparison of two corpora or tables of items: exchanges, intervals, golden values, refusals, and the command."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import re

import numpy as np
import oracles_intervals
import pytest
import scipy.stats
from command_line import run
from scipy.sparse import csr_matrix

import gamma_align as ga
from gamma_align.distances import Nominal
from gamma_align.inference import exchanges
from gamma_align.inference.exchanges import exchange
from gamma_align.insight.comparison.pools import GammaPool, UnitizingPool
from gamma_align.measures.gamma import measure
from gamma_align.measures.gamma.corpus_values import corpus_values
from gamma_align.measures.gamma.gamma_result import Documents
from gamma_align.measures.gamma.gamma_rows import GammaRows
from gamma_align.measures.gamma.gamma_settings import GammaSettings

SAMPLES = 6
SETTINGS = GammaSettings.of(samples=SAMPLES)


def make_annotations(documents, magnitude, seed, *, annotators=2):
    """Return annotators of synthetic documents; the same references for each seed of errors."""
    reference = [
        ga.synthetic_reference(units=9 + number % 3, categories={"A": 2, "B": 1}, seed=number, document=f"d{number}")
        for number in range(documents)
    ]
    kinds = ("shift", "false-negative", "category")
    return ga.shuffle(
        ga.Corpus.from_continua(reference),
        magnitude=magnitude,
        kinds=kinds,
        annotators=annotators,
        seed=seed,
        overlaps="cut",
    )


FIRST, SECOND = make_annotations(7, 0.2, 1), make_annotations(7, 0.4, 2)
ROWS = [measure.run(corpus, SETTINGS) for corpus in (FIRST, SECOND)]
POOL = GammaPool.of(*ROWS)
FULL_NAMES = [0, 1, 2]  # γ, γcat and γk of A: every document counts
assert POOL.counted[:, FULL_NAMES].all()
RESULT = ga.compare(FIRST, SECOND, measure=("gamma", "unitizing-alpha"), samples=SAMPLES, replicates=999)


def pooled_values(rows):
    """Return γ, γcat and γk of a corpus with these rows."""
    gamma, cat, of_k = corpus_values(Documents(rows))
    return [gamma.value, cat.value, of_k["A"].value]


def repeat_documents(corpus, times):
    """Return a corpus with so many copies of each document, under different names."""
    parts = [
        corpus.select(documents=name).rename(documents={name: f"{name} {copy}"})
        for name, count in zip(corpus.documents, times, strict=True)
        for copy in range(count)
    ]
    result = parts[0]
    for part in parts[1:]:
        result = result.merge(part)
    return result


TIMES = (2, 0, 1, 3, 0, 0, 1)
WEIGHTS, ZEROS = csr_matrix(np.array([TIMES], dtype=float)), csr_matrix((1, 7))


def test_gamma_of_a_resample_equals_gamma_of_its_documents():
    for rows, weights in ((ROWS[0], (WEIGHTS, ZEROS)), (ROWS[1], (ZEROS, WEIGHTS))):
        repeated = rows.take(np.repeat(np.arange(7), TIMES))
        assert POOL.values(*weights)[0, FULL_NAMES] == pytest.approx(pooled_values(repeated), abs=1e-12)


@pytest.mark.parametrize("layers", [False, True])
def test_the_unitizing_family_of_a_resample_equals_the_family_of_its_documents(layers):
    pool = UnitizingPool.of(FIRST, SECOND, Nominal(), layers=layers)
    for corpus, weights in ((FIRST, (WEIGHTS, ZEROS)), (SECOND, (ZEROS, WEIGHTS))):
        expected = ga.unitizing_alpha(repeat_documents(corpus, TIMES), overlap="layers" if layers else "refuse")
        for name, value in zip(pool.names, pool.values(*weights)[0].tolist(), strict=True):
            value_of_family = getattr(expected, name.coefficient)
            value_of_family = value_of_family if name.category is None else value_of_family[name.category]
            assert value == pytest.approx(value_of_family.value, abs=1e-12)
        assert {name.category for name in pool.names} == {None, "A", "B"}


def test_values_equal_the_results_of_each_measure():
    for name, corpus in (("first", FIRST), ("second", SECOND)):
        gamma, alpha = ga.gamma(corpus, samples=SAMPLES), ga.unitizing_alpha(corpus)
        expected = {("gamma", None): gamma.gamma, ("gamma_cat", None): gamma.gamma_cat, ("u", None): alpha.u}
        expected |= {("gamma_k", label): value for label, value in gamma.gamma_k.items()}
        expected |= {("bar_u", None): alpha.bar_u, ("cu", None): alpha.cu}
        expected |= {("ku", label): value for label, value in alpha.ku.items()}
        complete = [row for row in RESULT.differences if row.documents == 7]
        assert len(complete) > 6
        values = {(row.coefficient, row.category): getattr(row, name) for row in complete}
        assert values == pytest.approx({key: expected[key].value for key in values})
    assert all(row.value == row.second - row.first for row in RESULT.differences)


def test_few_documents_are_exchanged_in_all_ways():
    estimate = np.subtract(pooled_values(ROWS[0]), pooled_values(ROWS[1]))
    differences = []
    for is_exchanged in itertools.product([0, 1], repeat=7):
        selected = np.arange(7) + 7 * np.array(is_exchanged)  # of all rows, those of the first corpus before the others
        sides = [GammaRows.join(annotations).take(selected) for annotations in (ROWS, ROWS[::-1])]
        differences.append(np.subtract(pooled_values(sides[0]), pooled_values(sides[1])))
    expected = (np.abs(differences) >= np.abs(estimate) - 1e-9).mean(axis=0)
    exchanges = exchange(POOL, seed=3, replicates=200)
    assert exchanges.is_complete
    assert [exchanges.p_value(column) for column in FULL_NAMES] == pytest.approx(expected.tolist())
    random_exchanges = exchange(POOL, seed=3, replicates=127)
    assert not random_exchanges.is_complete
    assert len(random_exchanges.exchanged) == 127
    assert [random_exchanges.p_value(column) for column in FULL_NAMES] == pytest.approx(expected.tolist(), abs=0.2)
    assert min(random_exchanges.p_value(column) for column in FULL_NAMES) >= 1 / 128


def test_the_interval_of_gamma_equals_the_oracle():
    (_, first), (_, second) = (
        (1, [rows.gamma.weight * column for column in (rows.gamma.observed, rows.gamma.expected)]) for rows in ROWS
    )
    oracle = oracles_intervals.of_difference(
        *(oracles_intervals.side(*map(np.ndarray.tolist, columns)) for columns in (second, first))
    )
    row = RESULT["gamma"]
    assert (row.low, row.high, row.standard_error) == pytest.approx((oracle.low, oracle.high, oracle.error), abs=1e-10)
    assert row.rests_on == pytest.approx(oracle.rests_on)
    assert (row.interval_note is None) == (row.rests_on >= 7 / 2)


def test_intervals_of_the_unitizing_family_leave_out_one_document_in_both():
    without = []
    for name in FIRST.documents:
        first, second = (ga.unitizing_alpha(corpus.drop(documents=name)).u.value for corpus in (FIRST, SECOND))
        without.append(first - second)
    deviations = np.array(without) - np.mean(without)
    assert RESULT["u"].standard_error == pytest.approx(np.sqrt(6 / 7 * np.sum(deviations**2)), rel=1e-6)
    assert RESULT["u"].low < RESULT["u"].value < RESULT["u"].high


def test_the_interval_of_a_difference_stays_within_its_limits():
    low, high = POOL.lowest[:, 0]
    for row in RESULT.differences:
        if row.coefficient == "gamma" and row.no_interval is None:
            assert high - 1 <= row.low <= row.value <= row.high <= 1 - low
    tables = [
        ga.ItemTable.from_matrix(rows)
        for rows in ([["x", "x"], ["y", "y"]] * 2, [["x", "y"], ["y", "x"], ["x", "x"], ["y", "y"]])
    ]
    row = ga.compare(*tables)["kappa"]
    assert (row.value, row.low) == (-1.0, -2.0)


def test_the_printed_form_counts_documents_once():
    result = ga.compare(FIRST, SECOND, measure=("gamma", "unitizing-alpha"), samples=3, replicates=9)
    assert len(result.documents) > 7
    assert repr(result) == f"<Comparison first and second, differences: {len(result.differences)}, documents: 7>"
    assert repr(ga.compare(*TABLES)) == "<Comparison first and second, differences: 1, items: 20>"


def test_exchanged_annotations_have_the_opposite_differences():
    exchanged = ga.compare(SECOND, FIRST, measure=("gamma", "unitizing-alpha"), samples=SAMPLES, replicates=999)
    for row, opposite in zip(RESULT.differences, exchanged.differences, strict=True):
        assert (row.value, row.first, row.second) == (-opposite.value, opposite.second, opposite.first)
        assert (row.low, row.high) == pytest.approx((-opposite.high, -opposite.low), nan_ok=True)
        assert row.p == opposite.p
    assert [row.document for row in exchanged.documents] == [row.document for row in RESULT.documents]


def test_a_corpus_does_not_differ_from_itself():
    row = ga.compare(FIRST, FIRST, samples=SAMPLES, replicates=99)["gamma"]
    assert (row.value, row.p, row.no_interval) == (0.0, 1.0, "all documents give the same value")


def test_the_documents_that_differ_most_come_first():
    gammas = [
        {row.document: row.gamma.value for row in ga.gamma(side, samples=SAMPLES).documents} for side in (FIRST, SECOND)
    ]
    rows = [row for row in RESULT.documents if row.coefficient == "gamma"]
    assert [abs(row.difference) for row in rows] == sorted((abs(row.difference) for row in rows), reverse=True)
    for row in rows:
        assert (row.first, row.second) == pytest.approx((gammas[0][row.document], gammas[1][row.document]))
        assert row.first_units == len(list(FIRST[row.document].units()))


def test_only_a_large_difference_is_significant():
    large, small = (
        ga.compare(make_annotations(12, 0.1, 1), make_annotations(12, size, 2), samples=SAMPLES)["gamma"]
        for size in (0.5, 0.1)
    )
    assert large.high < 0
    assert large.p < 0.01
    assert small.low < 0 < small.high
    assert small.p > 0.05


def test_the_sampling_error_shrinks_with_samples():
    imprecise, precise = (ga.compare(FIRST, SECOND, samples=number, replicates=99)["gamma"] for number in (5, 80))
    assert 2 < imprecise.sampling_error / precise.sampling_error < 8
    assert imprecise.sampling_error < imprecise.standard_error
    assert np.isnan(RESULT["u"].sampling_error)


def test_a_seed_gives_the_same_bytes_regardless_of_order():
    columns, annotations, documents = FIRST.to_tables()
    backwards = {name: column[::-1] for name, column in columns.items()}
    reordered = ga.Corpus.from_columns(backwards, annotations=annotations, documents=documents)
    repeated = ga.compare(reordered, SECOND, measure=("gamma", "unitizing-alpha"), samples=SAMPLES, replicates=999)
    assert json.dumps(repeated.to_dict()) == json.dumps(RESULT.to_dict())
    changed = ga.compare(FIRST, SECOND, samples=SAMPLES, replicates=999, seed=1)
    assert changed["gamma"].value != RESULT["gamma"].value


def test_many_documents_are_exchanged_in_runs(monkeypatch):
    monkeypatch.setattr(exchanges, "MAX_BLOCKS", 6)
    exchanges_of_runs = exchange(POOL, seed=0, replicates=100)
    assert len(exchanges_of_runs.exchanged) == 2**6
    assert exchanges_of_runs.estimate[FULL_NAMES] == pytest.approx(
        np.subtract(pooled_values(ROWS[0]), pooled_values(ROWS[1]))
    )


def test_many_documents_and_gaps_are_noted(monkeypatch):
    monkeypatch.setattr("gamma_align.insight.comparison.compare.MAX_BLOCKS", 6)
    monkeypatch.setattr(
        "gamma_align.insight.comparison.compare.run",
        lambda *_, **__: dataclasses.replace(ROWS[0], gap=np.full(7, 0.02)),
    )
    result = ga.compare(FIRST, SECOND, causes=False, replicates=9)
    assert result.gap == 0.02
    assert result.notes == (
        "γ uses alignments not proven optimal; largest gap 2.00%",
        "documents are exchanged in 6 runs of consecutive ones",
    )


def test_two_groups_of_annotators_of_one_corpus_are_compared():
    corpus = make_annotations(6, 0.3, 1, annotators=4)
    groups = [corpus.select(annotators=names) for names in (["1", "2"], ["3", "4"])]
    result = ga.compare(*groups, samples=SAMPLES, replicates=99, names=("old hands", "newcomers"))
    assert result["gamma"].documents == 6
    assert result.names == ("old hands", "newcomers")


def test_documents_in_only_one_corpus_do_not_count_in_paired_differences():
    dropped = ga.compare(FIRST.drop(documents="d3"), SECOND, samples=SAMPLES, replicates=99, names=("A", "B"))
    assert dropped["gamma"].documents == 6
    assert [row.fate for row in dropped.fates if row.document == "d3"] == ["new"]
    assert dropped.overall[0].documents == 7
    added = ga.compare(
        FIRST, SECOND.merge(make_annotations(8, 0.2, 3).select(documents="d7", annotators="1")), samples=SAMPLES
    )
    assert added["gamma"].documents == 7
    assert added["gamma"].value == RESULT["gamma"].value


def test_a_document_without_a_value_in_one_corpus_does_not_count():
    columns, annotations, documents = SECOND.to_tables()
    kept = columns["document"] != "d2"
    empty = ga.Corpus.from_columns(
        {name: column[kept] for name, column in columns.items()}, annotations=annotations, documents=documents
    )
    row = ga.compare(FIRST, empty, samples=SAMPLES, replicates=99)["gamma"]
    remaining_rows = [rows.take(np.flatnonzero(np.array(rows.documents) != "d2")) for rows in ROWS]
    assert row.documents == 6
    assert row.value == pytest.approx(pooled_values(remaining_rows[1])[0] - pooled_values(remaining_rows[0])[0])


def test_two_documents_have_a_p_but_no_interval():
    documents = ["d0", "d1"]
    row = ga.compare(FIRST.select(documents=documents), SECOND.select(documents=documents), samples=SAMPLES)["gamma"]
    assert np.isnan([row.low, row.high]).all()
    assert row.no_interval == "fewer than three documents with disagreement"
    assert row.p >= 2 / 2**2


def test_a_category_in_only_one_corpus_has_no_difference():
    renamed = SECOND.rename(categories={"B": "C"})
    result = ga.compare(
        FIRST, renamed, measure=("gamma", "unitizing-alpha"), samples=SAMPLES, replicates=99, names=("A", "B")
    )
    assert result["gamma_k", "B"].reason == "no document has it in both"
    assert result["ku", "B"].reason == "not available for B"
    with pytest.raises(KeyError, match="nothing"):
        result["nothing"]


def with_text(corpus, text):
    texts = tuple(text for _ in corpus.documents)
    tables = corpus.to_tables()
    new = ga.Corpus.from_columns(tables.units, annotations=tables.annotations, documents=tables.documents)
    object.__setattr__(new, "texts", texts)
    return new


RECORDS = [("d", "a", 0, 4, "x"), ("d", "b", 1, 4, "x")]
LONGER = [*RECORDS, ("d", "a", 5, 9, "y")]


@pytest.mark.parametrize(
    ("first", "second", "settings", "message"),
    [
        (FIRST, SECOND.select(annotators="1"), {}, "no document of second has two annotators"),
        (RECORDS, LONGER, {}, "extent of document 'd' is 0–4 in first and 0–9 in second.*extents='join'"),
        (with_text(FIRST, "abcd"), with_text(SECOND, "abXd"), {}, "'d0'.*from character 2 on.*documents= selects"),
        (with_text(FIRST, "abcd"), with_text(SECOND, "ab"), {}, "from character 2 on"),
        (FIRST, SECOND, {"measure": "kappa"}, "measure must be gamma or unitizing-alpha, not 'kappa'"),
        (FIRST, SECOND, {"measure": ()}, "not an empty list"),
        (FIRST, SECOND, {"replicates": 0}, "replicates must be 1 or more"),
        (FIRST, SECOND, {"extents": "guess"}, "extents must be one of refuse, join"),
        (FIRST, ga.ItemTable.from_matrix([["x", "y"]]), {}, "one of each"),
    ],
)  # fmt: skip
def test_incomparable_data_and_invalid_settings_are_refused(first, second, settings, message):
    with pytest.raises((ga.InputError, ga.SettingsError), match=message):
        ga.compare(first, second, **settings)


def test_different_units_of_length_are_refused():
    tokens = with_text(SECOND, None)
    object.__setattr__(tokens, "length_unit", "token")
    with pytest.raises(ga.InputError, match="bounds count token in second, and first does not say"):
        ga.compare(FIRST, tokens)


def test_joined_extents_contain_both():
    result = ga.compare(RECORDS, LONGER, extents="join", samples=SAMPLES, replicates=9)
    wide = ga.Corpus.from_records(RECORDS).merge(ga.Corpus.from_records([("d", "c", 5, 9, "y")])).drop(annotators="c")
    assert result["gamma"].first == ga.gamma(wide, samples=SAMPLES).gamma.value
    assert "extents joined, as they differ: 1 of 1 document" in result.notes


# multiagree 3.01, delta.pair, 20 items: κ of raters 1 and 2, and of raters 3 and 4
RATERS = "11223312312311223312", "11223312312211233312", "12223112311313223322", "11233312212321223112"
TABLES = [
    ga.ItemTable.from_matrix([[int(one), int(two)] for one, two in zip(*RATERS[start : start + 2], strict=True)])
    for start in (0, 2)
]


@pytest.mark.parametrize(
    ("distance", "first", "second", "statistic", "p"),
    [
        ("nominal", 0.8496241, 0.3181818, 5.838942, 0.0259057),
        ("linear", 0.8857143, 0.2857143, 7.361513, 0.0137904),
        ("interval", 0.9227799, 0.25, 7.03559, 0.0157174),
    ],
)
def test_the_difference_of_two_kappas_equals_multiagree(distance, first, second, statistic, p):
    row = ga.compare(*TABLES, distance=distance)["kappa"]
    assert (row.first, row.second) == pytest.approx((first, second), abs=5e-8)
    t_squared = (row.value / row.standard_error) ** 2
    assert t_squared * 20 / 19 == pytest.approx(statistic, abs=5e-6)  # it takes K for K - 1 without clusters
    assert 2 * scipy.stats.t.sf(np.sqrt(t_squared * 20 / 19), 19) == pytest.approx(p, abs=5e-7)
    assert row.p == pytest.approx(scipy.stats.f.sf(t_squared, 1, 19))


def test_the_difference_of_clustered_kappas_equals_multiagree():
    row = ga.compare(*TABLES, clusters=[number // 4 for number in range(20)])["kappa"]
    assert (row.value / row.standard_error) ** 2 == pytest.approx(32.26897, abs=5e-5)
    assert row.p == pytest.approx(0.0047401, abs=5e-7)
    assert row.documents == 5


def test_the_error_of_a_difference_from_a_constant_is_the_error_of_the_coefficient():
    perfect = ga.ItemTable.from_matrix([["x", "x"], ["y", "y"]] * 10)  # agrees always: its error is 0
    for name in ("pi", "kappa", "alpha", "ac1", "s", "observed"):
        row = ga.compare(TABLES[0], perfect, measure=name)[name]
        single = ga.item_coefficient(TABLES[0], name, interval="linearised")
        assert row.standard_error == pytest.approx(single.error)
        assert row.second == 1.0


def test_items_are_paired_by_name():
    order = np.random.default_rng(0).permutation(20).tolist()

    def named(table, numbers):
        coders = {name: table.codes[numbers, coder].tolist() for coder, name in enumerate(("r1", "r2"))}
        return ga.ItemTable.from_columns({"item": [f"i{number}" for number in numbers], **coders})

    first, second, shuffled = named(TABLES[0], [*range(20)]), named(TABLES[1], [*range(20)]), named(TABLES[1], order)
    assert ga.compare(first, shuffled)["kappa"] == ga.compare(first, second)["kappa"]
    fewer = ga.ItemTable.from_columns({"item": ["i0", "i1", "z"], "r1": [1, 2, 1], "r2": [1, 1, 2]})
    result = ga.compare(first, fewer)
    assert result["kappa"].documents == 2
    assert result.notes == ("only in first, and not counted: 18 items", "only in second, and not counted: 1 item")
    with pytest.raises(ga.InputError, match=r"no item is in both: i0, i1, i2 … .* in first, 1, 2, 3 … "):
        ga.compare(first, TABLES[1])


def test_items_without_a_difference_or_interval_have_a_reason():
    one_coder = ga.ItemTable.from_matrix([["x"]] * 20)
    assert ga.compare(TABLES[0], one_coder)["kappa"].reason == "second: one coder only"
    assert ga.compare(TABLES[0], TABLES[0])["kappa"].no_interval == "no disagreement to estimate it from"
    assert "cluster" in ga.compare(*TABLES, clusters=["one"] * 20)["kappa"].no_interval
    with pytest.raises(ga.SettingsError, match="clusters has 3 labels for the 20 items"):
        ga.compare(*TABLES, clusters=[1, 2, 3])
    with pytest.raises(ga.SettingsError, match="missing must be one of"):
        ga.compare(*TABLES, missing="XX")


@pytest.fixture
def folder(tmp_path):
    for name, corpus in (("a", FIRST), ("b", SECOND)):
        ga.write(corpus, tmp_path / name)
    return tmp_path


def run_compare(folder, *arguments):
    return run("compare", "a", "b", "--samples", SAMPLES, "--replicates", 99, *arguments, cwd=folder)


def test_the_command_prints_the_result_of_python(folder):
    done = run_compare(folder, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    expected = ga.compare(FIRST, SECOND, samples=SAMPLES, replicates=99, names=("a", "b")).to_dict()
    assert json.loads(done.stdout) == json.loads(json.dumps(expected))
    text = run_compare(folder, "--rows", 2).stdout
    assert text.startswith("A  a\nB  b\n")
    row = expected["differences"][0]
    assert f"γ     {row['first']:.4f}  {row['second']:.4f}  {row['value']:.4f} [" in text
    assert text.count("\n  d") == 6  # two tables with a head and two documents


def test_csv_has_a_row_for_each_value_and_document(folder):
    done = run_compare(folder, "--csv", "--coefficients", "gamma,unitizing-alpha")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    expected = ga.compare(FIRST, SECOND, measure=("gamma", "unitizing-alpha"), samples=SAMPLES, replicates=99)
    corpus = [row for row in rows if row["level"] == "corpus"]
    assert [(row["coefficient"], row["category"] or None) for row in corpus] == [
        (row.coefficient, row.category) for row in expected.differences
    ]
    assert [float(row["difference_p"]) for row in corpus] == [row.p for row in expected.differences]
    assert len(rows) == len(expected.differences) + len(expected.documents)
    assert float(rows[-1]["difference"]) == expected.documents[-1].difference


def test_markdown_names_both_annotations(folder):
    text = run_compare(folder, "--markdown").stdout
    assert "A (a) and B (b), 95 % interval of the difference" in text
    assert "| γk | " in text or "| γk A |" in text


def test_the_command_compares_two_groups_of_one_path(folder):
    done = run_compare(folder, "--first", "1,2", "--second", "2,1", "--quiet")
    assert done.stdout.startswith("A  a: 1, 2\nB  b: 2, 1\n")
    one = run("compare", "a", "--first", "1,2", "--second", "1,2", "--samples", SAMPLES, "--json", cwd=folder)
    assert json.loads(one.stdout)["differences"][0]["value"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["a"], 2, "only a: name a second PATH, or the annotators to compare with --first A,B --second C,D"),
        (["a", "b", "c", "--units"], 2, "--units compares two versions, and got 3 paths"),
        (["a", "--first", "1,9", "--second", "2"], 2, "argument --first: .*9"),
        (["a", "--first", "1", "--second", "2"], 3, "no document of a: 1 has two annotators"),
    ],
)
def test_the_command_refuses_invalid_paths_and_groups(folder, arguments, code, message):
    done = run("compare", *arguments, cwd=folder)
    assert done.returncode == code
    assert done.stdout == ""
    assert re.search(message, done.stderr)


def test_an_unavailable_difference_has_exit_code_four(folder):
    _, annotations, documents = SECOND.to_tables()
    nothing = {name: [] for name in ("document", "annotator", "start", "end", "category")}
    ga.write(ga.Corpus.from_columns(nothing, annotations=annotations, documents=documents), folder / "c")
    done = run("compare", "a", "c", "--samples", 3, cwd=folder)
    assert done.returncode == 4
    assert "the difference of γ is not available: no document has it in both" in done.stderr
