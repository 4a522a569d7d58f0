"""Coefficients on items against their definitions, written naively, and the laws they obey."""

import math

import numpy as np
import oracles_items as naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamma_align as ga
from gamma_align import distances
from gamma_align.api.items import coder_agreement, coincidence_matrix, confusion_matrix
from gamma_align.apps.cli import main
from gamma_align.distances import forms
from gamma_align.distances.forms import MAX_COUNTED_CATEGORIES, NominalForm, ScoreForm, TableForm, form_of
from gamma_align.errors import InputError, SettingsError
from gamma_align.measures.items import counts
from gamma_align.measures.items.counts import CONCEPTIONS, item_disagreements, patterns_of
from gamma_align.measures.items.items_options import COEFFICIENTS
from gamma_align.measures.items.spec import ALIASES, REASONS, SPECS, spec_of

LABELS = (1.0, 2.0, 4.0, 7.0)
D = {
    "nominal": lambda a, b: float(a != b),
    "interval": lambda a, b: (a - b) ** 2,
    "linear": lambda a, b: abs(a - b),
    "ratio": lambda a, b: ((a - b) / (a + b)) ** 2,
    "bipolar": lambda a, b: 0.0 if a == b else (a - b) ** 2 / ((a + b - 2) * (14 - a - b)),
}
NAMES = ("s", "pi", "kappa", "kappa-conger", "alpha", "ac1")

rows_of_numbers = st.integers(2, 5).flatmap(
    lambda coders: st.lists(
        st.lists(st.sampled_from((*LABELS, None)), min_size=coders, max_size=coders), min_size=1, max_size=8
    )
)
complete_rows = st.integers(2, 4).flatmap(
    lambda coders: st.lists(st.lists(st.sampled_from(LABELS), min_size=coders, max_size=coders), min_size=2, max_size=8)
)


def table_of(rows):
    return ga.ItemTable.from_matrix(rows, categories=LABELS)


def value_of(rows, name, **options):
    return ga.item_coefficient(table_of(rows), name, interval=None, **options).value


def assert_same(actual, expected):
    if math.isnan(expected):
        assert math.isnan(actual)
    else:
        assert actual == pytest.approx(expected, abs=1e-9)


# ----------------------------------------------------------------------------------- against definitions


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("distance", sorted(D))
@given(rows=rows_of_numbers)
def test_a_coefficient_equals_its_definition(rows, name, distance):
    assert_same(value_of(rows, name, distance=distance), naive.coefficient(rows, name, D[distance], LABELS))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("missing", CONCEPTIONS)
@given(rows=rows_of_numbers)
def test_all_conceptions_of_missing_values_equal_their_definitions(rows, name, missing):
    expected = naive.coefficient(rows, name, D["interval"], LABELS, missing)
    assert_same(value_of(rows, name, distance="interval", missing=missing), expected)


@pytest.mark.parametrize("name", NAMES)
@given(rows=rows_of_numbers)
def test_all_coefficients_accept_the_ordinal_metric_of_krippendorff(rows, name):
    d = naive.midrank_distance(rows, list(LABELS))
    assert_same(value_of(rows, name, distance="ordinal"), naive.coefficient(rows, name, d, LABELS))


@given(rows=rows_of_numbers)
def test_the_mean_of_pairwise_kappas_equals_its_definition(rows):
    assert_same(value_of(rows, "kappa-mean", distance="linear"), naive.kappa_mean(rows, D["linear"]))


@given(rows=rows_of_numbers)
def test_the_disagreement_of_an_item_equals_its_definition(rows):
    actual = ga.by_item(table_of(rows), distance="ratio").disagreement
    for row, value in zip(rows, actual.tolist(), strict=True):
        has_pair = sum(label is not None for label in row) > 1
        assert_same(value, naive.item_disagreement(row, D["ratio"]) if has_pair else math.nan)


