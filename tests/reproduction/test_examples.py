"""Worked examples of the papers: reproduced values, other values, and the proofs of misprints."""

import math
import re

import examples as module
import pytest
from examples import REASONS, data, examples, is_printed
from places import ROOT
from reproduce import main

from gamma_align.api.items import item_coefficient
from gamma_align.data.item_table import ItemTable
from gamma_align.errors import SettingsError

RESULTS = ROOT / "tools" / "reproduction" / "results"
NOT_EQUAL = {
    **dict.fromkeys(("zwick3.pi", *(f"dg_ex1.{name}" for name in ("Ae_kappa", "kappa", "pi", "PABAK"))), "rounding"),
    **dict.fromkeys((f"dg_ex{name}" for name in ("2.kappa", "3.kappa", "3.pi", "5.kappa", "5.pi")), "misprint"),
    **dict.fromkeys(("dg_ex6.kappa", "dg_ex6.pi", "ap_table8_case1.text"), "misprint"),
    **dict.fromkeys(
        (
            f"mathet_fig3.{name}"
            for name in ("ku_alpha_B", "gamma.60", "gamma_cat", "gamma_k_A", "gamma_k_B", "gamma_k_B2")
        ),
        "not reproducible",
    ),
    **dict.fromkeys(
        (f"mathet_fig3.gammacat_weights.{pair}.text" for pair in ("A-A", "B-B", "A-B", "B-C")), "not reproducible"
    ),
}


@pytest.fixture(scope="module")
def result():
    return examples(samples=2000)


def test_verdicts_of_all_printed_values_are_known(result):
    verdicts = {example.id: example.verdict for example in result.examples}
    assert verdicts == {example.id: NOT_EQUAL.get(example.id, "equal") for example in result.examples}
    assert verdicts.keys() >= NOT_EQUAL.keys()
    assert len(verdicts) == len(result.examples) == len(data().examples) == sum(result.counts.values())


def test_values_that_differ_have_a_reason(result):
    assert [example.id for example in result.examples if (example.verdict != "equal") != bool(example.why)] == []


def test_contradictory_printed_values_are_not_called_misprints(result):
    why = {
        example.id.removeprefix("mathet_fig3."): example.why
        for example in result.examples
        if "mathet_fig3" in example.id
    }
    assert why["gamma_k_A"].startswith("contradicts table 3")
    assert why["gamma_k_B"].startswith("contradicts table 3")
    # Even if shares are at the ends of their rounding ranges, the printed values exceed the bounds.
    assert 0.3345 > 1 - 40.85 / (20.25 + 40.85)
    assert 0.4935 > 1 - 40.85 / (38.85 + 40.85)
    assert "0.633 = 0.484 + 0.149" in why["ku_alpha_B"]
    assert not any("slipped" in text for text in why.values())


def test_entries_name_known_papers_and_data():
    published = data()
    papers = [set(re.findall(r"\b(?:[A-Z]+\d+|EB)\b", entry["source"])) for entry in published.examples]
    assert all(papers)
    assert set.union(*papers) == published.sources.keys()
    assert {entry["data"] for entry in published.examples} - {
        None
    } == published.tables.keys() | published.continua.keys()
    assert {entry["verdict"] for entry in published.examples if "verdict" in entry} == set(REASONS)


def test_figures_of_mathet_2017_are_reproduced(result):
    example_by_id = {example.id: example for example in result.examples}
    assert example_by_id["mathet_fig3.gamma.39"].ours[0] == pytest.approx(0.289, abs=0.005)
    assert example_by_id["mathet_fig3.gamma.60"].ours[0] == pytest.approx(0.394, abs=0.01)
    text = [
        100 * example_by_id[f"mathet_fig3.gammacat_weights.{pair}.text"].ours[0]
        for pair in ("A-A", "B-B", "A-B", "B-C")
    ]
    assert text == pytest.approx([20, 20, 40, 20], abs=0.5)
    assert 0 < example_by_id["mathet_fig3.gamma.39"].error < 0.005
    assert math.isnan(example_by_id["fig12_11.ku_alpha_7"].ours[0])


