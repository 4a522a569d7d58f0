"""The first look: verdict, values, causes, models and items, from what other functions measure."""

from __future__ import annotations

import re

import numpy as np
import pytest
from command_line import run
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import SettingsError
from gamma_align.insight.ceiling.ceiling import WHAT_IT_IS_NOT
from gamma_align.insight.look.crowds import is_crowd
from gamma_align.insight.look.look import MAX_CAUSES

NOVELS = CORPORA / "novels_ner"
FEW = {"samples": 3}
SCALE = ["never", "rarely", "sometimes", "often"]


def units(documents=4, people=("ann", "bob", "cy"), seed=1, omit=0.1):
    """Return units of people who leave some out."""
    draw = np.random.default_rng(seed)
    for document in range(documents):
        for place in range(0, 300, 10):
            for person in people:
                if draw.random() > omit:
                    yield (
                        f"d{document}",
                        person,
                        place,
                        place + 5 + (draw.random() < 0.2),
                        str(draw.choice(list("xxxxy"))),
                    )


def test_values_are_those_of_gamma():
    look, gamma = ga.look(NOVELS, **FEW), ga.gamma(NOVELS, **FEW)
    assert look["gamma"] == gamma.gamma
    assert look["gamma_cat"] == gamma.gamma_cat
    assert look.signature == gamma.signature
    with pytest.raises(KeyError):
        look["alpha"]


def test_causes_are_those_of_the_disagreements():
    look, found = ga.look(NOVELS, **FEW), ga.disagreements(NOVELS, **FEW).to_settle
    assert [(cause.title, cause.share, cause.gamma) for cause in look.causes] == [
        (finding.title, finding.share, finding.gamma_after) for finding in found[:MAX_CAUSES]
    ]
    assert look.further_causes == len(found) - MAX_CAUSES
    assert [cause.example is not None for cause in look.causes] == [True, False, False]


def test_documents_are_shown_if_they_are_few():
    look = ga.look([*units(documents=3)], **FEW)
    assert [row.symbol for row in look.values if row.name == "document"] == ["d0", "d1", "d2"]
    assert not [row for row in ga.look([*units(documents=5)], **FEW).values if row.name == "document"]


def test_without_labels_there_is_no_value_of_labels():
    spans = {"ann": [(0, 4), (10, 14)], "bob": [(0, 5), (10, 14)]}
    assert [row.name for row in ga.look(spans, **FEW).values] == ["gamma"]


def test_a_model_is_placed_among_the_people():
    everybody = [*units(documents=12), *units(documents=12, people=["gpt"], seed=2, omit=0.8)]
    look = ga.look(everybody, model="gpt", **FEW)
    people = ga.Corpus.from_records(everybody).drop(annotators=["gpt"])
    assert look["gamma"] == ga.gamma(people, **FEW).gamma
    (model,) = look.models
    assert "less near to the people than all three" in model.standing
    assert model.allowed == "12 documents allow it to be nearer than 0 of 3"
    ceiling = ga.ceiling(ga.Corpus.from_records(everybody), model="gpt")
    assert ceiling.model.verdict == "below"
    for value in (ceiling.score.low, ceiling.score.high, ceiling.model.f1):
        assert f"{value:.2f}" in model.ceiling
    assert model.ceiling.endswith(": below")
    assert WHAT_IT_IS_NOT in look.notes
    with pytest.raises(SettingsError, match="no annotator 'gtp'"):
        ga.look(everybody, model="gtp")


def test_a_crowd_is_looked_at_by_pairs(monkeypatch):
    crowd = ga.read(CORPORA / "llm_span_d2t_iaa")
    assert is_crowd(crowd)
    assert not is_crowd(crowd.select(annotators=crowd.annotators[:5]))
    monkeypatch.setattr(f"{is_crowd.__module__}._MINUTES_COST_MIN", 0.0)
    topics = ga.read(CORPORA / "hearst_kazantseva")
    look, pairs = ga.look(topics, **FEW), ga.pairwise(topics, **FEW)
    assert look["pairwise_gamma"] == pairs.mean
    assert f"({len(pairs.pairs)} pairs)" in look.verdict[0]
    assert "gamma" in [row.name for row in ga.look(topics, together=True, **FEW).values]


def test_no_agreement_is_no_cause_for_claims():
    text = " ".join(str(ga.look(CORPORA / "hearst_kazantseva", **FEW)).split())
    assert "more agreement than by chance is not shown" in text
    assert "None of the 14 kinds of cause looked for explains more than it would by chance." in text