@given(rows=rows_of_numbers)
def test_alpha_follows_from_the_coincidences_of_pairable_values(rows):
    matrix = coincidence_matrix(table_of(rows))
    pairable = [label for row in rows if sum(x is not None for x in row) > 1 for label in row if label is not None]
    assert matrix.sum(axis=1).tolist() == pytest.approx([pairable.count(label) for label in LABELS])
    assert matrix == pytest.approx(matrix.T)
    if len(set(pairable)) > 1:
        distance = distances.Interval().matrix(np.array(LABELS))
        n = matrix.sum(axis=1)
        expected = (np.outer(n, n) * distance).sum() / (n.sum() - 1)
        assert_same(value_of(rows, "alpha", distance="interval"), 1 - (matrix * distance).sum() / expected)


# ------------------------------------------------------------------------------------------------ laws


@pytest.mark.parametrize("name", [*NAMES, "kappa-mean"])
@given(rows=rows_of_numbers, data=st.data())
def test_the_order_of_items_and_coders_does_not_matter(rows, name, data):
    order = data.draw(st.permutations(range(len(rows))))
    columns = data.draw(st.permutations(range(len(rows[0]))))
    moved = [[rows[row][column] for column in columns] for row in order]
    assert_same(value_of(moved, name, distance="interval"), value_of(rows, name, distance="interval"))


@pytest.mark.parametrize("name", ["pi", "kappa", "kappa-conger", "alpha", "ac1", "s"])
@given(rows=rows_of_numbers)
def test_coefficients_do_not_depend_on_the_unit_of_the_distance(rows, name):
    stretched = distances.Matrix(LABELS, 7 * distances.Linear().matrix(np.array(LABELS)))
    assert_same(value_of(rows, name, distance=stretched), value_of(rows, name, distance="linear"))


@given(rows=complete_rows)
def test_conceptions_of_missing_values_agree_for_complete_tables(rows):
    values = [value_of(rows, "pi", distance="interval", missing=missing) for missing in CONCEPTIONS]
    for value in values[1:]:
        assert_same(value, values[0])


@given(rows=complete_rows)
def test_alpha_equals_alpha_prime_with_a_small_sample_factor(rows):
    n = sum(map(len, rows))
    alpha, prime = (value_of(rows, name, distance="linear") for name in ("alpha", "alpha-prime"))
    assert_same(1 - alpha, (1 - prime) * (n - 1) / n)


@given(rows=complete_rows)
def test_kappa_of_conger_equals_kappa_of_davies_and_fleiss_for_complete_tables(rows):
    assert_same(value_of(rows, "conger"), value_of(rows, "davies-fleiss"))


@given(rows=st.lists(st.lists(st.sampled_from(LABELS), min_size=2, max_size=2), min_size=2, max_size=8))
def test_the_mean_kappa_of_two_coders_is_their_kappa(rows):
    assert_same(value_of(rows, "kappa-mean", distance="interval"), value_of(rows, "kappa", distance="interval"))


@given(labels=st.lists(st.sampled_from(LABELS), min_size=2, max_size=8), coders=st.integers(2, 5))
def test_complete_agreement_is_1_or_not_available(labels, coders):
    rows = [[label] * coders for label in labels]
    for name in ("pi", "kappa", "alpha", "kappa-mean"):
        expected = 1.0 if len(set(labels)) > 1 else math.nan
        for distance in ("nominal", "interval", "ordinal", "ratio"):
            value = value_of(rows, name, distance=distance)
            assert value == 1.0 if expected == 1.0 else math.isnan(value)


@given(rows=rows_of_numbers)
def test_bias_of_complete_tables_is_not_negative(rows):
    complete = [[label or LABELS[0] for label in row] for row in rows]
    report = ga.chance_report(table_of(complete))
    if not math.isnan(report.bias):
        assert report.bias >= -1e-12
        # Σ_k var_c P(k|c)/(c - 1)
        share = np.array([[[row[c] for row in complete].count(label) for label in LABELS] for c in range(len(rows[0]))])
        share = share / len(rows)
        assert report.bias == pytest.approx(share.var(axis=0).sum() / (len(rows[0]) - 1), abs=1e-12)