def test_value_that_differs_without_a_reason_is_different(monkeypatch):
    published = data()
    entries = [entry for entry in published.examples if entry["id"] in ("ap_table1.pi", "dg_ex2.kappa")]
    moved = [entry | {"printed": "0.35"} for entry in entries]
    monkeypatch.setattr(module, "data", lambda: published._replace(examples=moved))
    assert [example.verdict for example in examples(samples=2).examples] == ["different", "misprint"]


def test_reasons_for_misprints_are_correct():
    # Di Eugenio & Glass: the printed values follow from other terms than the terms of the table.
    def agreement(name):
        table = ItemTable.from_matrix([row for n, row in data().tables[name] for _ in range(n)])
        pi, kappa = (item_coefficient(table, coefficient, interval=None) for coefficient in ("pi", "kappa"))
        return 1 - pi.observed, 1 - pi.expected, 1 - kappa.expected

    terms = {
        "0.6632": (0.8333 - 0.505) / (1 - 0.505),
        "0.6724": (0.8333 - 0.4912) / (1 - 0.4912),
        "0.4912": 0.633 * 0.467 + 0.367 * 0.533,
        "0.27": (0.65 - 0.52) / (1 - 0.52),
        "0.418": (0.68 - 0.45) / (1 - 0.45),
        "-0.048": -0.005 / 0.105,
        # Mathet 2017: table 3 bounds γk, as no expected disagreement is above 1
        "0.331": 1 - 40.9 / (20.2 + 40.9),
        "0.487": 1 - 40.9 / (38.8 + 40.9),
    }
    assert [printed for printed, value in terms.items() if not is_printed(value, printed)] == []
    agreed = {"dg_ex1": 125 / 150, "dg_ex2": 125 / 150, "dg_ex3": 0.9, "dg_ex5": 0.65, "dg_ex6": 0.65}
    by_chance = {
        "dg_ex1": (0.505, (95 * 70 + 55 * 80) / 150**2),
        "dg_ex2": (0.505, (85 * 80 + 65 * 70) / 150**2),
        "dg_ex3": (0.905, 0.905),
        "dg_ex5": (0.51125, 0.51),
        "dg_ex6": (0.51125, 0.45),
    }
    for table, expected in by_chance.items():
        assert agreement(table) == pytest.approx((agreed[table], *expected), abs=1e-12)


@pytest.mark.parametrize(
    ("value", "printed", "error", "equal"),
    [
        (0.2345, "0.234", 0.0, True),
        (0.2346, "0.234", 0.0, False),
        (-0.0526, "-0.05", 0.0, True),
        (0.4444, "44 %", 0.0, True),
        (0.4451, "44 %", 0.0, False),
        (1 / 3, "1/3", 0.0, True),
        (0.3334, "1/3", 0.0, False),
        (0.304, "0.29", 0.0, False),
        (0.304, "0.29", 0.005, True),
        (math.nan, "undefined", 0.0, True),
        (0.0, "undefined", 0.0, False),
        (math.nan, "0.5", 0.0, False),
    ],
)
def test_printed_value_is_compared_to_its_last_digit(value, printed, error, equal):
    assert is_printed(value, printed, error) is equal


def test_examples_are_printed_with_their_verdicts_and_reasons(capsys):
    main(["examples", "--samples", "300"])
    text = capsys.readouterr().out
    assert "118 printed values: 95 equal, 5 rounding, 8 misprint, 10 not reproducible\n" in text
    committed = (RESULTS / "examples.txt").read_text(encoding="utf-8")
    kept = [line for line in committed.splitlines() if "±" not in line]
    assert [line for line in text.splitlines() if "±" not in line] == kept  # without random samples
    assert "DG04, example 6, κ: 2A_o - 1 = 0.3, as printed, is A_o = 0.65" in text


def test_impossible_settings_are_refused():
    with pytest.raises(SettingsError, match="2 samples"):
        examples(samples=1)
