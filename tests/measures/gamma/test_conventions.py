"""One set of options for the measure, and the conventions that decide those that are not given."""

from __future__ import annotations

import json

import pytest
import strategies as sts

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.errors import SettingsError
from gamma_align.measures.gamma.gamma_options import CONVENTION_VALUES as CONVENTIONS
from gamma_align.measures.gamma.gamma_settings import GammaSettings

GOLDEN = sts.GOLDEN["mathet_fig3"]["expected"]
FIG3 = sts.mathet_fig3()
FEW_SAMPLES = ["--samples", "3"]
COMMANDS = {
    "measure": FEW_SAMPLES,
    "families": FEW_SAMPLES,
    "curve": [*FEW_SAMPLES, "--kinds", "category", "--magnitudes", "0,1", "--repetitions", "1"],
    "plan": [*FEW_SAMPLES, "--target-width", "0.5", "--annotators", "2", "--repetitions", "2"],
}
SETTINGS = [
    ("--conventions authors", {"conventions": "authors", "alpha": 3.0, "min_distance": "half"}),
    ("--alpha 2 --beta 0.5 --delta-empty 1.5", {"alpha": 2.0, "beta": 0.5, "delta_empty": 1.5}),
    ("--confidence weighted", {"confidence": "weighted"}),
    ("--confidence none", {"confidence": "none"}),
    ("--sampler statistical", {"sampler": "statistical"}),
    ("--min-distance half", {"min_distance": "half"}),
    ("--integer-offsets yes", {"integer_offsets": True}),
    ("--integer-offsets no", {"integer_offsets": False}),
    ("--integer-offsets auto --conventions authors", {"integer_offsets": "auto"}),
    ("--empty-samples one", {"empty_samples": "one"}),
    ("--control none", {"control": "none"}),
    ("--samples 4 --max-samples 50 --seed 9", {"samples": 4, "max_samples": 50, "seed": 9}),
    ("--time-limit 30", {"time_limit": 30.0}),
    ("--solver ortools", {"solver": "ortools"}),
]


