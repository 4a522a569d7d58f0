"""Coefficients on items against values from papers and other programs; where one of these is wrong, why."""

import json
import math

import numpy as np
import oracles_items as naive
import pytest
from examples import data
from places import GOLDEN

import gamma_align as ga
from gamma_align import distances
from gamma_align.api.items import confusion_matrix
from gamma_align.inference.bootstrap import order_statistic_interval
from gamma_align.measures.items.core import TableCoefficient
from gamma_align.measures.items.counts import patterns_of
from gamma_align.measures.items.items_rows import ItemRows
from gamma_align.measures.items.replicates import hayes_krippendorff
from gamma_align.measures.items.spec import spec_of
from gamma_align.measures.items.two_coders import byrt, fleiss_null_error, kappa_max, stuart_test

GOLDEN = json.loads((GOLDEN / "items.json").read_text(encoding="utf-8"))
GOLDEN["tables"] |= data().tables  # the worked examples' own: their printed values are in test_examples.py
VALUES = GOLDEN["values"]

COEFFICIENTS = {
    **dict.fromkeys(("alpha", "alpha_interval", "alpha_ordinal", "alpha_ratio"), "alpha"),
    **dict.fromkeys(("kappa", "kappa_w", "beta"), "kappa"),
    **dict.fromkeys(("pi", "alpha_prime"), "pi"),
    "S": "s",
    "gwet": "ac1",
    "kappa_conger": "kappa-conger",
    "kappa_mean": "kappa-mean",
    "PABAK": "pabak",
    "Ao": "observed",
    "avg_Ao": "observed",
}
# irrCAC's names of weights; its "ordinal" is not Krippendorff's
WEIGHTS = {
    "identity": "nominal",
    "None": "nominal",
    "linear": "linear",
    "quadratic": "interval",
    "ordinal": "gwet-ordinal",
}
EXPECTED_PART = {
    "Ae_pi": "pi",
    "Ae_kappa": "kappa",
    "De_alpha": "alpha",
    "De_alpha_prime": "pi",
    **dict.fromkeys(("De_beta", "De_kappa_w"), "kappa"),
}

FORMULA = "ap_table7.identity"
AT_THE_BOUND = "ap_table4.aickin"


def of(*coefficients):
    """Return arguments of parametrize: the values of these coefficients (a formula has a test of its own)."""
    entries = [entry for entry in VALUES if entry["coefficient"] in coefficients and entry["id"] != FORMULA]
    assert entries
    return {"argvalues": entries, "ids": [entry["id"] for entry in entries]}


def table_of(entry):
    rows = [row for times, row in GOLDEN["tables"][entry["table"]] for _ in range(times)]
    if entry["sets"]:
        rows = [[frozenset(label) for label in row] for row in rows]
    table = ga.ItemTable.from_matrix(rows)
    # positions need an order; peers that go by position sort
    return table.with_categories(list(table.labels)) if by_position(entry) else table


def by_position(entry):
    return ".sklearn." in entry["id"] or ".statsmodels.cohen" in entry["id"]


def distance_of(entry):
    params, name = entry["params"], entry["coefficient"]
    if "weights" in params:
        weights = WEIGHTS[params["weights"]]
        if by_position(entry) and weights != "nominal":
            return {"linear": distances.Linear, "interval": distances.Interval}[weights](by="position")
        return distances.as_distance(weights)
    if isinstance(params.get("distance"), list):
        return distances.Matrix(params["categories"], params["distance"])
    if params.get("distance", "").startswith("passonneau,"):
        return distances.Passonneau(empty_is_subset=True)  # DKPro's rule, which its test needs
    if name in ("alpha_interval", "alpha_ordinal", "alpha_ratio"):
        return distances.as_distance(name.removeprefix("alpha_"))
    return distances.as_distance(params.get("metric") or params.get("distance") or "nominal")


def coefficient_of(entry, interval=None, **options):
    # scikit-learn and statsmodels have complete pairs only
    missing = "RM" if by_position(entry) else None
    name = COEFFICIENTS[entry["coefficient"]]
    actual = {"missing": missing, **options}
    return ga.item_coefficient(table_of(entry), name, distance=distance_of(entry), interval=interval, **actual)


