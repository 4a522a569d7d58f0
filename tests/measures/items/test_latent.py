"""Aickin's share of easy items and latent classes recover known models."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

import gamma_align as ga
from gamma_align.errors import SettingsError

SHARES = np.array([0.7, 0.3])
YES = np.array([[0.1, 0.2, 0.05], [0.9, 0.8, 0.7]])  # by class and coder


def exact_table(items=10_000):
    """Return the table of expected counts of a model with three coders and two answers."""
    rows = []
    for answer in product((0, 1), repeat=3):
        likelihoods = np.prod(np.where(np.array(answer)[None, :] == 1, YES, 1 - YES), axis=1)
        rows += [[float(label) for label in answer]] * round(items * float(SHARES @ likelihoods))
    return ga.ItemTable.from_matrix(rows, categories=[0, 1])


def test_latent_classes_recover_the_model_of_the_data():
    model = ga.latent_classes(exact_table(100_000), seed=3, precision=1e-9)
    assert model.shares == pytest.approx(SHARES, abs=1e-3)
    assert model.response[:, :, 1] == pytest.approx(YES, abs=2e-3)
    accuracy = model.accuracy("1")
    assert accuracy["2"] == pytest.approx((0.8, 0.8), abs=2e-3)


def test_a_just_identified_model_has_the_likelihood_of_the_counts():
    table = exact_table(2000)
    model = ga.latent_classes(table, precision=1e-12)
    _, times = np.unique(table.codes, axis=0, return_counts=True)
    saturated = float((times * np.log(times / times.sum())).sum())
    assert model.log_likelihood == pytest.approx(saturated, abs=1e-3)
    assert model.log_likelihood <= saturated + 1e-9
    assert model.bic == pytest.approx(-2 * model.log_likelihood + 7 * math.log(len(table)))


def test_posteriors_of_items_follow_bayes():
    rows = (
        [[1.0, 1.0, None], [0.0, 0.0, 0.0], [None, None, None], [1.0, 1.0, 1.0]]
        + [[0.0, 0.0, 0.0]] * 5
        + [[1.0, 0.0, 1.0]] * 3
    )
    model = ga.latent_classes(ga.ItemTable.from_matrix(rows))
    assert model.posterior.shape == (12, 2)
    assert np.isnan(model.posterior[2]).all()
    likelihoods = np.array([model.response[c, 0, 1] * model.response[c, 1, 1] for c in range(2)]) * model.shares
    assert model.posterior[0] == pytest.approx(likelihoods / likelihoods.sum(), abs=1e-6)


def test_a_model_of_one_class_is_independence():
    table = exact_table(500)
    model = ga.latent_classes(table, classes=1)
    margin = np.array([(table.codes == 1).mean(axis=0)])
    assert model.response[:, :, 1] == pytest.approx(margin)


def test_more_starts_are_never_worse_and_a_seed_is_reproducible():
    table = ga.ItemTable.from_matrix(np.random.default_rng(0).integers(0, 3, size=(60, 4)))
    one_start, eight_starts, same_seed = (
        ga.latent_classes(table, classes=3, starts=starts, seed=5) for starts in (1, 8, 8)
    )
    assert eight_starts.log_likelihood >= one_start.log_likelihood
    assert eight_starts.response.tolist() == same_seed.response.tolist()
    assert eight_starts.shares.tolist() == sorted(eight_starts.shares.tolist(), reverse=True)


def test_models_that_are_not_available_have_a_reason():
    two = ga.ItemTable.from_contingency([[5, 2], [1, 7]], ["x", "y"])
    assert ga.latent_classes(two).reason == "too few coders for so many classes"
    assert ga.latent_classes(ga.ItemTable.from_matrix([[None, None]])).reason == "no item was judged"
    assert (
        ga.latent_classes(ga.ItemTable.from_counts([[2, 1]], ["x", "y"])).reason
        == "the table does not say who judged what"
    )
    assert ga.latent_classes(two).to_dict()["bic"] is None
    with pytest.raises(SettingsError, match="classes and starts must be 1 or more"):
        ga.latent_classes(two, classes=0)
    with pytest.raises(SettingsError, match="there is no category 'maybe'; there are '0', '1'"):
        ga.latent_classes(exact_table(500)).accuracy("maybe")
    with pytest.raises(SettingsError, match="accuracy is defined for two classes, and this model has 1"):
        ga.latent_classes(exact_table(500), classes=1).accuracy("1")


def test_a_model_is_written_as_json():
    actual = ga.latent_classes(exact_table(500)).to_dict()
    assert sum(actual["shares"]) == pytest.approx(1.0)
    assert list(actual["response"]) == ["1", "2", "3"]


# -------------------------------------------------------------------------------------- the test of fit


def make_judgments(items=150, missing=0.0):
    draw = np.random.default_rng(2)
    true = draw.integers(0, 2, size=(items, 1))
    codes = np.where(draw.random((items, 4)) < 0.75, true, draw.integers(0, 3, size=(items, 4))).astype(float)
    codes[draw.random(codes.shape) < missing] = np.nan
    return ga.ItemTable.from_matrix(codes, categories=[0, 1, 2])


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_fit_compares_counts_with_those_expected_by_the_model(missing):
    table = make_judgments(missing=missing)
    model = ga.latent_classes(table, starts=3)
    rows = [tuple(row) for row in table.codes.tolist() if max(row) >= 0]
    g2 = x2 = 0.0
    cells = 0
    for judged in {tuple(code >= 0 for code in row) for row in rows}:
        group = [row for row in rows if tuple(code >= 0 for code in row) == judged]
        answers = list(product(*(range(3) if is_judged else (-1,) for is_judged in judged)))
        cells += len(answers) - 1
        for answer in answers:
            probabilities = [model.response[:, coder, code] for coder, code in enumerate(answer) if code >= 0]
            expected = len(group) * float(model.shares @ np.prod(probabilities, axis=0))
            count = group.count(answer)
            x2 += (count - expected) ** 2 / expected
            g2 += 2 * count * math.log(count / expected) if count else 0.0
    assert (model.fit.g2, model.fit.x2) == pytest.approx((g2, x2), rel=1e-6)
    assert model.parameters == 1 + 2 * 4 * 2
    assert model.fit.freedom == cells - model.parameters
    assert model.fit.p_g2 == pytest.approx(chi2.sf(g2, model.fit.freedom))
    assert model.fit.p_x2 == pytest.approx(chi2.sf(x2, model.fit.freedom))
    assert model.fit.sparse
    assert model.aic == pytest.approx(2 * 17 - 2 * model.log_likelihood)


def test_the_test_of_fit_distinguishes_right_and_wrong_models():
    four = np.concatenate([YES, np.array([[0.15], [0.85]])], axis=1)
    draw = np.random.default_rng(4)
    codes = (draw.random((2000, 4)) < four[draw.choice(2, size=2000, p=SHARES)]).astype(float)
    table = ga.ItemTable.from_matrix(codes)
    one, two = (ga.latent_classes(table, classes=classes, starts=3) for classes in (1, 2))
    assert (one.fit.freedom, two.fit.freedom) == (15 - 4, 15 - 9)
    assert one.fit.p_g2 < 1e-6
    assert two.fit.p_g2 > 0.05
    assert two.fit.p_x2 == pytest.approx(two.fit.p_g2, abs=0.1)
    assert not two.fit.sparse
    assert two.aic < one.aic
    assert two.bic < one.bic


def test_a_saturated_model_has_no_test_of_fit():
    model = ga.latent_classes(exact_table(2000), precision=1e-12)
    assert model.fit.freedom == 0
    assert model.fit.g2 == pytest.approx(0.0, abs=1e-2)
    assert math.isnan(model.fit.p_g2)
    assert model.to_dict()["fit"]["p_g2"] is None


def test_the_votes_are_a_start_if_classes_are_categories():
    # five classes of five categories; 9 of 10 judgments are right
    draw = np.random.default_rng(0)
    true = draw.integers(0, 5, size=(80, 1))
    codes = np.where(draw.random((80, 4)) < 0.9, true, draw.integers(0, 5, size=(80, 4))).astype(float)
    table = ga.ItemTable.from_matrix(codes)
    model = ga.latent_classes(table, classes=5, starts=1)
    assert sorted(model.response.mean(axis=1).argmax(axis=1)) == [0, 1, 2, 3, 4]
    assert (
        model.posterior.argmax(axis=1) == model.response.mean(axis=1).argmax(axis=1).argsort()[true[:, 0]]
    ).mean() > 0.9


# ------------------------------------------------------------------------------------------ Aickin


@pytest.mark.parametrize("cells", [[[20, 20], [10, 50]], [[24, 8], [14, 24]], [[300, 4], [7, 5]]])
def test_aickin_has_a_closed_form_on_two_categories(cells):
    (a, b), (c, d) = cells
    expected = (a + d) / (a + b + c + d) * (1 - math.sqrt(b * c / (a * d)))
    table = ga.ItemTable.from_contingency(cells, ["x", "y"])
    assert ga.aickin(table, correction=False).value == pytest.approx(expected, abs=1e-9)


def test_aickin_recovers_the_share_of_easy_items():
    first, second, easy = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.4, 0.2]), 0.6
    chance = first @ second
    share = (1 - easy) * np.outer(first, second) + easy * np.diag(first * second) / chance
    table = ga.ItemTable.from_contingency(np.round(share * 1e6), ["x", "y", "z"])
    assert ga.aickin(table, correction=False).value == pytest.approx(easy, abs=1e-4)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (ga.ItemTable.from_matrix([[1, 1, 2]]), "defined for two coders"),
        (ga.ItemTable.from_matrix([[1, None], [None, 2]]), "no item was judged by two coders"),
        (ga.ItemTable.from_matrix([[1, 1], [1, 1]]), "no disagreement by chance: a single category"),
    ],
)
def test_aickin_that_is_not_available_has_a_reason(table, reason):
    assert ga.aickin(table).reason == reason