def judgments(labels, seed=3, items=60):
    draw = np.random.default_rng(seed)
    for item in range(items):
        true = int(draw.integers(len(labels)))
        for coder in ("r1", "r2", "r3"):
            moved = min(max(true + int(draw.choice([-1, 0, 0, 0, 1])), 0), len(labels) - 1)
            yield f"i{item}", coder, labels[moved]


def test_items_have_alpha_kappa_and_what_is_exchanged():
    table = ga.ItemTable.from_records(judgments(SCALE))
    look = ga.look(table)
    alpha = ga.krippendorff_alpha(table)
    assert look["alpha"].value == alpha.value
    assert (look["alpha"].low, look["alpha"].high) == (alpha.low, alpha.high)
    ordinal = ga.krippendorff_alpha(table.with_categories(SCALE), distance="ordinal")
    assert f"with the distance ordinal it is {ordinal.value:.2f}" in look.values[0].remark
    assert look.remarks[0].startswith("κ of pairs of coders")
    counts = sum(ga.confusion_matrix(table, *pair) for pair in [("r1", "r2"), ("r1", "r3"), ("r2", "r3")])
    differences = int(counts.sum() - counts.trace())
    assert f"of {differences} differences" in look.remarks[1]


def test_labels_of_no_scale_have_no_other_distance():
    assert ga.look(ga.ItemTable.from_records(judgments(["N1", "N2", "W"]))).values[0].remark == "nominal"


def test_items_of_a_group_depend_on_each_other():
    rows = [(f"night{int(item[1:]) % 6}, {item}", coder, label) for item, coder, label in judgments(["N1", "N2", "W"])]
    look, plain = ga.look(ga.ItemTable.from_records(rows)), ga.look(ga.ItemTable.from_records(judgments("abc")))
    assert "interval over 6 groups of items, such as night" in look.values[0].remark
    assert (look["alpha"].low, look["alpha"].high) != (plain["alpha"].low, plain["alpha"].high)


def test_the_ceiling_of_a_model_is_without_other_models():
    others = [*units(documents=4, people=["worse"], seed=3, omit=0.9)]
    everybody = [*units(documents=4), *units(documents=4, people=["gpt"], seed=2, omit=0.5)]
    alone = ga.look(everybody, model="gpt", **FEW).models[0]
    beside = ga.look(everybody + others, model=["gpt", "worse"], **FEW).models[0]
    assert beside.model == "gpt"
    assert beside.ceiling == alone.ceiling


def test_a_model_without_two_people_beside_it_has_no_ceiling():
    people = [*units(documents=4, people=["ann", "bob"])]
    model = [("other", "ann", 0, 5, "a"), ("other", "gpt", 0, 5, "a")]
    (placed,) = ga.look(people + model, model="gpt", **FEW).models
    assert "none, no document" in placed.ceiling


def test_a_model_of_items_is_no_coder_of_the_values():
    rows = [*judgments(SCALE)]
    rows += [(item, "gpt", "rarely") for item in dict.fromkeys(item for item, *_ in rows)]
    look = ga.look(ga.ItemTable.from_records(rows), model="gpt")
    assert "3 coders" in look.size
    assert look.models[0].model == "gpt"
    assert not look.models[0].ceiling


def test_a_path_of_items_is_read_as_items(tmp_path):
    file = tmp_path / "ratings.csv"
    lines = [f"{item},{coder},{label}\n" for item, coder, label in judgments(SCALE)]
    file.write_text("item,coder,label\n" + "".join(lines), encoding="utf-8")
    assert ga.look(file)["alpha"] == ga.krippendorff_alpha(file).value


def test_a_broken_table_of_units_is_not_read_as_items(tmp_path):
    file = tmp_path / "units.csv"
    file.write_text("document,annotator,start,end,category\nd,a,0,x,y\nd,b,0,4,y\n", encoding="utf-8")
    with pytest.raises(ga.InputError, match="line 2"):
        ga.look(file)


def test_the_text_of_a_look_is_80_columns_wide():
    for path in (NOVELS, CORPORA / "btc_crowd", CORPORA / "pygamma" / "AlexPaulSuzan.csv"):
        text = run(path, "--samples", "3").stdout.partition("\nNext\n")[0]  # commands are as long as paths
        assert max(map(len, text.splitlines())) <= 80


def test_a_notebook_shows_where_people_differ_in_a_picture_that_fits():
    html = ga.look([*units()], samples=3)._repr_html_()
    [svg] = re.findall(r"<svg .*?</svg>", html, re.DOTALL)
    assert float(re.search(r'width="([0-9.]+)"', svg)[1]) <= 900
    assert "data-alignment" in svg
    alike = [("d", name, 0, 4, "x") for name in ("ann", "bob")]
    assert "<svg" not in ga.look(alike, samples=3)._repr_html_()