# ------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize("entry", **of(*COEFFICIENTS))
def test_coefficients_equal_values_of_papers_and_other_packages(entry):
    expected = entry["expected"]
    if isinstance(expected, dict):
        expected = expected.get("value", expected.get("kappa"))
    actual = coefficient_of(entry)
    if expected is None:
        assert math.isnan(actual.value)
        assert actual.reason is not None
    else:
        assert actual.value == pytest.approx(expected, abs=entry["tolerance"])


@pytest.mark.parametrize("entry", **of(*EXPECTED_PART))
def test_expected_disagreements_equal_published_values(entry):
    actual = ga.item_coefficient(
        table_of(entry), EXPECTED_PART[entry["coefficient"]], distance=distance_of(entry), interval=None
    )
    value = 1 - actual.expected if entry["coefficient"].startswith("Ae") else actual.expected
    assert value == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", **of("Do"))
def test_observed_disagreements_equal_published_values(entry):
    missing = entry["params"].get("weighting")
    actual = ga.item_coefficient(table_of(entry), "pi", distance=distance_of(entry), missing=missing, interval=None)
    assert actual.observed == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", **of("Ae_S_pi_kappa"))
def test_three_expected_agreements_equal_published_values(entry):
    values = [1 - ga.item_coefficient(table_of(entry), name, interval=None).expected for name in ("s", "pi", "kappa")]
    assert values == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", **of("Ae_pi_from_totals"))
def test_expected_agreement_follows_from_totals(entry):
    table = ga.ItemTable.from_counts([entry["data"]["n_k"]], ["a", "b"])
    assert 1 - ga.item_coefficient(table, "pi", interval=None).expected == pytest.approx(
        entry["expected"], abs=entry["tolerance"]
    )


def test_rare_categories_lower_kappa():
    (entry,) = [entry for entry in VALUES if entry["id"] == FORMULA]
    delta, epsilon = entry["data"]["delta"], entry["data"]["epsilon"]
    cells = np.array([[delta, epsilon], [epsilon, 1 - delta - 2 * epsilon]]) * 1000
    table = ga.ItemTable.from_contingency(np.round(cells), ["rare", "common"])
    for name in ("pi", "kappa"):
        assert ga.item_coefficient(table, name, interval=None).value == pytest.approx(entry["expected"], abs=1e-12)


@pytest.mark.parametrize("entry", **of("bias_B"))
def test_bias_equals_published_values(entry):
    assert ga.chance_report(table_of(entry)).bias == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", **of("byrt"))
def test_indices_of_byrt_equal_published_values(entry):
    table = table_of(entry)
    actual = byrt(confusion_matrix(table, "1", "2"))
    expected = entry["expected"]
    assert actual == pytest.approx([expected[key] for key in ("BI", "PI", "PABAK", "BAK", "ppos", "pneg")], abs=1e-9)
    assert ga.chance_report(table).byrt == actual
    assert actual.bak == pytest.approx(ga.item_coefficient(table, "pi", interval=None).value)


@pytest.mark.parametrize("entry", **of("kappa_max"))
def test_kappa_max_equals_published_values(entry):
    cells = confusion_matrix(table_of(entry), "1", "2")
    assert kappa_max(cells.sum(axis=1), cells.sum(axis=0)) == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", **of("aickin"))
def test_a_of_aickin_equals_published_values(entry):
    actual = ga.aickin(table_of(entry), correction=entry["params"].get("correction", True))
    if entry["id"] == AT_THE_BOUND:
        assert actual.reason == "an empty cell: without correction the estimate is at its bound"
    else:
        assert actual.value == pytest.approx(entry["expected"], abs=entry["tolerance"])