def test_random_judgments_have_coefficients_near_0():
    draw = np.random.default_rng(5)
    rows = draw.choice(LABELS, size=(20_000, 4), p=(0.4, 0.3, 0.2, 0.1))
    for name in ("pi", "kappa", "alpha", "kappa-conger", "kappa-mean"):
        assert abs(value_of(rows, name, distance="interval")) < 0.01


# ------------------------------------------------------------------------- one engine, several ways


@given(rows=rows_of_numbers, name=st.sampled_from(["nominal", "interval", "linear", "ratio", "ordinal"]))
def test_all_forms_of_a_distance_agree(rows, name):
    patterns = patterns_of(table_of(rows))
    counts = patterns.counts((patterns.judgments > 1).astype(float))
    distance = distances.as_distance(name)
    plain = TableForm.of_table(distance.matrix(np.array(LABELS), counts))
    actual = form_of(distance, np.array(LABELS), counts)
    assert isinstance(
        actual, {"nominal": NominalForm, "interval": ScoreForm, "ordinal": ScoreForm}.get(name, TableForm)
    )
    in_blocks = TableForm(len(LABELS), distance.between(np.array(LABELS)))
    others = [actual] + ([in_blocks] if distance.closed and not distance.adaptive else [])
    margins = np.arange(8.0).reshape(2, 4), np.ones((2, 4))
    for metric in others:
        assert metric.disagreements(patterns.rows) == pytest.approx(plain.disagreements(patterns.rows), abs=1e-9)
        form = metric.form(*map(metric.margin, margins))
        assert form == pytest.approx(plain.form(*margins), abs=1e-9)
        assert (metric.total, metric.largest) == pytest.approx((plain.total, plain.largest), abs=1e-9)
        assert metric.count(metric.margin(margins[0])) == pytest.approx(margins[0].sum(axis=1))


@pytest.mark.parametrize("distance", ["nominal", "interval", "ordinal", "linear"])
def test_coefficients_of_many_distinct_values_equal_their_definitions(distance):
    draw = np.random.default_rng(2)
    rows = np.round(draw.normal(size=(400, 1)) + draw.normal(scale=0.3, size=(400, 3)), 3)
    rows[draw.random(rows.shape) < 0.2] = np.nan
    table = ga.ItemTable.from_matrix(rows)
    assert table.n_categories > MAX_COUNTED_CATEGORIES
    values = rows[(~np.isnan(rows)).sum(axis=1) > 1]
    counts = np.array([(values == label).sum() for label in table.labels])
    matrix = distances.as_distance(distance).matrix(table.labels, counts)
    patterns = patterns_of(table)
    plain = TableForm.of_table(matrix)
    pairable = patterns.take(patterns.judgments > 1)
    n = pairable.judgments
    observed = (item_disagreements(pairable, plain) * n * pairable.times).sum() / (n * pairable.times).sum()
    expected = counts @ matrix @ counts / (counts.sum() * (counts.sum() - 1))
    actual = ga.krippendorff_alpha(table, distance=distance, interval=None)
    assert actual.value == pytest.approx(1 - observed / expected, abs=1e-9)


@pytest.mark.parametrize("n_coders", [101, 130])
def test_judgments_of_many_coders_are_counted_with_the_results_of_all_pairs(n_coders, monkeypatch):
    draw = np.random.default_rng(n_coders)
    codes = draw.integers(0, 4, size=(7, n_coders))
    codes[draw.random(codes.shape) < np.linspace(0, 1, 7)[:, None]] = -1
    table = ga.ItemTable(codes, tuple(map(str, range(n_coders))), np.array(LABELS))
    patterns = patterns_of(table)
    distance = distances.as_distance("ratio")
    in_table = TableForm.of_table(distance.matrix(table.labels))
    in_blocks = TableForm(4, distance.between(table.labels))
    counted = [form.disagreements(patterns.rows) for form in (in_table, in_blocks)]
    coincident = coincidence_matrix(table)
    monkeypatch.setattr(forms, "_MAX_BLOCK_CELLS", 1)
    monkeypatch.setattr(counts, "_MAX_BLOCK_CELLS", 1)
    counted += [form.disagreements(patterns.rows) for form in (in_table, in_blocks)]
    assert coincidence_matrix(table) == pytest.approx(coincident, rel=1e-14)
    monkeypatch.setattr(forms, "MAX_PAIRED_CODERS", n_coders)
    monkeypatch.setattr(counts, "MAX_PAIRED_CODERS", n_coders)
    for disagreements in counted:
        assert disagreements == pytest.approx(in_table.disagreements(patterns.rows), rel=1e-12)
    assert coincident == pytest.approx(coincidence_matrix(table), rel=1e-12)


