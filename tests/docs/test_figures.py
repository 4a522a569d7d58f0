"""Measured figures in README.md and docs/ are links to tables of results, and show the numbers of these tables."""

from __future__ import annotations

import figures
import make
import pytest
from places import ROOT

PAGES = {page.relative_to(ROOT).as_posix(): page for page in make.PAGES}

DEFINITIONS = {
    "docs/come_from/inception_dkpro.md": ("INCEpTION draws 30 samples from a fixed seed",),  # GammaAgreementMeasure
    "docs/choose/replaceable.md": ("errors of magnitude .3",),  # of people, docs/pictures/errors.py
    "docs/understand/alignment.md": (
        "a proven gap of .2 %",  # Limits.for_samples
    ),
    "docs/understand/chance.md": (
        "is capped at 3",
        "is three tenths of the precision for",  # gamma.computed_chance
        "has 48 differences at first, or 432",
        "a lattice of at least 144 differences",
        "20,000 samples of each of 100 documents",  # that computed_chance.py draws
        "precise to .02 at 95 %",  # the default of `precision`
        "30 samples to begin with",  # M15
        "30 samples of all documents together and 8 of each",  # gamma.precision
        "with 30 samples at least (16 if pairs help",
        "from 64 stratified points",  # gamma.pairs
        "where more than 30 samples of a",
    ),
    "docs/understand/defaults.md": (
        "8 samples of each document (30 of all together)",  # gamma.precision
    ),
    "docs/look_up/commands/disagreements.md": (
        "about .007",  # exp(-5), insight.causes: the least evidence in nats
        "at least .4 %",  # insight.causes: the least share
    ),
    "docs/understand/causes.md": ("is about .007", "It must be .4 % or more"),
    "docs/carry_on/new_interval.md": (
        "a share of .9 that agree",
        "from .93 to .97",  # the limits of the tests
    ),
    "docs/look_up/commands/convert.md": ("256 MiB", "32 MiB"),  # io.sorting.LARGE
    "docs/look_up/commands/curve.md": ("two samples or more",),  # shuffling.curve.MIN_SAMPLES
    "docs/look_up/commands/index.md": ("ten seconds",),  # how often progress is printed without a terminal
    "docs/look_up/options.md": (
        "30 samples of its statistical sampler",  # gammas.options: pygamma-agreement's default
        "a few samples of each of many documents suffice",  # gammas.options, not a measurement
    ),
    "docs/do/spans_from_a_model.md": ("is in the text several times",),
    "docs/do/speaker_turns.md": ("a quarter of a second",),  # half of --collar 0.5
    "docs/learn/from_kappa.md": ("and five versions of a second annotator",),
    "docs/learn/ten_minutes.md": ("In ten minutes you measure",),
    "docs/look_up/large_data.md": (
        "256 MiB",  # io.sorting.LARGE
        "32 MiB",
        "twenty seconds",  # how often a work folder is written
    ),
    "docs/look_up/commands/measure.md": ("below -.5",),  # data.sanity.LOW_GAMMA
    "docs/carry_on/new_format.md": ("100 ns",),  # HTK's unit of length
    "docs/paper/paper.md": (
        "γ with 30 samples",  # options of the commands that were measured
        "stopped after 45 s",
        "of 95 % intervals",
    ),
    "docs/questions.md": (  # as people ask
        "Is γ = .64 good",
        "By hand I get .28, the tool says .82",
        "An exact match gives .40, a displaced one .42",
        "over 50,000 ratings hangs",
    ),
    "docs/look_up/service.md": (
        "four a second",  # at most as many events
        "50 MiB",  # the default limits of `gamma-align serve`
        "500 MiB",
        "256 MiB",
        "ten minutes",
        "half an hour",
    ),
    "docs/evidence/coverage.md": (
        "in .95 of all cases",
        "cells below .925",  # the limits of coverage that tables count by
        "more than .05 on one side",
        "find them in .80",  # the power asked for
    ),
    "docs/evidence/speed.md": (
        "500 units, 30 samples",
        "a small file, 30 samples",
        "γ, 30 samples, 3 × 100",
    ),  # what is measured
    "docs/why.md": ("γ = .64 may be",),
}
"""Quantities that are settings or definitions, not measurements, by page."""

TITLES = ("first ten minutes",)
"""Titles of pages, which links on any page show."""

TABLE = """# A page
| kind | items | CPU s | share |
| --- | ---: | ---: | --- |
| a | 5 | 0.0209 | 0.84 – 0.96 |
| a | 20 | **1,250.5** | 0.91 – 0.98 |

## Another
| kind | items | CPU s |
| --- | --- | --- |
| b | 5 | 3 |
"""


@pytest.mark.parametrize("name", PAGES)
def test_figures_are_those_of_their_tables(name):
    text = PAGES[name].read_text(encoding="utf-8")
    assert figures.filled(text, PAGES[name]) == text


@pytest.mark.parametrize("name", PAGES)
def test_measured_figures_are_links_to_their_tables(name):
    text = PAGES[name].read_text(encoding="utf-8")
    assert figures.unmarked(text, (*DEFINITIONS.get(name, ()), *TITLES)) == []


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions_stand_on_their_pages(name):
    words = " ".join(figures.prose(PAGES[name].read_text(encoding="utf-8")).split())
    assert [definition for definition in DEFINITIONS[name] if definition not in words] == []


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("a; 5; CPU s", 0.0209),
        ("a; 20; CPU s", 1250.5),
        ("## Another; 5; CPU s", 3.0),
        ("items ≥ 10; CPU s", 1250.5),
        ("a; CPU s; lowest", 0.0209),
        ("a; items = 20; share #2", 0.98),
        ("a; share #1; highest", 0.91),
    ],
)
def test_a_title_names_a_number(title, number):
    assert figures.figure(TABLE, title) == number


@pytest.mark.parametrize("title", ["a; CPU s", "c; CPU s", "c; CPU s; lowest", "a; 5; share", "a; 5; wall s"])
def test_a_title_that_names_no_number_or_several_is_an_error(title):
    with pytest.raises(ValueError, match=title.split(";", maxsplit=1)[0]):
        figures.figure(TABLE, title)


@pytest.mark.parametrize(
    ("number", "like", "text"),
    [(0.0209, ".03", ".02"), (1250.5, "7", "1,250"), (4.33, "5.0", "4.3"), (0.899, "0.88", "0.90")],
)
def test_a_figure_keeps_its_decimals(number, like, text):
    assert figures.rounded(number, like) == text


def test_a_figure_is_not_rounded_to_nothing():
    with pytest.raises(ValueError, match="more decimals"):
        figures.rounded(0.0009, ".03")


@pytest.mark.parametrize(
    "text",
    [
        "takes 5 s of CPU",
        "takes\nhalf a minute",
        "with 340 MB",
        "is three times as fast",
        "from 450,000 samples",
        "covers .94 of them",
        "| what | CPU s |\n|---|---|\n| γ | 5 |\n",
    ],
)
def test_a_measured_figure_without_a_table_is_found(text):
    assert len(figures.unmarked(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a 95 % interval",
        "M15 §5.2",
        "file.5 and `5 s`",
        "```text\n5 s\n```\n",
        "γ 0.88",
        '[5](../tools/bench/results/x.md "a; b") s',
    ],
)
def test_other_numbers_are_not_taken_for_measured_figures(text):
    assert figures.unmarked(text) == []