def test_a_of_aickin_without_correction_is_not_available_at_the_bound():
    # the reference stopped at .879998 on its way; at the bound a = A_o = .88 the likelihood is larger still
    (entry,) = [entry for entry in VALUES if entry["id"] == AT_THE_BOUND]
    cells = confusion_matrix(table_of(entry), "1", "2")
    rows, columns = cells.sum(axis=1) / 100, cells.sum(axis=0) / 100
    stops, agreed = [10, 100, 1000, 10_000], np.trace(cells) / 100
    actual, likelihoods = [], []
    first, second = rows.copy(), columns.copy()
    for step in range(1, stops[-1] + 1):
        chance = first @ second
        easy = (agreed - chance) / (1 - chance)
        if step in stops:
            model = (1 - easy) * np.outer(first, second) + easy * np.diag(first * second) / chance
            actual.append(easy)
            likelihoods.append((cells[cells > 0] * np.log(model[cells > 0])).sum())
        first = rows / (1 - easy + easy * second / chance)
        first /= first.sum()
        second = columns / (1 - easy + easy * first / (first @ second))
        second /= second.sum()
    assert actual == sorted(actual)
    assert likelihoods == sorted(likelihoods)
    assert actual[-1] < entry["expected"] < agreed


# ------------------------------------------------------------------------------------------- categories


@pytest.mark.parametrize("entry", **of("alpha_category", "fleiss_kappa_category", "fleiss_z_category"))
def test_agreement_on_a_category_equals_published_values(entry):
    wanted = str(entry["params"]["category"])
    (actual,) = [one for one in ga.by_category(table_of(entry)) if one.category == wanted]
    value = {"alpha_category": actual.alpha.value, "fleiss_kappa_category": actual.pi.value}.get(
        entry["coefficient"], actual.z
    )
    assert value == pytest.approx(entry["expected"], abs=entry["tolerance"])


def test_kappa_of_a_category_differs_from_kappa_of_fleiss():
    # what DKPro's CohenKappaAgreement.calculateCategoryAgreement returns is Fleiss's: .781 .247 .402 .435
    entry = next(entry for entry in VALUES if entry["id"] == "agresti1992.kappa")
    actual = [one.kappa.value for one in ga.by_category(table_of(entry))]
    assert actual == pytest.approx([0.7810, 0.2663, 0.4405, 0.4587], abs=5e-5)


@pytest.mark.parametrize("entry", **of("fleiss_z"))
def test_the_null_error_of_multi_pi_equals_published_values(entry):
    table = table_of(entry)
    value = ga.item_coefficient(table, "pi", interval=None).value
    error = fleiss_null_error(patterns_of(table))
    assert value / error == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", **of("fleiss_se_1971"))
def test_the_null_error_differs_from_the_withdrawn_one_of_fleiss_1971(entry):
    # withdrawn by Fleiss, Nee & Landis 1979; the formula is here to be recognised in other programs
    patterns = patterns_of(table_of(entry))
    share = patterns.counts() / patterns.counts().sum()
    items, coders = patterns.times.sum(), patterns.coders
    square, cube = (share**2).sum(), (share**3).sum()
    inner = square - (2 * coders - 3) * square**2 + 2 * (coders - 2) * cube
    withdrawn = math.sqrt(2 / (items * coders * (coders - 1)) * inner) / (1 - square)
    assert withdrawn == pytest.approx(entry["expected"], abs=entry["tolerance"])
    assert fleiss_null_error(patterns) == pytest.approx(0.02437, abs=5e-6)


# -------------------------------------------------------------------------------------------- errors


LONE = ("k2011", "wiki_alpha", "ben_gerry")  # tables with items that one coder judged
SMALL = (*LONE, "raw10x4")  # tables with fewer than 30 items


def irr_cac(*, alpha=False, without=(), only=None):
    """Return arguments of parametrize: the values of irrCAC for α, or for the other coefficients."""
    candidates = [e for e in VALUES if ".irrCAC." in e["id"] and (e["coefficient"] == "alpha") is alpha]
    entries = [e for e in candidates if e["table"] not in without and (only is None or e["table"] in only)]
    assert len(entries) > 20
    return {"argvalues": entries, "ids": [entry["id"] for entry in entries]}


