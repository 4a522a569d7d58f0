"""A result that rests on covers says soft-γ wherever it names γ, γcat or γk: in text, in tables, on pictures."""

import re

import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.present.comparison_lines import comparison_text
from gamma_align.present.curve_text import curve_svg, curve_text, plan_text
from gamma_align.present.symbols import prefix_of, symbol_of
from gamma_align.present.units_text import families_text

DATA = str(CORPORA / "pygamma" / "AlexPaulSuzan.csv")
PLAIN = re.compile(r"(?<!soft-)γ")
COVER = {"alignment": "cover", "samples": 4}


@pytest.fixture(scope="module")
def corpus():
    references = [ga.synthetic_reference(units=5, seed=seed, document=f"d{seed}") for seed in range(3)]
    return ga.shuffle(ga.Corpus.from_continua(references), magnitude=0.3, annotators=2)


def assert_soft(text):
    assert "soft-γ" in text
    assert PLAIN.findall(text) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["measure", DATA],
        ["measure", DATA, "--fail-under", "gamma=1,gamma-cat=1,gamma-k:1=2"],
        ["measure", DATA, "--pairs"],
        ["measure", DATA, "--pairs", "--fail-under", "pairwise-gamma=1"],
        ["evaluate", DATA, "--reference", "Alex", "--measures", "gamma", "--fail-under", "gamma=1,gamma-cat=1"],
        ["curve", DATA, "--kinds", "split", "--magnitudes", "0,1", "--repetitions", "1"],
        ["disagreements", DATA, "--pairs", "--leave-one-out"],
        ["families", DATA],
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[2:]),
)
def test_commands(arguments):
    done = run(*arguments, "--soft", "--samples", "4")
    assert_soft(done.stdout)
    assert PLAIN.findall(done.stderr) == []


def test_a_command_without_covers_says_nothing_of_them():
    done = run("measure", DATA, "--pairs", "--samples", "4")
    assert "soft" not in done.stdout + done.stderr


def test_replace_has_no_use_for_covers():
    done = run("replace", DATA, "--model", "Paul", "--soft")
    assert done.returncode == 2
    assert "argument --soft: it changes nothing" in done.stderr
    assert "measure γ with --margin 0.05 and --measure gamma" in done.stderr


def test_plan_and_curve(corpus):
    plan = ga.plan(corpus, target=0.1, annotators=[2], repetitions=2, **COVER)
    assert_soft(plan_text(plan))
    curve = ga.curve(corpus, kinds=["split"], magnitudes=[0, 1], repetitions=1, **COVER)
    assert_soft(curve_text(curve))
    assert_soft(curve_svg(curve, "made"))


def test_comparison(corpus):
    assert_soft(comparison_text(ga.compare(corpus, corpus, replicates=99, **COVER), 5))


def test_families_of_several_documents(corpus):
    assert_soft(families_text(ga.families(corpus, **COVER)))


def test_report(corpus):
    page = ga.html_report(corpus, **COVER).html
    words = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert_soft(re.sub(r"<[^>]+>", " ", words))


def test_plots(corpus):
    pytest.importorskip("matplotlib")
    assert ga.plot_documents(ga.gamma(corpus, **COVER)).get_xlabel().startswith(r"soft-$\gamma$")
    assert ga.plot_pairs(ga.pairwise(corpus, **COVER)).get_title("right") == r"soft-$\gamma$"
    curve = ga.curve(corpus, kinds=["split"], magnitudes=[0, 1], repetitions=1, **COVER)
    assert ga.plot_curve(curve).get_ylabel() == r"soft-$\gamma$"


def test_only_coefficients_of_alignments_have_the_prefix():
    assert [symbol_of(name, "soft-") for name in ("gamma", "gamma_cat", "u", "alpha")] == [
        "soft-γ",
        "soft-γcat",
        "uα",
        "alpha",
    ]
    assert [prefix_of(settings) for settings in ({}, {"alignment": "cover"}, {"gamma": {"alignment": "cover"}})] == [
        "",
        "soft-",
        "soft-",
    ]
