"""The HTML report: its numbers and sentences, the links from counts to cases, and text that it must not contain."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.insight.disagreements.shares import Missing, Share
from gamma_align.measures.gamma.gamma_reasons import SAME_CATEGORIES
from gamma_align.present.page import numbers, sentences
from gamma_align.present.page.cards import Cards

NOVELS = CORPORA / "novels_ner"
HEARST = CORPORA / "hearst_kazantseva"
SLEEP = CORPORA / "dreem_sleep_dodh"


@pytest.fixture(scope="module")
def novels():
    return ga.html_report(NOVELS, samples=30, seed=7)


@pytest.fixture(scope="module")
def novels_page(novels):
    return Page(novels.html)


class Page(HTMLParser):
    """The elements of a page, its lists of cases, and the links to these with their text."""

    VOID = frozenset({"meta", "link", "br", "img", "input", "hr"})

    def __init__(self, html):
        super().__init__()
        self.html, self.tags, self.open = html, [], []
        self.links, self.cards, self.text = [], [], []
        self.feed(html)
        assert self.open == [], "elements that are not closed"
        self.lists = json.loads(re.search(r'id="lists">(.*?)</script>', html, re.DOTALL).group(1))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag not in self.VOID:
            self.open.append(tag)
        if "data-cases" in attributes:
            self.links.append((attributes["data-cases"], attributes["href"], []))
        if tag == "template" and "data-card" in attributes:
            self.cards.append(int(attributes["data-card"]))

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "a" and self.links:
            self.links[-1][2].append(data)
        if "script" not in self.open and "style" not in self.open:
            self.text.append(data)

    @property
    def words(self):
        return " ".join("".join(self.text).split())


def test_page_begins_with_gamma_in_words(novels, novels_page):
    words = novels_page.words
    gamma = novels.headline.gamma
    assert f"0.88γ, 95 % interval {gamma.low:.2f} to {gamma.high:.2f}" in words
    assert "12 documents, 3 annotators each, 8,123 units, 2 labels. Lengths in characters." in words
    verdict = "Three annotators, γ 0.88: 12 % of the disorder expected by chance, and one cause is a third of it."
    assert verdict in words
    assert "Most of the disorder is there because somebody marks what another leaves out." in words
    assert "Where two marked the same unit, 1 label in 112 differs." in words
    assert "2,008 of 3,066 unitary alignments have no disorder at all" in words


def test_page_lists_the_causes_to_settle_with_their_gamma(novels_page):
    titles = re.findall(r'<div class="finding".*?<h3 dir="auto">(.*?)</h3>', novels_page.html, re.DOTALL)
    assert titles[0].startswith("user2 leaves out “his”, “my”, “her”")
    assert titles[1] == "VanityFair: user1 marks little after 2164"
    assert "γ 0.88 → 0.92" in novels_page.words
    assert "γ 0.88 → 0.95" in novels_page.words  # all together


def test_report_is_small_and_reproducible(novels):
    page = novels.html
    assert len(page.encode()) < 5_000_000
    assert ga.html_report(NOVELS, samples=30, seed=7).html == page


@pytest.mark.parametrize(
    ("path", "options"),
    [
        (NOVELS, {}),
        (NOVELS, {"annotator": "user1"}),
        (NOVELS, {"reference": "user3"}),
        (HEARST, {}),
        pytest.param(CORPORA / "btc_crowd", {}, marks=pytest.mark.release),
        (CORPORA / "formats" / "brat" / "multi_annotator_project", {}),
    ],
    ids=["novels", "novels of user1", "novels against user3", "hearst", "btc", "brat"],
)
def test_linked_counts_equal_the_number_of_cards(path, options):
    page = Page(ga.html_report(path, samples=3, **options).html)
    assert page.links
    stored = set(page.cards)
    assert len(stored) == len(page.cards)
    for key, href, text in page.links:
        if key.startswith("p-") and key not in page.lists:
            continue  # of the map of pairs: the script finds the cards
        cases = page.lists[key]
        number = int(re.match(r"[\d,]+", "".join(text)).group().replace(",", ""))
        expected = cases["of"] - 1 if "more like it" in "".join(text) else cases["of"]
        assert number == expected, key
        assert set(cases["cards"]) <= stored
        assert len(cases["cards"]) <= cases["of"]
        assert href.startswith("#")
        if len(stored) < 1_500:  # below the limit, each case has a card
            assert len(cases["cards"]) == cases["of"], key


def test_parts_of_a_card_add_up(novels):
    cards = Cards(novels.disagreements)
    for row in novels.disagreements.disagreements:
        card = cards.card(row)
        values = [float(value) for value in re.findall(r"\d\.\d\d", card.sum)]
        *parts, total = values if "=" in card.sum else [*values, *values]
        assert sum(parts) == pytest.approx(total, abs=1e-9)
        assert total == pytest.approx(card.disorder, abs=0.00501)
        assert 1 <= card.local_number <= card.n_alignments


def test_lanes_of_a_card_show_the_same_text_and_mark_their_unit(novels):
    cards, texts = Cards(novels.disagreements), text_by_document(novels)
    n_elided = 0
    for row in novels.disagreements.disagreements:
        lanes = cards.card(row).lanes
        assert [lane.annotators for lane in lanes] == [("user1",), ("user2",), ("user3",)]
        assert len({"".join(piece.text for piece in lane.pieces) for lane in lanes}) == 1
        for lane in lanes:
            shown_unit = "".join(piece.text for piece in lane.pieces if piece.kind == "own")
            marked = "" if lane.unit is None else texts[row.document][int(lane.unit.start) : int(lane.unit.end)]
            n_elided += " … " in shown_unit
            assert shown_unit == marked or " … " in shown_unit
    assert n_elided > 0


def text_by_document(report):
    corpus = report.disagreements.corpus
    return dict(zip(corpus.documents, corpus.texts, strict=True))


def test_many_annotators_share_lanes():
    units = [("d", f"a{i}", 0, 4, "x") for i in range(6)] + [("d", "b", 0, 5, "x")]
    corpus = ga.Corpus.from_records(
        units,
        annotations=[("d", name) for name in (*(f"a{i}" for i in range(6)), "b", *(f"c{i}" for i in range(4)))],
        extents={"d": (0, 20)},
    )
    result = ga.disagreements(corpus, samples=3)
    (card,) = map(Cards(result).card, result.disagreements)
    assert [(len(lane.annotators), lane.unit is None) for lane in card.lanes] == [(6, False), (1, False), (4, True)]


def test_long_names_with_a_common_prefix_stay_distinct():
    names = [f"worker_of_the_second_campaign_{number:02}_of_2019" for number in range(12)]
    units = [("d", name, 10 * number, 10 * number + 5, "x") for number, name in enumerate(names)]
    units += [("d", name, 200, 204 + number, "x") for number, name in enumerate(names)]
    html = ga.html_report(ga.Corpus.from_records(units), samples=3).html
    section = html[html.index('<section id="annotators">') :]
    rows = re.findall(r'<th scope="row" dir="auto" title="(.*?)">(.*?)</th>', section[: section.index("</table>")])
    assert {name for name, _ in rows} == {*names}
    assert len({printed for _, printed in rows}) == 12
    assert max(len(printed) for _, printed in rows) <= 28
    lanes = re.findall(r">(wor[^<]*…[^<]*)</text>", html[html.index('<div class="excerpt"') :])
    assert len({*lanes}) == 12


@pytest.mark.release
def test_documents_are_sorted_by_share_and_reasons_are_footnotes():
    page = Page(ga.html_report(CORPORA / "btc_crowd", samples=2).html)
    section = page.html[page.html.index('<section id="documents">') :]
    shares = [float(value) for value in re.findall(r'data-value="([^"n]*)">(?:under )?[\d.]+\u202f%</td>', section)]
    assert shares == sorted(shares, reverse=True)
    assert len(shares) > 12
    cells = re.findall(r'<td class="n">(<span class="soft">NA</span>.*?)</td>', section)
    assert {re.sub(r"\d", "", cell) for cell in cells} == {'<span class="soft">NA</span> <sup></sup>'}
    footnotes = section[section.index("Not available: ") :]
    for reason in ("no two units are aligned", SAME_CATEGORIES):
        assert re.search(rf"<sup>\d</sup> {reason}", footnotes)


def test_anonymous_report_contains_no_name(novels):
    page = ga.html_report(NOVELS, samples=30, seed=7, anonymous=True, independent=["user1", "user2"])
    assert not re.search("user[123]", page.html)
    assert page.disagreements.gamma.gamma == novels.disagreements.gamma.gamma
    assert page.independent == ("A", "B")
    assert "B leaves out “his”" in page.html


def test_report_without_text_contains_no_word_of_it():
    page = ga.html_report(NOVELS, samples=3, text="none").html
    texts = ga.read(NOVELS).texts
    for word in ("Rabbit", "Pinkerton", "Micawber"):
        assert any(word in text for text in texts) == (word != "Micawber")
        assert word not in page


@pytest.mark.release
def test_windows_show_a_part_of_the_text(novels_page):
    texts = [" ".join(text.split()) for text in ga.read(NOVELS).texts]
    full = Page(ga.html_report(NOVELS, samples=3, text="full").html)
    n_windows, n_full = (count_shown_characters(page, texts) for page in (novels_page, full))
    assert n_full == sum(map(len, texts))
    assert n_windows < 0.6 * n_full


def count_shown_characters(page, texts):
    """Return the number of characters of the texts on the page, counted in stretches of four words."""
    shown = " ".join("".join(page.text).split())
    count = 0
    for text in texts:
        words = text.split(" ")
        for first in range(0, len(words), 4):
            stretch = " ".join(words[first : first + 4])
            count += (len(stretch) + 1) * (stretch in shown)
    return count - len(texts)


def test_report_for_an_annotator_contains_only_their_disagreements():
    full = ga.html_report(NOVELS, samples=3)
    report = ga.html_report(NOVELS, samples=3, annotator="user1")
    page = Page(report.html)
    assert report.disagreements.gamma == full.disagreements.gamma
    assert set(page.cards) == {row.number for row in report.disagreements.disagreements}
    assert "205 of 3,066 unitary alignments, those in which user1 differs" in page.words
    assert report.disagreements.pairs == ()


def test_reference_has_the_first_lane_and_its_counts_link_to_cases():
    report = ga.html_report(NOVELS, samples=3, reference="user3")
    lanes = Cards(report.disagreements, reference="user3").card(report.disagreements.disagreements[0]).lanes
    assert (lanes[0].annotators, lanes[0].is_reference) == (("user3",), True)
    page = Page(report.html)
    counts = {key: cases["of"] for key, cases in page.lists.items() if key.startswith("e-")}
    for system in report.evaluation.systems:
        for kind, number in system.counts.items():
            if kind != "correct" and number:
                assert counts[f"e-{system.system}-{kind}"] == number


def test_the_ceiling_is_that_of_the_people_with_the_verdict_on_each_model():
    alone = Page(ga.html_report(NOVELS, samples=3).html)
    ceiling = ga.ceiling(NOVELS)
    assert f"Nothing can score above about {ceiling.score.ceiling:.2f}" in alone.words
    assert "A model that knows the truth can score lower" in alone.words
    report = ga.html_report(NOVELS, samples=3, model="user2", anonymous=True)
    (found,) = report.ceilings
    assert found.score == ga.ceiling(NOVELS, model="user2").score
    assert found.model.model == "B"
    assert found.model.sentence in Page(report.html).words
    assert "user2" not in report.html


def test_there_is_no_ceiling_for_one_annotator_or_without_agreement_on_a_unit():
    assert not ga.html_report(NOVELS, samples=3, annotator="user1").ceilings
    apart = [("d", "ann", 0, 4, "x"), ("d", "bob", 1, 4, "x")]
    report = ga.html_report(apart, samples=3)
    assert not report.ceilings
    assert "ceiling" not in report.html
    with_gold = [*apart, ("d", "gold", 0, 4, "x")]
    # the reference is no annotator of the ceiling
    assert not ga.html_report(with_gold, samples=3, reference="gold").ceilings


def test_other_numbers_are_those_of_their_own_functions():
    report = ga.html_report(NOVELS, samples=3)
    others = {row.name: row.value for row in report.others}
    f1 = ga.pairwise_f1(NOVELS).mean
    assert others["F1, strict"] == f1["strict"]
    assert others["F1, relaxed"] == f1["relaxed"]
    assert others["F1 of text"] == f1["characters"]
    assert others["uα"] == ga.unitizing_alpha(NOVELS).u
    assert "of epochs" not in " ".join(others)
    assert f"{f1['strict'].value:.3f}" in Page(report.html).words
    assert not ga.html_report(NOVELS, samples=3, annotator="user1").others


def test_units_that_overlap_have_no_alpha_and_the_page_says_why():
    units = [("d", "ann", 0, 4, "x"), ("d", "ann", 2, 6, "x"), ("d", "bob", 0, 4, "x")]
    report = ga.html_report(units, samples=3)
    alpha = next(row.value for row in report.others if row.name == "uα")
    assert "overlap" in alpha.reason
    assert alpha.reason in Page(report.html).words


def test_recordings_in_steps_have_kappa_of_epochs():
    nights = {"n1": ["WWNNR", "WNNNR"], "n2": ["WNNRR", "WNNNR"]}
    units = [
        (night, f"scorer{index}", 30.0 * place, 30.0 * (place + 1), stage)
        for night, scorings in nights.items()
        for index, stages in enumerate(scorings)
        for place, stage in enumerate(stages)
    ]
    corpus = replace(ga.Corpus.from_records(units), length_unit="s")
    kappa = next(row.value for row in ga.html_report(corpus, samples=3).others if row.name.endswith("of epochs"))
    items = [pair for scorings in nights.values() for pair in zip(*scorings, strict=True)]
    assert kappa.value == ga.item_coefficient(ga.ItemTable.from_matrix(items), "kappa").value


def test_curve_gives_the_number_of_errors_that_lower_gamma_as_far():
    corpus = ga.shuffle(ga.synthetic_reference(units=12, categories=["x", "y"]), magnitude=0.2, seed=1)
    report = ga.html_report(corpus, curves=True, samples=5)
    assert "units added to 100" in report.html
    rows = sentences.error_amounts(report.curve.placements)
    amounts = {placement.kinds[0]: placement.magnitude for placement in report.curve.placements}
    assert len(rows) == len(amounts)
    added = next(amount for amount, description in rows if description.startswith("units added"))
    assert float(added) == pytest.approx(100 * amounts["false-positive"], abs=0.5)
    n_never = sum(amount == "never" for amount, _ in rows)
    assert n_never == sum(math.isnan(value) for value in amounts.values())


HOSTILE = {
    "markup": "<img src=x onerror=alert(1)>",
    "script": "</script><script>alert(1)</script>",
    "template": "</template>{{ 7777*7 }}",
    "quotes": "\"'`&amp;",
    "right to left": "שלום עולם",
    "emoji": "👩‍🔬🇫🇷",
    "long": "x" * 5000,
    "controls": "a\x00b\u202ec",
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_escaped(name):
    text = f"{name} and more {name}"
    corpus = ga.Corpus.from_records(
        [
            (name, name, 0, 4, name),
            (name, "bob", 1, 5, f"{name}2"),
            (name, name, 6, 9, name),
            ("other", "bob", 0, 4, name),
            ("other", name, 0, 4, name),
        ],
    )
    corpus = ga.Corpus(**{field: getattr(corpus, field) for field in corpus.__slots__} | {"texts": (text, text)})
    page = Page(ga.html_report(corpus, title=name, remarks=[name], reference="bob", samples=3).html)
    assert "img" not in {tag for tag, _ in page.tags}
    assert not [attribute for _, attributes in page.tags for attribute in attributes if attribute.startswith("on")]
    assert sum(tag == "script" for tag, _ in page.tags) == 2
    assert "54439" not in page.html


def make_corpus(units, annotations=(), extents=None):
    declared = {*annotations, *(unit[:2] for unit in units)}
    return ga.Corpus.from_records(units, annotations=sorted(declared), extents=extents)


EDGES = {
    "one unit": make_corpus([("d", "ann", 0, 4, "x")], [("d", "bob")], {"d": (0, 9)}),
    "no unit": make_corpus([], [("d", "ann"), ("d", "bob")], {"d": (0, 9)}),
    "no length": make_corpus([("d", "ann", 3, 3, "x"), ("d", "bob", 4, 4, "x")], (), {"d": (0, 9)}),
    "no label": make_corpus([("d", "ann", 0, 4, None), ("d", "bob", 1, 4, None)], (), {"d": (0, 9)}),
    "identical": make_corpus([("d", "ann", 0, 4, "x"), ("d", "bob", 0, 4, "x")], (), {"d": (0, 9)}),
    "document of one annotator": make_corpus(
        [("d", "ann", 0, 4, "x"), ("d", "bob", 0, 5, "x"), ("e", "ann", 0, 4, "x")], (), {"d": (0, 9), "e": (0, 9)}
    ),
    "far apart": make_corpus([("d", "ann", 0, 1, "x"), ("d", "bob", 80, 81, "y")], (), {"d": (-1e6, 1e6)}),
}


@pytest.mark.parametrize("corpus", EDGES.values(), ids=EDGES)
def test_unusual_corpora_have_a_page(corpus):
    report = ga.html_report(corpus, samples=10)
    page = Page(report.html)
    assert "nan" not in page.words.lower().split()
    if report.headline.gamma.reason is not None:
        assert f"no γ: {report.headline.gamma.reason}." in page.words
    if report.headline.gamma.value == 1:
        assert "no disorder at all." in page.words
        assert "What to settle" not in page.words


def test_requested_gamma_is_reached_or_missed():
    for requested, words in ((0.8, "Asked for: ≥ 0.80, reached."), (0.95, "Asked for: ≥ 0.95, missed by 0.07.")):
        assert words in Page(ga.html_report(NOVELS, samples=3, asked=requested).html).words


def make_gamma(value, low=math.nan, high=math.nan, interval_note=None):
    units = [("d", "ann", 0, 4, "x"), ("d", "bob", 1, 4, "x"), ("e", "ann", 0, 4, "x"), ("e", "bob", 1, 4, "x")]
    result = ga.gamma(units, samples=3)
    gamma = ga.GammaValue(value, low, high, observed=1.0, expected=2.0, interval_note=interval_note)
    parts = {name: getattr(result, name) for name in ("gamma_cat", "gamma_k", "documents", "settings", "signature")}
    return ga.GammaResult(gamma=gamma, **parts)


def test_sentences_describe_gamma_below_chance_and_its_interval():
    result = ga.disagreements([("d", "ann", 0, 4, "x"), ("d", "bob", 1, 4, "x")], samples=3)
    words = " ".join(sentences.agreement(result, make_gamma(-0.2, -0.5, 0.1)))
    assert "more agreement than by chance is not shown. With so few units single cases decide." in words
    assert "With other documents of this kind, γ between \u22120.50 and 0.10 is plausible." in words
    assert "rests on" not in words
    imprecise = make_gamma(0.5, 0.4, 0.6, interval_note="rests on about 4 of 12 documents")
    assert "The interval rests on about 4 of 12 documents." in sentences.agreement(result, imprecise)
    assert "55 % of the disorder expected by chance" in sentences.agreement(result, make_gamma(0.45))[0]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ((0.95, 0.03, 0.02), "Nearly all of the disorder is there because somebody marks what another leaves out."),
        ((0.3, 0.62, 0.08), "Most of the disorder is there because the bounds of aligned units differ."),
        (
            (0.5, 0.1, 0.4),
            (
                "50\u202f% of the disorder is there because somebody marks what another leaves out, 40\u202f% because "
                "the labels of aligned units differ."
            ),
        ),
    ],
)
def test_sentence_names_the_largest_reasons(parts, words):
    assert sentences.main_reason(Share(1.0, *parts, 1.0), Missing(parts[0], 0.0, 0.0)) == words


@pytest.mark.parametrize(
    ("missing", "clause", "phrase"),
    [
        ((1.0, 0.0, 0.0), "somebody marks what another leaves out", ": somebody marks, somebody does not"),
        (
            (0.0, 1.0, 0.0),
            "the annotators cut the same stretch at different positions, so that units have no counterpart",
            ": the annotators cut the same stretch at different positions",
        ),
        (
            (0.05, 0.0, 0.95),
            "units have no counterpart among the other units that another annotator has at the same place",
            ": another annotator has other units there (95\u202f%); somebody marks, somebody does not (5\u202f%)",
        ),
        ((0.0, 0.0, 0.0), None, ""),
    ],
    ids=["left out", "cut otherwise", "other units", "nothing missing"],
)
def test_sentences_give_the_reasons_for_missing_units(missing, clause, phrase):
    if clause is not None:
        sentence = sentences.main_reason(Share(1.0, 1.0, 0.0, 0.0, 1.0), Missing(*missing))
        assert sentence == f"Nearly all of the disorder is there because {clause}."
    assert sentences.missing_reasons(Missing(*missing)) == phrase


TILED = {"ann": [(0, 10, "N1"), (10, 20, "N2")], "bob": [(0, 4, "N1"), (4, 8, "N2"), (8, 12, "N1"), (12, 20, "N2")]}


def test_missing_units_of_documents_without_gaps_are_explained_by_cuts():
    report = ga.html_report(TILED, samples=3)
    result = report.disagreements
    assert result.missing.left_out == result.missing.other_units == 0.0
    assert result.missing.cut_otherwise == pytest.approx(result.disorder.missing)
    for false_claim in ("somebody marks", "leaves out", ">nothing<"):
        assert false_claim not in report.html
    assert "the annotators cut the same stretch at different positions" in report.html
    assert re.search(r">N[12]</span> <span class=\"soft small\">other unit, (0–10|10–20)</span>", report.html)
    cards = Cards(result)
    for row in result.disagreements:
        for lane in cards.card(row).lanes:
            assert (lane.unit is None) == (lane.other_unit is not None)
            if lane.other_unit is not None:
                assert lane.other_unit.start < row.end
                assert lane.other_unit.end > row.start


def test_missing_units_of_documents_with_gaps_are_not_explained_by_cuts():
    with_gap = {**TILED, "ann": [(0, 9, "N1"), (11, 20, "N2")]}
    missing = ga.disagreements(with_gap, samples=3).missing
    assert missing.cut_otherwise == 0.0
    assert missing.other_units > 0.0


@pytest.mark.parametrize("name", ["novels_ner", "hearst_kazantseva", "btc_crowd"])
def test_reasons_for_missing_units_add_up(name):
    result = ga.disagreements(CORPORA / name, samples=2)
    assert math.fsum(result.missing) == pytest.approx(result.disorder.missing, rel=1e-9)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.394, "39\u202f%"), (0.009, "0.9\u202f%"), (0.0, "0\u202f%"), (1e-5, "under 0.1\u202f%"), (math.nan, "NA")],
)
def test_percentages_below_one_have_a_decimal(value, text):
    assert numbers.percent(value) == text


def test_decimals_have_a_minus_sign_and_no_negative_zero():
    assert numbers.decimal(-0.0001) == "0.00"
    assert numbers.decimal(-1.234, 3) == "\u22121.234"
    assert numbers.signed(0.0281) == "+0.028"
    assert numbers.signed(0.0) == "0.000"
    assert numbers.decimal(math.nan) == "NA"


def test_bounds_of_a_narrow_interval_stay_distinct():
    assert numbers.bounds(0.42, 0.58) == ("0.42", "0.58")
    assert numbers.bounds(0.7771, 0.782) == ("0.777", "0.782")
    assert numbers.bounds(0.5, 0.5) == ("0.5000", "0.5000")


def test_rounded_parts_add_up_to_the_rounded_sum():
    rng = np.random.default_rng(3)
    for parts in rng.dirichlet(np.ones(3), size=200):
        result = numbers.rounded(parts * 0.777)
        assert sum(result) == pytest.approx(0.78)
        assert np.abs(np.array(result) - parts * 0.777).max() < 0.01


def with_gap(result, gap):
    """Return a result whose alignments are not proven, each with this gap."""
    rows = tuple(
        ga.DocumentResult(
            **{field: getattr(row, field) for field in row.__slots__} | {"optimal": False, "gap": gap},
        )
        for row in result.documents
    )
    parts = {name: getattr(result, name) for name in ("gamma", "gamma_cat", "gamma_k", "settings", "signature")}
    return ga.GammaResult(documents=rows, **parts)


def test_unproven_gamma_is_a_range():
    result = make_gamma(0.5)
    assert numbers.proven_range(result) is None
    low, high = numbers.proven_range(with_gap(result, 0.1))
    observed, expected = (
        sum(getattr(row.gamma, name) for row in result.documents) for name in ("observed", "expected")
    )
    assert (low, high) == pytest.approx((1 - observed / (0.9 * expected), 1 - 0.9 * observed / expected))
    assert "γ is proven to lie between" in sentences.proven_bounds(with_gap(result, 0.1))


def test_a_gap_that_changes_no_digit_leaves_one_number():
    unproven = with_gap(make_gamma(0.5), 1e-9)
    low, high = numbers.bounds(*numbers.proven_range(unproven))
    assert low == high
    assert sentences.proven_bounds(unproven).startswith(f"γ is proven to be {low} to this many digits")


def test_command_line_writes_the_page(tmp_path):
    target = tmp_path / "report.html"
    done = run("report", NOVELS, "-o", target, "--samples", 3, "--remark", "user3 is the agreed version")
    assert (done.returncode, done.stdout) == (0, "")
    assert re.search(r"report\.html: γ 0\.8\d+", done.stderr)
    page = target.read_text(encoding="utf-8")
    assert "<title>novels_ner: agreement report</title>" in page
    assert "user3 is the agreed version" in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "{}/none/report.html"], "there is no folder"),
        (["-o", "{}/report.html", "--for", "usr1"], "there is no annotator 'usr1'; did you mean user1?"),
        (["-o", "{}/report.html", "--independent", "user1"], "agreement takes two annotators and more"),
    ],
)
def test_command_line_refuses_invalid_options(tmp_path, options, message):
    done = run("report", NOVELS, "--samples", 3, *(option.format(tmp_path) for option in options))
    assert done.returncode == 2
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_unknown_amount_of_text_is_refused():
    with pytest.raises(ga.SettingsError, match="text must be one of none, windows, full"):
        ga.html_report(NOVELS, text="some")


def test_the_card_of_a_model_says_in_what_kind_it_differs():
    people = [
        (f"d{document:02}", name, start, start + 4, "xy"[start % 20 == 0])
        for document in range(12)
        for name in ("ann", "bob", "cy")
        for start in range(0, 100, 10)
        if (document + start // 10 + len(name)) % 13  # some are missing
    ]
    model = [(document, "gpt", start, end, label) for document, name, start, end, label in people if name == "ann"]
    corpus = ga.Corpus.from_records([*people, *(unit for unit in model if unit[-1] == "x")])
    report = ga.html_report(corpus, model="gpt", samples=2)
    (cause,) = report.disagreements.causes_of("gpt")
    assert (cause.kind, cause.labels, cause.title) == ("label-use", ("y",), "gpt has no unit of y")
    section = report.html.partition('<section id="models">')[2].partition("</section>")[0]
    assert "gpt has no unit of y" in section
    assert "label-use, " in section


def test_models_have_a_card_and_gamma_is_that_of_the_people():
    names = ["human0", "human1", "human10", "human11", "zeroshot-o3-mini", "zeroshot-llama3-3"]
    corpus = ga.read(CORPORA / "llm_span_d2t_iaa").select(annotators=names)
    report = ga.html_report(corpus, model="zeroshot-*", samples=2)
    assert report.independent == tuple(names[:4])
    assert [model.model for model in report.replacement.models] == ["zeroshot-o3-mini", "zeroshot-llama3-3"]
    section = report.html.partition('<section id="models">')[2].partition("</section>")[0]
    assert "3 of 4 people" in section
    assert "1 of 4 people pass" in " ".join(section.split())
    assert report.replacement.models[0].equivalence.difference < 0
    anonymous = ga.html_report(corpus, model="zeroshot-*", samples=2, anonymous=True)
    assert "zeroshot" not in anonymous.html
    with pytest.raises(ga.SettingsError, match="there is no annotator 'gpt-5'"):
        ga.html_report(corpus, model="gpt-5", samples=2)


def test_a_report_of_covers_calls_its_values_soft():
    spans = {"ann": [(0, 4, "x"), (6, 9, "y")], "bob": [(1, 4, "x")], "cy": [(0, 5, "x")]}
    soft, plain = (ga.html_report(spans, samples=8, alignment=kind).html for kind in ("cover", "partition"))
    assert "<small>soft-γ" in soft
    assert "soft-" not in plain


def test_two_labels_are_said_to_have_nothing_to_compare_with(novels, novels_page):
    rate = novels.disagreements.two_labels.rates[0]
    assert f"Of {rate.total} places where one says PERSON, another says PERX in {rate.places}" in novels_page.words
    assert "cannot be told apart from chance. 33 places" in novels_page.words
    key = next(key for key, _, text in novels_page.links if key == "c-PERSON-PERX")
    assert novels_page.lists[key]["of"] == rate.places


@pytest.mark.parametrize(("path", "kind"), [(NOVELS, "l"), (HEARST, "l"), (SLEEP, "n")])
def test_counts_of_labels_and_lengths_lead_to_their_places(path, kind):
    corpus = ga.read(path)
    report = ga.html_report(corpus.select(documents=corpus.documents[:1]), samples=3)
    page, result = Page(report.html), report.disagreements
    rows = result.categories if kind == "l" else result.lengths
    linked = {key for key, _, _ in page.links if key.startswith(f"{kind}-")}
    assert len(linked) == sum(row.disputed > 0 for row in rows)
    for row in rows:
        key = "-".join([kind, row.category or "", *([row.length] if kind == "n" else [])])
        if row.disputed:
            units = [unit for case in result.disagreements for unit in case.units if unit.category == row.category]
            assert 0 < page.lists[key]["of"] <= min(row.disputed, len(units))