@pytest.mark.parametrize("entry", **irr_cac(without=LONE))
def test_linearised_errors_equal_those_of_gwet(entry):
    expected = entry["expected"]
    actual = coefficient_of(entry, "linearised")
    assert actual.error == pytest.approx(expected["se"], abs=1e-8)
    assert [actual.low, actual.high] == pytest.approx(expected["ci95"], abs=1e-8)
    # irrCAC's p of S (bp) is one-sided, its others are two-sided
    sides = 2 if entry["coefficient"] == "S" else 1
    assert actual.p_value() == pytest.approx(sides * expected["p"], abs=1e-8)


@pytest.mark.parametrize("entry", **irr_cac(only=LONE))
def test_irrcac_treats_the_share_of_lone_judgments_as_known(entry):
    # with n items, n2 of them pairable, it adds κ(n/n2·[pairable] - 1) to each item's influence: as if other items
    # were certain to have as many lone judgments. Left out, the error is the jackknife's but for its own small bias.
    from gamma_align.measures.items.replicates import influences

    spec = spec_of(COEFFICIENTS[entry["coefficient"]])
    coefficient = TableCoefficient.of(ItemRows.of(table_of(entry)), spec, distance_of(entry), spec.missing)
    times, pairable = coefficient.patterns.times, coefficient.patterns.judgments > 1
    count, value = coefficient.items, coefficient.evaluate()[0]
    influence = influences(coefficient) + value * (count / (times @ pairable) * pairable - 1)
    assert math.sqrt(times @ influence**2 / (count * (count - 1))) == pytest.approx(entry["expected"]["se"], abs=1e-8)


@pytest.mark.parametrize("entry", **irr_cac(alpha=True))
def test_the_error_of_alpha_in_irrcac_lacks_the_small_sample_factor(entry):
    # 1 - α = (1 - α′)(n - 1)/n, so the error has the factor too; irrCAC prints that of α′
    table = table_of(entry)
    pairable = int(table.judgments[table.judgments > 1].sum())
    actual = coefficient_of(entry, "linearised").error / (1 - 1 / pairable)
    complete = len(set(table.judgments[table.judgments > 1].tolist())) == 1
    assert actual == pytest.approx(entry["expected"]["se"], rel=1e-7 if complete else 2e-3)


@pytest.mark.parametrize("entry", **irr_cac(without=SMALL))
def test_the_jackknife_error_is_close_to_the_linearised_one(entry):
    actual = coefficient_of(entry, "jackknife").error
    assert actual == pytest.approx(coefficient_of(entry, "linearised").error, rel=0.06)


@pytest.mark.parametrize("entry", **of("kappa_se_fleiss1969", "kappa_ci_fleiss1969"))
def test_the_large_sample_error_of_kappa_equals_published_values(entry):
    actual = ga.item_coefficient(table_of(entry), "kappa", interval="fce")
    value = actual.error if entry["coefficient"] == "kappa_se_fleiss1969" else [actual.low, actual.high]
    assert value == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", [e for e in VALUES if ".statsmodels.cohen" in e["id"]], ids=lambda entry: entry["id"])
def test_all_figures_of_kappa_equal_those_of_statsmodels(entry):
    expected = entry["expected"]
    actual = coefficient_of(entry, "fce")
    figures = [actual.error, actual.low, actual.high, actual.uncertainty.null_error, actual.p_value()]
    keys = ("std_kappa", "kappa_low", "kappa_upp", "std_kappa0", "pvalue_two_sided")
    assert figures == pytest.approx([expected[key] for key in keys], abs=1e-8)
    assert ga.chance_report(table_of(entry)).kappa_max == pytest.approx(expected["kappa_max"], abs=1e-8)


def test_the_oracle_of_the_error_of_pi_equals_bloch_and_kraemer():
    # statpsych's example: π .6736597 (SE .07479965)
    cells = confusion_matrix(matrix("statpsych"), "1", "2")
    assert naive.pi_error(cells) == pytest.approx(0.07479965, abs=6e-9)