def corpus_of(continua):
    return ga.Corpus.from_continua(continua)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Figure 3 of M17, twice: a plan takes a pilot of two documents. Their units reach from 0 to 39, its extent."""
    rows = [
        f"{document},{unit.annotator},{unit.start:g},{unit.end:g},{unit.category}\n"
        for document in ("d", "e")
        for unit in FIG3.units()
    ]
    file = tmp_path_factory.mktemp("fig3") / "units.csv"
    file.write_text("document,annotator,start,end,category\n" + "".join(rows), encoding="utf-8")
    return file


def printed(capsys, *arguments):
    assert main([*map(str, arguments), "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


def settings_of(command, document):
    """Return the settings of γ in what a command prints."""
    if command == "families":
        return document["gamma"]["settings"]
    return document["settings"] if command == "measure" else document["settings"]["gamma"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("options", "expected"), SETTINGS, ids=[options for options, _ in SETTINGS])
def test_every_option_reaches_every_command(path, capsys, command, options, expected):
    settings = settings_of(command, printed(capsys, command, path, *COMMANDS[command], *options.split()))
    assert {name: settings[name] for name in expected} == expected


@pytest.mark.parametrize("command", COMMANDS)
def test_defaults_follow_the_papers(path, capsys, command):
    settings = settings_of(command, printed(capsys, command, path, *COMMANDS[command]))
    expected = {**CONVENTIONS["m15"], "samples": 3, "conventions": "m15"} | dict.fromkeys(("precision", "precision_of"))
    assert {name: settings[name] for name in expected} == expected


def test_conventions_reach_the_alignment(path, capsys):
    found = printed(capsys, "align", path, "--conventions", "authors")["documents"][0]["disorder"]
    plain = printed(capsys, "align", path)["documents"][0]["disorder"]
    continuum = ga.read(path)["d"]
    assert (found, plain) == (ga.align(continuum, alpha=3).disorder, ga.align(continuum).disorder)
    assert printed(capsys, "align", path, "--conventions", "authors", "--alpha", 1)["documents"][0]["disorder"] == plain


@pytest.mark.parametrize("command", ["measure", "families", "curve", "plan", "align"])
def test_other_conventions_are_refused(path, capsys, command):
    assert main([command, str(path), "--conventions", "java"]) == 2
    assert "argument --conventions: invalid choice: 'java'" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--confidence", "--min-distance", "--integer-offsets", "--control", "--samples"])
def test_options_without_meaning_for_an_alignment_are_not_offered_there(path, capsys, option):
    assert main(["align", str(path), option, "none"]) == 2
    assert f"no option {option}" in capsys.readouterr().err


# --- in Python ---


@pytest.mark.parametrize("conventions", CONVENTIONS)
@pytest.mark.parametrize("explicit", [{}, {"alpha": 2.0, "confidence": "none", "integer_offsets": False}])
def test_explicit_options_override_conventions(conventions, explicit):
    options = {**CONVENTIONS[conventions], "samples": 20, **explicit}
    short = ga.gamma(FIG3, conventions=conventions, seed=1, **{"samples": 20, **explicit})
    long = ga.gamma(FIG3, seed=1, **options)
    assert short.to_dict()["documents"] == long.to_dict()["documents"]
    assert short.settings == {**long.settings, "conventions": conventions}


def test_conventions_of_the_papers_are_the_defaults():
    assert GammaSettings.of(conventions="m15") == GammaSettings.of() == GammaSettings()


def test_falsy_values_override_conventions():
    settings = GammaSettings.of(conventions="authors", alpha=0.0, integer_offsets=False)
    assert (settings.dissimilarity.alpha, settings.integer_offsets) == (0.0, False)


def test_settings_that_are_kept_do_not_stand_for_values_of_another_type():
    assert GammaSettings.of(integer_offsets=True) is GammaSettings.of(integer_offsets=True)
    with pytest.raises(SettingsError, match="integer_offsets must be True, False or 'auto', not 1"):
        GammaSettings.of(integer_offsets=1)


def test_a_table_of_distances_may_change_between_settings():
    table = {("a", "b"): 0.5}
    before = GammaSettings.of(distance=table).dissimilarity.categorial.to_dict()["values"]
    table["a", "b"] = 0.25
    after = GammaSettings.of(distance=table).dissimilarity.categorial.to_dict()["values"]
    assert (before[0][1], after[0][1]) == (0.5, 0.25)


@pytest.mark.parametrize("measure", [ga.gamma, ga.families, ga.curve, ga.pairwise])
def test_unknown_option_is_refused(measure):
    with pytest.raises(SettingsError, match=r"γ has no setting 'sample'; did you mean samples or sampler\?"):
        measure(FIG3, sample=3)


def test_precision_replaces_the_number_of_samples_of_conventions():
    assert GammaSettings.of(conventions="pygamma").rule.samples == 30
    rule = GammaSettings.of(conventions="pygamma", precision=0.05).rule
    assert (rule.samples, rule.precision) == (None, 0.05)
    assert GammaSettings.of(conventions="pygamma", precision=0.05, samples=8).rule.samples == 8


@pytest.mark.parametrize("conventions", ["authors", "pygamma"])
def test_signature_names_conventions_and_their_options(conventions):
    result = ga.gamma(FIG3, conventions=conventions, samples=3, min_distance="mean")
    fields = result.signature.split("|")
    alpha = f"α:{CONVENTIONS[conventions]['alpha']:g}"
    for field in (f"conv:{conventions}", alpha, "min:mean", "int:yes", "conf:weighted", "empty:skip"):
        assert field in fields
    plain = ga.gamma(FIG3, samples=3, integer_offsets=False)
    assert "int:no" in plain.signature.split("|")
    assert not {"conv", "min", "conf", "empty"} & {field.split(":")[0] for field in plain.signature.split("|")}


def test_pygamma_draws_its_own_samples():
    result = ga.gamma(FIG3, conventions="pygamma")
    assert result.settings["sampler"] == "statistical"
    assert result.notes == ()


@pytest.mark.parametrize("measured", [ga.gamma, ga.families])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"conventions": "java"}, "conventions must be one of m15, authors, pygamma, not 'java'"),
        ({"integer_offsets": "maybe"}, "integer_offsets must be True, False or 'auto', not 'maybe'"),
        ({"min_distance": "none"}, "min_distance must be one of mean, half, not 'none'"),
    ],
)
def test_objects_that_are_no_settings_are_refused(measured, options, message):
    with pytest.raises(SettingsError, match=message):
        measured(FIG3, **options)


# --- M17 table 3 ---


def shares(contributions):
    return {f"{entry['first']}-{entry['second']}": 100 * entry["gamma_cat"] for entry in contributions}


def test_m17_table_3_with_the_authors_conventions():
    result = ga.families(FIG3, conventions="authors", samples=3)
    found = shares(entry.to_dict() for entry in result.contributions)
    assert sum(entry.weight for entry in result.contributions) == pytest.approx(GOLDEN["total"], abs=0.005)
    for pair in ("A-A", "B-B", "A-B"):
        assert found[pair] == pytest.approx(GOLDEN[pair], abs=0.05)
    assert result.gamma.settings["confidence"] == "weighted"


@pytest.mark.parametrize(
    ("options", "expected", "tolerance"),
    [
        (["--conventions", "authors"], {pair: GOLDEN[pair] for pair in ("A-A", "B-B", "A-B")}, 0.05),
        (["--conventions", "authors", "--alpha", "1"], {"A-A": 20, "B-B": 20, "A-B": 40, "B-C": 20}, 0.5),
    ],
    ids=["alpha 3", "alpha 1"],
)
def test_m17_table_3_on_the_command_line(path, capsys, options, expected, tolerance):
    """Two copies of figure 3 have the shares of one; with α = 1 the units B and C are one alignment (issue 12)."""
    document = printed(capsys, "families", path, *FEW_SAMPLES, *options)
    found = shares(document["contributions"]["corpus"])
    assert {pair: found[pair] for pair in expected} == pytest.approx(expected, abs=tolerance)