@pytest.mark.parametrize(("second", "is_noted"), [("y", True), ("x", False), ("xy", False)])
def test_note_that_each_coder_uses_one_category_is_true(second, is_noted):
    rows = [["x", second[item % len(second)]] for item in range(40)]
    notes = map(str, ga.item_agreement(ga.ItemTable.from_matrix(rows)).notes)
    assert any(note.startswith("each coder uses one category") for note in notes) == is_noted


def test_judgments_of_an_item_are_not_compared_in_pairs_if_there_are_hundreds_of_thousands():
    many = ga.ItemTable.from_counts([[199_000, 2, 998], [3, 0, 1], [2, 2, 1], [0, 3, 1]], ["a", "b", "c"])
    nominal, jaccard = (ga.item_coefficient(many, "observed", distance=name) for name in ("nominal", "jaccard"))
    assert nominal.value == pytest.approx(jaccard.value, rel=1e-12)  # sets of one label
    n = 200_000
    pairs_of_others = 2 * (199_000 * 2 + 199_000 * 998 + 2 * 998)
    assert coincidence_matrix(many).sum() == pytest.approx(n + 4 + 5 + 4)
    assert np.triu(coincidence_matrix(many), 1)[0, 1] == pytest.approx(199_000 * 2 / (n - 1) + 2 * 2 / 4)
    expected = 1 - (pairs_of_others / (n * (n - 1)) + 6 / 12 + 16 / 20 + 6 / 12) / 4
    assert jaccard.value == pytest.approx(expected, rel=1e-9)
    assert ga.item_coefficient(many, "alpha", interval="pairs", replicates=20).is_available


def test_large_values_lose_no_precision():
    rows = np.array([[0.1, 0.2], [0.4, 0.3], [0.9, 0.7], [0.5, 0.5]])
    original, shifted = (interval_alpha(shift + rows) for shift in (0.0, 1e7))
    assert shifted == pytest.approx(original, abs=1e-6)


def interval_alpha(rows):
    return ga.krippendorff_alpha(ga.ItemTable.from_matrix(rows), distance="interval", interval=None).value