@pytest.mark.parametrize("entry", **of("alpha_bootstrap"))
def test_bootstraps_of_alpha_equal_published_intervals(entry):
    params, expected = entry["params"], entry["expected"]
    table = table_of(entry)
    if params["method"] == "items":
        actual = ga.krippendorff_alpha(table, interval="bootstrap", replicates=2000)
        figures = [actual.uncertainty.sample.mean(), actual.error, actual.low, actual.high]
        assert figures == pytest.approx([expected["mean"], expected["se"], *expected["ci95"]], abs=entry["tolerance"])
        return
    coefficient = TableCoefficient.of(ItemRows.of(table), spec_of("alpha"), distance_of(entry), "VL")
    count = None if params["draws"] == "pairs" else expected["M"]  # KALPHA 3.0 draws another number than there are
    values = hayes_krippendorff(coefficient, seed=1, replicates=params["n_boot"], count=count)
    assert order_statistic_interval(values, 0.95) == pytest.approx(expected["ci95"], abs=entry["tolerance"])
    assert values.mean() == pytest.approx(expected["mean"], abs=entry["tolerance"])
    for key, share in expected.items():
        if key.startswith("P("):
            threshold = float(key.removeprefix("P(alpha<").removesuffix(")"))
            assert (values < threshold).mean() == pytest.approx(share, abs=entry["tolerance"])


# ------------------------------------------------------------------------------------------- distances


@pytest.mark.parametrize(
    "entry",
    **of("distance_jaccard", "distance_dice", "distance_passonneau", "distance_masi", "distance_masi_ap_product"),
)
def test_distances_of_sets_equal_published_values(entry):
    name = {"masi_ap_product": "masi-product"}.get(*[entry["coefficient"].removeprefix("distance_")] * 2)
    labels = [frozenset(entry["data"]["a"]), frozenset(entry["data"]["b"])]
    assert distances.as_distance(name).matrix(labels)[0, 1] == pytest.approx(entry["expected"], abs=1e-12)


@pytest.mark.parametrize("entry", **of("distance_melamed_resnik"))
def test_distances_of_a_taxonomy_equal_published_values(entry):
    data = entry["data"]
    actual = distances.MelamedResnik(data["children"]).matrix([data["a"], data["b"]])
    assert actual[0, 1] == pytest.approx(entry["expected"], abs=1e-12)


@pytest.mark.parametrize("entry", **of("ordinal_distance_sqrt"))
def test_the_ordinal_metric_equals_published_values(entry):
    actual = distances.Ordinal().matrix(entry["data"]["values"], entry["data"]["n_c"])
    assert np.sqrt(actual) == pytest.approx(np.array(entry["expected"]), abs=1e-9)


# ------------------------------------------------------------------------------- where peers are wrong


def matrix(name):
    rows = [row for times, row in GOLDEN["tables"][name] for _ in range(times)]
    return ga.ItemTable.from_matrix(rows)


def test_statsmodels_counts_missing_judgments_as_a_category():
    # aggregate_raters on NaN: Fleiss .5676 for .7612 (K2011), .2018 for .4697 (HK2007)
    for name, right, wrong in (("k2011", 0.7612, 0.5676), ("hk2007", 0.4697, 0.2018)):
        table = matrix(name)
        as_category = ga.ItemTable.from_matrix([[label or "none" for label in row] for row in table.rows()], na=[""])
        assert ga.item_coefficient(table, "pi", interval=None).value == pytest.approx(right, abs=5e-5)
        assert ga.item_coefficient(as_category, "pi", interval=None).value == pytest.approx(wrong, abs=5e-5)


def test_nltk_mixes_weighted_and_nominal_chance():
    # AnnotationTask.pi() with interval distance: 1 - D_o/D_e with D_o weighted and D_e nominal. raw10x4: -.99, not .723
    table = matrix("raw10x4")
    weighted = ga.item_coefficient(table, "pi", distance="interval", interval=None)
    nominal = ga.item_coefficient(table, "pi", interval=None)
    assert weighted.value == pytest.approx(0.7233, abs=5e-5)
    assert 1 - weighted.observed / nominal.expected == pytest.approx(-0.99, abs=5e-3)