def test_all_three_ways_of_counting_patterns_agree():
    draw = np.random.default_rng(3)
    few = draw.integers(-1, 3, size=(500, 4))
    by_row = {tuple(row): 0 for row in few.tolist() if any(code >= 0 for code in row)}
    for row in few.tolist():
        if tuple(row) in by_row:
            by_row[tuple(row)] += 1
    wide = np.concatenate([few, np.full((500, 40), -1)], axis=1)  # too many coders for a single key
    for codes, coders in ((few, 4), (np.where(few >= 0, few * 3000, -1), 4), (wide, 44)):
        table = ga.ItemTable(codes, tuple(map(str, range(coders))), np.arange(float(codes.max() + 1)))
        patterns = patterns_of(table)
        actual = {}
        for row, times in zip(patterns.rows.tolist(), patterns.times.tolist(), strict=True):
            key = tuple(code // 3000 if codes.max() > 10 and code >= 0 else code for code in row[:4])
            actual[key] = actual.get(key, 0) + times
        assert actual == by_row


def test_a_distance_refuses_too_many_categories():
    codes = np.arange(50_000).reshape(-1, 2)
    table = ga.ItemTable(codes, ("a", "b"), np.arange(50_000.0))
    with pytest.raises(InputError, match="50000 categories are too many for the ratio distance"):
        ga.krippendorff_alpha(table, distance="ratio")


# --------------------------------------------------------------------------------- not available


CASES = {
    "one coder only": ([[1.0], [2.0]], {}),
    "no item was judged": ([[None, None], [None, None]], {}),
    "no item was judged by two coders": ([[1.0, None], [None, 2.0]], {}),
    "no item was judged by every coder": ([[1.0, 2.0, None]], {"missing": "RM"}),
    "no disagreement by chance: a single category": ([[2.0, 2.0], [2.0, 2.0]], {}),
}


@pytest.mark.parametrize("reason", CASES)
@pytest.mark.parametrize("name", ["pi", "kappa", "alpha", "ac1", "s"])
def test_a_coefficient_that_is_not_available_has_a_reason(reason, name):
    rows, options = CASES[reason]
    actual = ga.item_coefficient(
        ga.ItemTable.from_matrix(rows, categories=[1.0, 2.0] if "single" not in reason else None), name, **options
    )
    assert math.isnan(actual.value)
    assert actual.reason == reason
    assert reason in REASONS
    assert str(actual) == f"NA ({reason})"
    assert actual.to_dict()["value"] is None


def test_a_table_of_counts_has_all_coefficients_except_kappa():
    table = ga.ItemTable.from_counts([[3, 0], [2, 1], [0, 3]], ["x", "y"])
    result = ga.item_agreement(table)
    assert result["kappa"].reason == "the table does not say who judged what"
    assert result["pi"].value == pytest.approx(
        naive.coefficient([list("xxx"), list("xxy"), list("yyy")], "pi", D["nominal"], "xy")
    )
    assert ga.aickin(table).reason == result["kappa"].reason
    assert np.isnan(coder_agreement(table)[0, 1])
    with pytest.raises(SettingsError, match="does not say who"):
        confusion_matrix(table, "1", "2")


def test_a_coder_without_judgments_matters_only_if_incomplete_items_are_removed():
    rows = [[1.0, 2.0], [2.0, 2.0], [4.0, 4.0]]
    with_idle_coder = [[*row, None] for row in rows]
    for name in ("pi", "kappa", "kappa-conger", "kappa-mean", "alpha", "ac1"):
        assert_same(value_of(with_idle_coder, name), value_of(rows, name))
    assert (
        ga.item_coefficient(table_of(with_idle_coder), "pi", missing="RM").reason == "no item was judged by every coder"
    )


def test_mean_kappa_is_not_available_if_a_pair_has_no_variation():
    rows = [[1.0, 1.0, 1.0], [1.0, 1.0, 2.0], [1.0, 1.0, 1.0]]
    actual = ga.item_coefficient(table_of(rows), "kappa-mean")
    assert actual.reason == "no disagreement by chance between two of the coders: a single category"
    assert np.isnan(coder_agreement(table_of(rows))[0, 1])
    assert coder_agreement(table_of(rows))[0, 2] == pytest.approx(0.0)


# --------------------------------------------------------------------------------------- settings


def test_names_and_aliases_refer_to_coefficients():
    assert {spec_of(name).name for name in COEFFICIENTS.default} == set(COEFFICIENTS.default)
    assert set(ALIASES.values()) <= set(SPECS)
    assert spec_of("Multi_Kappa") is SPECS["kappa"]
    with pytest.raises(SettingsError, match="there is no coefficient 'gamma'"):
        spec_of("gamma")


def test_symbols_depend_on_the_distance_and_the_number_of_coders():
    two, three = table_of([[1.0, 2.0], [2.0, 2.0]]), table_of([[1.0, 2.0, 2.0], [2.0, 2.0, 1.0]])
    symbols = [
        ga.item_coefficient(table, name, distance=distance, interval=None).symbol
        for table in (two, three)
        for name in ("pi", "kappa", "ac1")
        for distance in ("nominal", "interval")
    ]
    assert symbols == ["π", "α′", "κ", "κ_w", "AC₁", "AC₂", "π", "α′", "multi-κ", "β", "AC₁", "AC₂"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "XL"}, "missing must be one of IL, VL, PL, RM"),
        ({"distance": "quadratic"}, "distance must be one of nominal, ordinal"),
        ({"interval": "wald"}, "interval must be one of jackknife"),
        ({"level": 1.0}, "level must be between 0 and 1"),
        ({"replicates": 0}, "replicates must be 1 or more"),
    ],
)
def test_invalid_settings_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        ga.item_coefficient(table_of([[1.0, 2.0], [2.0, 2.0]]), "pi", **options)


@pytest.mark.parametrize("distance", ["ordinal", "gwet-ordinal"])
def test_words_need_a_declared_order(distance):
    table = ga.ItemTable.from_matrix([["low", "high"], ["mid", "mid"]])
    with pytest.raises(InputError, match="needs an order of the categories"):
        ga.krippendorff_alpha(table, distance=distance)
    declared = table.with_categories(["low", "mid", "high"])
    numbers = ga.ItemTable.from_matrix([[1, 3], [2, 2]])
    values = [ga.krippendorff_alpha(one, distance=distance).value for one in (declared, numbers)]
    assert values[0] == values[1]


def test_numeric_distances_refuse_words():
    with pytest.raises(InputError, match="the interval distance is for numbers, and the category 'high' is not one"):
        ga.krippendorff_alpha(ga.ItemTable.from_matrix([["low", "high"], ["low", "low"]]), distance="interval")


# ----------------------------------------------------------------------------------------- results


def test_a_result_is_complete_as_json_and_as_a_frame():
    table = ga.ItemTable.from_matrix([["a", "a", None], ["b", "a", "b"], ["b", "b", "b"], [None, None, None]])
    result = ga.item_agreement(table, coefficients=["alpha", "kappa", "krippendorff"])
    actual = result.to_dict()
    assert list(actual["coefficients"]) == ["alpha", "kappa"]
    assert actual["table"]["missing"] == pytest.approx(4 / 12)
    assert actual["coefficients"]["alpha"]["items"] == 3
    assert actual["chance"]["pabak"]["value"] == pytest.approx(2 * (1 - 2 / 9) - 1)
    assert "1 of 4 items have no judgment and are excluded" in actual["notes"]
    assert result.signature.startswith(
        "α,multi-κ|items:4|coders:3|categories:2 observed|d:nominal|missing:VL/IL|CI:jackknife|v:"
    )
    frame = result.to_frame("polars")
    assert frame["name"].to_list() == ["alpha", "kappa"]
    assert frame["value"].to_list() == [value.value for value in result.coefficients.values()]


def test_results_are_frozen_and_consist_of_plain_numbers():
    actual = ga.item_coefficient(table_of([[1.0, 2.0], [2.0, 2.0], [4.0, 4.0]]), "alpha")
    with pytest.raises(AttributeError):
        actual.value = 1.0
    assert {type(value) for value in actual.to_dict().values()} <= {str, float, int, type(None)}


def test_a_note_reports_that_the_number_of_categories_matters():
    table = ga.ItemTable.from_matrix([["a", "b"], ["b", "b"]])
    assert any(
        "S and AC₁ depend on the number of categories; the 2 observed ones are used" in note
        for note in ga.item_agreement(table).notes
    )
    declared = table.with_categories(["a", "b", "c"])
    assert not any("S and AC₁" in note for note in ga.item_agreement(declared).notes)
    assert ga.item_coefficient(declared, "s").value > ga.item_coefficient(table, "s").value


def test_specific_agreement_of_two_coders_is_the_dice_coefficient():
    table = ga.ItemTable.from_contingency([[20, 5], [10, 15]], ["yes", "no"])
    yes, no = ga.by_category(table)
    assert (yes.specific.value, no.specific.value) == pytest.approx((40 / 55, 30 / 45))
    assert yes.judgments == 55
    report = ga.chance_report(table).byrt
    assert (report.positive, report.negative) == pytest.approx((40 / 55, 30 / 45))