def test_the_ordinal_distance_of_irrcac_differs_from_krippendorffs():
    for name, theirs, krippendorff in (("k2011", 0.8336, 0.8154), ("hk2007", 0.7073, 0.7598)):
        table = matrix(name)
        assert ga.krippendorff_alpha(table, distance="gwet-ordinal", interval=None).value == pytest.approx(
            theirs, abs=5e-5
        )
        assert ga.krippendorff_alpha(table, distance="ordinal", interval=None).value == pytest.approx(
            krippendorff, abs=5e-5
        )


def test_multi_kappa_with_missing_judgments_has_two_definitions():
    table = matrix("k2011")
    assert ga.item_coefficient(table, "kappa", interval=None).value == pytest.approx(0.76224, abs=5e-6)  # AP05 §5.1
    assert ga.item_coefficient(table, "conger", interval=None).value == pytest.approx(0.76207, abs=5e-6)  # irrCAC


def test_margins_of_gwet_include_lone_judgments():
    # DKPro's pooled margins give .77560, margins of pairable items alone .77515
    assert ga.item_coefficient(matrix("k2011"), "ac1", interval=None).value == pytest.approx(0.77544, abs=5e-6)


def test_coefficients_are_not_available_with_a_single_category():
    # NLTK gives 1 for all of them, krippendorff raises, statsmodels and scikit-learn give NaN without a reason
    table = ga.ItemTable.from_matrix([["x", "x"]] * 3)
    for name in ("s", "pi", "kappa", "alpha", "ac1", "kappa-mean"):
        actual = ga.item_coefficient(table, name)
        assert math.isnan(actual.value)
        assert "a single category" in actual.reason
    declared = table.with_categories(["x", "y"])
    assert ga.item_coefficient(declared, "s").value == 1.0
    assert ga.item_coefficient(declared, "ac1").value == 1.0
    assert ga.item_coefficient(declared, "alpha").reason == "no disagreement by chance: a single category"


def test_distances_by_value_and_by_position_differ_for_uneven_steps():
    rows = [[1, 1], [1, 3], [3, 5], [5, 5], [3, 10], [10, 10], [1, 5]]
    by_value = ga.item_coefficient(ga.ItemTable.from_matrix(rows), "kappa", distance="interval", interval=None).value
    place = {1: 1, 3: 2, 5: 3, 10: 4}
    ranks = ga.ItemTable.from_matrix([[place[label] for label in row] for row in rows])
    by_rank = ga.item_coefficient(ranks, "kappa", distance="interval", interval=None).value
    position = distances.Interval(by="position")
    actual = ga.item_coefficient(ga.ItemTable.from_matrix(rows), "kappa", distance=position, interval=None).value
    assert actual == pytest.approx(by_rank)
    assert abs(by_value - by_rank) > 0.05