# --------------------------------------------------------------------- expected disagreement from elsewhere


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("distance", ["nominal", "interval", "ordinal"])
@given(rows=rows_of_numbers, reference_rows=rows_of_numbers)
@settings(max_examples=15)
def test_expected_disagreement_may_come_from_another_table(rows, reference_rows, name, distance):
    actual = ga.item_coefficient(
        table_of(rows), name, distance=distance, interval=None, expected_from=table_of(reference_rows)
    )
    missing = "VL" if name == "alpha" else "IL"
    d = naive.midrank_distance(reference_rows, LABELS) if distance == "ordinal" else D[distance]
    judged = all(any(sum(label is not None for label in row) > 1 for row in table) for table in (rows, reference_rows))
    by_chance = naive.EXPECTED[name](reference_rows, d, LABELS) if judged else math.nan
    assert_same(actual.value, 1 - naive.observed(rows, d, missing) / by_chance if by_chance > 1e-12 else math.nan)
    itself = ga.item_coefficient(table_of(rows), name, distance=distance, interval=None, expected_from=table_of(rows))
    assert_same(itself.value, value_of(rows, name, distance=distance))


def test_intervals_treat_the_expected_disagreement_of_another_table_as_known():
    all_rows = [[1.0, 1.0, 2.0], [2.0, 2.0, 2.0], [1.0, 4.0, 1.0], [7.0, 7.0, 7.0], [2.0, 1.0, None], [4.0, 4.0, 4.0]]
    part = table_of(all_rows[:5])
    for distance in ("nominal", "ordinal"):
        actual = ga.krippendorff_alpha(part, distance=distance, expected_from=table_of(all_rows))
        leave_one_out = [
            1
            - ga.krippendorff_alpha(table_of(all_rows[:item] + all_rows[item + 1 : 5]), distance="nominal").observed
            / actual.expected
            for item in range(5)
        ]
        if distance == "nominal":
            assert actual.error == pytest.approx(
                math.sqrt(4 / 5 * ((np.array(leave_one_out) - np.mean(leave_one_out)) ** 2).sum())
            )
        for interval in ("linearised", "bootstrap"):
            published = ga.krippendorff_alpha(
                part, distance=distance, interval=interval, expected_from=table_of(all_rows)
            )
            assert published.error == pytest.approx(actual.error, rel=0.35)
    result = ga.item_agreement(part, coefficients=["alpha", "kappa"], expected_from=table_of(all_rows))
    assert "D_e:6 items" in result.signature
    assert "computed from another table of 6 items" in " ".join(result.notes)
    assert result.to_dict()["settings"]["expected_from"]["items"] == 6


def test_another_table_must_have_the_same_categories_and_an_order():
    small, large = ga.ItemTable.from_matrix([["a", "b"]]), ga.ItemTable.from_matrix([["a", "c"], ["c", "a"]])
    with pytest.raises(InputError, match="the category 'b' is not declared"):
        ga.krippendorff_alpha(small, expected_from=large)
    with pytest.raises(SettingsError, match="kappa-mean is a mean over pairs"):
        ga.item_coefficient(large, "kappa-mean", expected_from=large)
    with pytest.raises(InputError, match="needs an order"):
        ga.krippendorff_alpha(large, distance="ordinal", expected_from=large)
    lone = ga.ItemTable.from_matrix([["a", None], [None, "b"]])
    assert ga.krippendorff_alpha(small, expected_from=lone).reason == "no item was judged by two coders"
    for interval in ("fce", "pairs"):
        two = ga.ItemTable.from_contingency([[3, 1], [1, 2]], ["a", "b"])
        name = "kappa" if interval == "fce" else "alpha"
        actual = ga.item_coefficient(two, name, interval=interval, expected_from=two)
        assert actual.uncertainty.reason == "this method is not defined for this coefficient"


def test_a_table_of_60000_categories_can_be_measured():
    draw = np.random.default_rng(3)
    rows = draw.normal(size=(30_000, 1)) + draw.normal(scale=0.3, size=(30_000, 2))
    table = ga.ItemTable.from_matrix(rows)
    result = ga.item_agreement(table, coefficients=["alpha", "kappa"], distance="interval", interval=None)
    assert result["alpha"].value == pytest.approx(1 / 1.09, abs=0.01)
    assert result.chance.kappa_max == 0.0
    (pair,) = ga.by_pair(table, distance="interval")
    assert pair.kappa.value == pytest.approx(result["kappa"].value)


def test_a_weighted_kappa_has_no_largest_nominal_kappa_beside_it(capsys, tmp_path):
    rows = [[1, 1], [2, 2], [3, 3], [4, 4], [5, 4], [5, 5], [3, 2]]
    table = ga.ItemTable.from_matrix(rows)
    (pair,) = ga.by_pair(table, distance="ordinal")
    assert math.isnan(pair.kappa_max)
    assert pair.kappa.value > ga.by_pair(table)[0].kappa_max
    path = tmp_path / "ratings.csv"
    path.write_text("a,b,c\n" + "".join(f"{a},{b},{b}\n" for a, b in rows))
    for distance, is_shown in (("nominal", True), ("ordinal", False)):
        assert main(["items", str(path), "--distance", distance, "--by-pair"]) == 0
        pairs = capsys.readouterr().out.partition("every two coders")[2].partition("items by category")[0]
        assert ("largest κ possible" in pairs) == is_shown


def test_kappa_max_is_the_kappa_of_the_best_table_with_the_same_margins():
    rows = [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [1.0, 1.0], [4.0, 2.0], [None, 1.0]]
    (pair,) = ga.by_pair(table_of(rows))
    best = [[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [1.0, 2.0], [4.0, 2.0]]
    assert pair.items == 5
    assert pair.kappa_max == pytest.approx(value_of(best, "kappa"))
    assert pair.kappa.value == pytest.approx(value_of(rows[:5], "kappa"))
    assert ga.by_pair(table_of([[1.0, None], [None, 1.0]]))[0].kappa.reason == "no item was judged by two coders"
    assert ga.by_pair(ga.ItemTable.from_counts([[2, 1]], ["x", "y"])) == ()
    with pytest.raises(SettingsError, match="5151 pairs of coders, and at most 5000 are compared"):
        ga.by_pair(ga.ItemTable.from_matrix([[1] * 102]))


def test_the_upper_bound_of_the_alpha_of_an_answer_is_the_root_of_nominal_alpha():
    matrix = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]]
    result = ga.item_agreement(matrix, coefficients=["alpha"])
    bound = f"above {math.sqrt(result['alpha'].value):.3f} (√α)"
    assert any(bound in note for note in result.notes)
    numbers = [[1, 1], [2, 2], [1, 2], [2, 2]]
    assert not any(
        "√α" in note for note in ga.item_agreement(numbers, coefficients=["alpha"], distance="interval").notes
    )
    assert not any("√α" in note for note in ga.item_agreement(matrix, coefficients=["kappa"]).notes)


def test_an_answer_with_the_frequencies_of_the_coders_has_no_higher_alpha_than_the_root():
    draw = np.random.default_rng(5)
    shares = draw.dirichlet([0.5, 0.3, 0.3], 4000)
    labels = (draw.random((2, 4000, 1)) > shares.cumsum(axis=1)).sum(axis=2)
    bound = math.sqrt(ga.item_coefficient(labels.T.tolist(), "alpha").value)
    # the answer that agrees best with a coder whose frequencies it has
    answers = {
        "draw again": (draw.random((4000, 1)) > shares.cumsum(axis=1)).sum(axis=1),
        "plurality": shares.argmax(axis=1),
    }
    for answer in answers.values():
        alphas = [ga.item_coefficient(np.stack([answer, coder], axis=1).tolist(), "alpha").value for coder in labels]
        assert np.mean(alphas) <= bound + 0.02