def test_beta_may_be_below_alpha_prime():
    # AP05 §3 says it never is; d(x,y) = 1, d(x,z) = d(y,z) = 0 is a distance in their sense, not of negative type
    rows = [["x", "x"], *[["x", "z"]] * 9, ["y", "x"], *[["y", "z"]] * 9]
    table = ga.ItemTable.from_matrix(rows)
    distance = distances.Matrix("xyz", [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    values = [
        ga.item_coefficient(table, name, distance=distance, interval=None).value for name in ("alpha-prime", "beta")
    ]
    assert values == pytest.approx([2 / 3, 0.0])


def test_all_golden_values_are_checked():
    looked_at = {
        *COEFFICIENTS,
        *EXPECTED_PART,
        *(
            "Do",
            "Ae_S_pi_kappa",
            "Ae_pi_from_totals",
            "bias_B",
            "byrt",
            "kappa_max",
            "aickin",
        ),
        *("alpha_category", "fleiss_kappa_category", "fleiss_z_category", "fleiss_z", "fleiss_se_1971"),
        *("kappa_se_fleiss1969", "kappa_ci_fleiss1969", "alpha_bootstrap", "ordinal_distance_sqrt"),
        *("distance_jaccard", "distance_dice", "distance_passonneau", "distance_masi", "distance_masi_ap_product"),
        *("distance_melamed_resnik",),
    }
    assert {entry["coefficient"] for entry in VALUES} <= looked_at


def test_masi_of_dkpro_treats_the_empty_set_as_a_subset():
    # SetAnnotationsTest: .252 with its product of Jaccard and Passonneau
    rows = [[frozenset(label) for label in row] for times, row in GOLDEN["tables"]["sets9"] for _ in range(times)]
    table = ga.ItemTable.from_matrix(rows)
    distance = distances.MasiProduct(empty_is_subset=True)
    assert ga.krippendorff_alpha(table, distance=distance, interval=None).value == pytest.approx(0.252, abs=1e-3)
    assert distance.to_dict()["empty_is_subset"] is True
    assert ga.krippendorff_alpha(table, distance="masi-product", interval=None).value == pytest.approx(0.3883, abs=5e-5)


def test_stuart_test_of_margins_as_published():
    # Stuart 1955, unaided distance vision of 7,477 women
    vision = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
    test = stuart_test(np.array(vision, dtype=float))
    assert (test.statistic, test.freedom) == (pytest.approx(11.96, abs=0.005), 3)
    assert test.p == pytest.approx(0.0075, abs=5e-5)


def test_stuart_test_is_mcnemar_with_two_categories_and_needs_only_exchanged_ones():
    two = stuart_test(np.array([[20.0, 20.0], [10.0, 50.0]]))
    assert (two.statistic, two.freedom) == (pytest.approx(100 / 30), 1)
    # Two pairs of categories that are never exchanged between them are two tests, and an agreed category is none.
    apart = np.zeros((5, 5))
    apart[0, 1], apart[1, 0], apart[2, 3], apart[3, 2], apart[4, 4] = 20, 10, 6, 2, 30
    both = stuart_test(apart)
    assert (both.statistic, both.freedom) == (pytest.approx(100 / 30 + 16 / 8), 2)
    agreed = stuart_test(np.diag([3.0, 4.0]))
    assert (agreed.statistic, agreed.freedom) == (0.0, 0)
    assert math.isnan(agreed.p)


@pytest.mark.parametrize(
    ("rates", "kappa", "null", "settings", "items"),
    [
        ((0.5, 0.5), 0.85, 0.7, {}, 117),
        ((0.5, 0.5), 0.7, 0.85, {}, 96),
        ((0.3, 0.3), 0.6, 0.4, {}, 141),
        ((0.1, 0.2), 0.6, 0.4, {"power": 0.9, "two_sided": True}, 347),
        ((0.5, 0.5), 0.5, 0.0, {}, 23),
    ],
)
def test_sample_size_of_kappa_by_large_sample_errors(rates, kappa, null, settings, items):
    # N.cohen.kappa of irr
    assert ga.kappa_sample_size(kappa, null, rates=rates, **settings) == items


@pytest.mark.parametrize(
    ("shares", "coders", "items"),
    [((0.3, 0.7), 2, 191), ((0.3, 0.7), 3, 106), ((0.4, 0.6), 5, 58), ((0.3, 0.3, 0.4), 2, 108)],
)
def test_sample_size_of_kappa_by_goodness_of_fit(shares, coders, items):
    # PowerBinary and Power3Cats of kappaSize 1.2
    assert ga.kappa_sample_size(0.6, 0.4, shares=shares, coders=coders) == items


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rates": (0.3, 0.3), "shares": (0.3, 0.7)},
        {"rates": (0.1, 0.9)},
        {"rates": (0.3, 0.3), "power": 1},
        {"shares": (0.3, 0.6)},
        {"shares": (0.3, 0.7), "coders": 1},
    ],
)
def test_sample_size_of_kappa_refuses_what_cannot_be(settings):
    with pytest.raises(ga.SettingsError):
        ga.kappa_sample_size(0.6, 0.4, **settings)
