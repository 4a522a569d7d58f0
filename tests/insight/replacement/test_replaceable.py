"""The alternative annotator test on units and items: golden values, an oracle, reasons, equivalence, the command."""

from __future__ import annotations

import json
import runpy
from fractions import Fraction

import numpy as np
import pytest
from alternative import accuracy, alternative_test, negative_rmse
from command_line import run
from cpu_time import cpu_time_below
from places import CORPORA, GOLDEN

import gamma_align as ga
from gamma_align.distances.dissimilarity import Dissimilarity
from gamma_align.inference.hypotheses import benjamini_yekutieli, equivalence_p, mean_below_p
from gamma_align.insight.replacement.alternative import compare, measure_nearness
from gamma_align.insight.replacement.equivalence import substituted_corpora
from gamma_align.insight.replacement.instances import instances_of_corpus
from gamma_align.insight.replacement.replacement_options import MIN_DOCUMENTS

VALUES = json.loads((GOLDEN / "alternative.json").read_text(encoding="utf-8"))
ITEMS, SPANS = VALUES["items"], VALUES["spans"]
CORPUS = CORPORA / "llm_span_d2t_iaa"
SIMILARITIES = {"disorder": "disorder", "strict": "strict-f1", "characters": "character-f1"}
RATES = ITEMS["benjamini_yekutieli"]


def toy_corpus():
    units, annotations = [], []
    for document, by_annotator in SPANS["toy"]["documents"].items():
        for annotator, spans in by_annotator.items():
            annotations.append((document, annotator))
            units += [(document, annotator, *span) for span in spans]
    return ga.Corpus.from_records(units, annotations=annotations)


@pytest.fixture(scope="module")
def corpus():
    return ga.read(CORPUS)


# The size of the test


@pytest.mark.parametrize("epsilon", [0.1, 0.15, 0.2])
def test_the_default_minimum_of_documents_keeps_the_size_of_the_test(epsilon):
    """With the default minimum of documents and up to 60 % ties, a true hypothesis is rejected in at most 7.5 %."""
    bench = runpy.run_path(str(CORPORA.parent / "tools" / "bench" / "replacement.py"), run_name="replacement")
    up_to_60_percent = slice(0, bench["TIES"].index(0.6) + 1)
    assert max(bench["true_sizes"](MIN_DOCUMENTS, epsilon, mean_below_p)[up_to_60_percent]) < 0.075
    assert max(bench["true_sizes"](5, epsilon, mean_below_p)[up_to_60_percent]) > 0.075


# Items


@pytest.mark.parametrize("epsilon", ITEMS["toy"]["by_epsilon"])
def test_toy_of_items(epsilon):
    toy, expected = ITEMS["toy"], ITEMS["toy"]["by_epsilon"][epsilon]
    names = ["a", "b", "c", "llm"]
    table = ga.ItemTable.from_matrix([*map(list, zip(*(toy[name] for name in names), strict=True))], coders=names)
    model = ga.replaceable(table, annotator="llm", epsilon=float(epsilon), min_instances=2).models[0]
    assert (model.omega.value, model.rho.value) == pytest.approx((expected["omega"], expected["rho"]), abs=1e-12)
    for person, human in zip(model.people, expected["humans"], strict=True):
        assert (person.person, person.instances) == (human["human"], human["instances"])
        assert person.mean_difference == pytest.approx(human["mean_d"], abs=1e-9)
        assert person.p == pytest.approx(human["p"], abs=1e-9)
        assert person.is_replaceable is human["rejected"]


PUBLISHED = [(case["epsilon"], case["humans"]) for case in ITEMS["cases"] if case["humans"]]


@pytest.mark.parametrize(("epsilon", "humans"), PUBLISHED)
def test_published_p_values_from_published_counts(epsilon, humans):
    p_values = []
    for human in humans:
        n = human["instances"]
        lost = round(n * (1 - human["rho"]))
        won = lost - round(n * human["mean_d"])
        p_values.append(mean_below_p(np.repeat([-1.0, 0.0, 1.0], [won, n - won - lost, lost]), epsilon))
    assert p_values == pytest.approx([human["p"] for human in humans], abs=1e-9)
    assert benjamini_yekutieli(np.array(p_values), 0.05).tolist() == [human["rejected"] for human in humans]


@pytest.mark.parametrize("entry", RATES, ids=str)
def test_false_discovery_rate(entry):
    assert benjamini_yekutieli(np.array(entry["p"]), entry["q"]).tolist() == entry["rejected"]


def random_items(seed, *, numeric):
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, 4, size=60)
    names = [f"p{number}" for number in range(5)] + ["gpt", "llama"]
    answers = {}
    for name in names:
        noisy = np.where(draw.random(60) < 0.6, truth, draw.integers(0, 4, size=60))
        is_given = draw.random(60) < 0.7
        answers[name] = {f"i{item:02}": int(noisy[item]) for item in np.flatnonzero(is_given)}
    records = [
        (item, name, value if numeric else "wxyz"[value]) for name in names for item, value in answers[name].items()
    ]
    return answers, ga.ItemTable.from_records(records)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("distance", "score"), [("nominal", accuracy), ("interval", negative_rmse)])
def test_items_agree_with_the_definition(seed, distance, score):
    answers, table = random_items(seed, numeric=distance == "interval")
    models = {name: answers.pop(name) for name in ("gpt", "llama")}
    result = ga.replaceable(table, annotator=[*models], distance=distance, epsilon=0.1, min_instances=25)
    for name, model in models.items():
        expected = alternative_test(answers, model, score, epsilon=0.1, min_instances=25)
        row = result[name]
        assert (row.omega.value, row.rho.value) == pytest.approx(expected[:2], abs=1e-12)
        p_values = {person.person: person.p for person in row.people if person.reason is None}
        assert p_values == pytest.approx(expected.p, abs=1e-9)


def test_a_person_in_the_models_place_is_tested_as_a_model():
    _, table = random_items(3, numeric=False)
    settings = {"epsilon": 0.1, "min_instances": 20}
    calibration = {
        row.person: row.omega for row in ga.replaceable(table, annotator=["gpt", "llama"], **settings).calibration
    }
    people = [f"p{number}" for number in range(5)]
    for person in people:
        others = [name for name in people if name != person]
        expected = ga.replaceable(table, annotator=person, people=others, **settings).models[0]
        assert calibration[person] == expected.omega


# Units


def test_toy_of_spans_is_exact():
    instances = instances_of_corpus(toy_corpus(), ("llm",), "disorder", Dissimilarity())
    toy = SPANS["toy"]
    for first, second, similarity in zip(*instances.pairs.columns().values(), strict=True):
        names = sorted(instances.people[instances.person[slot]] for slot in (first, second))
        document = instances.names[instances.instance[first]]
        expected = Fraction(toy["pair_similarities"][f"{document}|{names[0]}|{names[1]}"])
        assert similarity == pytest.approx(float(expected), abs=1e-15)
    outcomes = compare(instances.pairs, instances.to_model[0], instances.n_slots)
    of_slot = dict(zip(outcomes.slot.tolist(), outcomes.d.tolist(), strict=True))
    people, _ = measure_nearness(instances)
    for row in toy["rows"]:
        person, document = instances.people.index(row["human"]), instances.names.index(row["document"])
        slot = int(np.flatnonzero((instances.person == person) & (instances.instance == document))[0])
        assert people[slot] == pytest.approx(row["S_human_float"], abs=1e-15)
        assert of_slot[slot] == row["W_h"] - row["W_f"]


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_table_of_the_corpus(corpus, similarity):
    # The values were made with this minimum: one person has five documents.
    result = ga.replaceable(corpus, annotator="zeroshot-*", epsilon=0.1, similarity=similarity, min_instances=5)
    assert len(result.models) == 6
    for model in result.models:
        expected = SPANS["corpus"]["cases"][f"{SIMILARITIES[similarity]}|{model.model}"]
        assert (model.omega.value, model.rho.value) == pytest.approx((expected["omega"], expected["rho"]), abs=1e-9)
        people = {person.person: person for person in model.people}
        for human in expected["humans"] or ():
            person = people[human["human"]]
            assert (person.won, person.tied, person.lost) == (human["llm_better"], human["tied"], human["human_better"])
            assert person.p == pytest.approx(human["p"], abs=1e-9)
            assert person.is_replaceable is human["rejected"]


def test_a_person_with_five_documents_is_not_tested_by_default(corpus):
    model = ga.replaceable(corpus, annotator="zeroshot-o3-mini", epsilon=0.1).models[0]
    (untested,) = [person for person in model.people if person.reason is not None]
    assert untested.instances == 5
    assert "fewer than 10" in untested.reason


def test_standing_and_calibration_of_the_corpus(corpus):
    with cpu_time_below(10):
        result = ga.replaceable(corpus, annotator="zeroshot-*", epsilon=0.1, min_instances=5)
    assert [round(model.rho.value, 4) for model in result.models] == [0.7552, 0.7178, 0.6701, 0.5626, 0.3902, 0.2868]
    assert [model.nearer_than for model in result.models] == [29, 27, 23, 15, 8, 0]
    for name, (near, n_people) in SPANS["standing"]["llms"].items():
        assert (round(result[name].nearness, 4), result[name].nearer_than) == (near, n_people)
    assert (result.n_passing, result.n_calibrated) == (0, 29)
    assert any("none of 29 people passes" in note for note in result.notes)
    people_nearness = [person.nearness for person in result.calibration]
    humans = SPANS["standing"]["humans"]
    assert [round(value, 4) for value in (min(people_nearness), np.median(people_nearness), max(people_nearness))] == [
        *(humans[name] for name in ("min", "median", "max"))
    ]


def test_differences_of_models_have_intervals(corpus):
    result = ga.replaceable(corpus, annotator=["zeroshot-o3-mini", "zeroshot-llama3-3"], people="human*")
    (difference,) = result.differences
    assert (difference.first, difference.second) == ("zeroshot-o3-mini", "zeroshot-llama3-3")
    assert difference.value == pytest.approx(result.models[0].rho.value - result.models[1].rho.value)
    assert 0 < difference.low < difference.value < difference.high < 1


def test_results_do_not_depend_on_the_order_of_annotators(corpus):
    names = {name: f"z{99 - index}" for index, name in enumerate(corpus.annotators)}
    first = ga.replaceable(corpus, annotator="zeroshot-gpt4o", people="human*")
    second = ga.replaceable(
        corpus.rename(annotators=names),
        annotator=names["zeroshot-gpt4o"],
        people=[names[name] for name in corpus.annotators if name.startswith("human")],
    )
    assert second.models[0].rho.value == pytest.approx(first.models[0].rho.value, abs=1e-12)
    assert second.models[0].standing == first.models[0].standing
    assert {(person.won, person.tied, person.lost) for person in first.models[0].people} == {
        (person.won, person.tied, person.lost) for person in second.models[0].people
    }


# What cannot be computed


def items_of(**answers):
    return ga.ItemTable.from_matrix([*map(list, zip(*answers.values(), strict=True))], coders=[*answers])


def test_one_person_is_compared_with_nobody():
    model = ga.replaceable(items_of(ann="xyxy", gpt="xyxx"), annotator="gpt", min_instances=2).models[0]
    assert (
        model.omega.reason
        == "no item has two people: a person is compared with the model by the other people of the item"
    )
    assert model.rho.reason == model.standing.reason == model.omega.reason
    assert (model.passes, model.nearer_than, model.n_people) == (None, 0, 0)


def test_no_item_in_common():
    records = [("i1", "ann", "x"), ("i1", "bob", "x"), ("i2", "gpt", "x")]
    model = ga.replaceable(ga.ItemTable.from_records(records), annotator="gpt", min_instances=2).models[0]
    assert model.omega.reason == "it shares no item with two people"


def test_too_few_instances():
    model = ga.replaceable(items_of(ann="xyxy", bob="xyyy", gpt="xyxx"), annotator="gpt").models[0]
    assert model.omega.reason == "no person shares 30 items with the model and another person: 4 at most"
    assert [person.reason for person in model.people] == ["4 items, fewer than 30"] * 2
    assert model.standing.is_available


def test_two_people_have_no_calibration():
    assert (
        ga.replaceable(items_of(ann="xyxy", bob="xyyy", gpt="xyxx"), annotator="gpt", min_instances=2).calibration == ()
    )


def test_constant_differences_are_decided_by_their_sign():
    table = items_of(ann="xyxyxy", bob="xyxyxy", gpt="xyxyxy")
    for epsilon, omega in ((0.0, 0.0), (0.1, 1.0)):
        result = ga.replaceable(table, annotator="gpt", epsilon=epsilon, min_instances=2)
        assert result.models[0].omega == omega
        assert any(note.startswith("differences without spread") for note in result.notes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"annotator": "model-l"}, "there is no annotator 'model-l'; did you mean model-1?"),
        ({"annotator": []}, "no annotator is named"),
        ({"annotator": "gpt", "people": "nobody"}, "there is no annotator 'nobody'"),
        ({"annotator": "gpt", "epsilon": -1}, "epsilon must be"),
        ({"annotator": "gpt", "similarity": "best"}, "similarity must be one of disorder, strict, characters"),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(ga.SettingsError, match="^" + message.replace("?", r"\?")):
        ga.replaceable(items_of(ann="xyxy", bob="xyyy", gpt="xyxx", **{"model-1": "xyxx"}), **settings)


def test_models_and_people_are_apart():
    table = items_of(ann="xyxy", bob="xyyy", gpt="xyxx")
    with pytest.raises(ga.InputError, match="all annotators are models"):
        ga.replaceable(table, annotator="*")
    with pytest.raises(ga.InputError, match="'gpt' is among the models and among the people"):
        ga.replaceable(table, annotator="gpt", people="*")


# Equivalence


def made_corpus(documents=8):
    reference = ga.Corpus.from_continua(
        [
            ga.synthetic_reference(units=8, categories={"A": 1, "B": 1}, seed=seed, document=f"d{seed}")
            for seed in range(documents)
        ]
    )
    return ga.shuffle(reference, magnitude=0.3, annotators=5, kinds=("shift", "false-negative", "category"), seed=2)


@pytest.mark.parametrize("measure", ["f1", "gamma", "unitizing-alpha"])
def test_agreement_changes_as_in_a_corpus_with_the_model_in_place(measure):
    corpus = made_corpus()
    model, *people = corpus.annotators
    changed = ga.replaceable(
        corpus, annotator=model, margin=0.1, measure=measure, overlap="layers", samples=10, replicates=50
    ).models[0]
    corpora = [*substituted_corpora(corpus, people, model)]
    measured = {
        "f1": lambda data: ga.pairwise_f1(data).pooled["strict"].value,
        "gamma": lambda data: ga.gamma(data, samples=10).gamma.value,
        "unitizing-alpha": lambda data: ga.unitizing_alpha(data, overlap="layers").u.value,
    }[measure]
    base, *substituted = map(measured, corpora)
    assert changed.equivalence.agreement == pytest.approx(base, abs=1e-12)
    differences = [value - base for value in substituted]
    assert [*changed.equivalence.by_person.values()] == pytest.approx(differences, abs=1e-12)
    assert changed.equivalence.difference == pytest.approx(np.mean(differences), abs=1e-12)


def test_alpha_of_items_with_the_model_in_place():
    answers, table = random_items(5, numeric=True)
    result = ga.replaceable(table, annotator="gpt", people="p*", distance="interval", margin=0.2, min_instances=10)
    shared = [item for item in answers["gpt"] if sum(item in answers[f"p{number}"] for number in range(5)) > 1]
    people = {f"p{number}": answers[f"p{number}"] for number in range(5)}

    def alpha(by_person):
        records = [
            (item, name, value)
            for name, by_item in by_person.items()
            for item, value in by_item.items()
            if item in shared
        ]
        return ga.krippendorff_alpha(ga.ItemTable.from_records(records), distance="interval").value

    changed = result.models[0].equivalence
    assert changed.agreement == pytest.approx(alpha(people), abs=1e-12)
    for person, judged in people.items():
        substituted = {item: answers["gpt"].get(item, value) for item, value in judged.items()}
        expected = alpha({**people, person: substituted}) - alpha(people)
        assert changed.by_person[person] == pytest.approx(expected, abs=1e-12)


def test_equivalence_is_the_interval_within_the_margin():
    replicates = np.linspace(-0.02, 0.06, 2001)
    assert equivalence_p(replicates, 0.1) == pytest.approx(1 / 2002)
    assert equivalence_p(replicates, 0.06) < 0.05 < equivalence_p(replicates, 0.05)
    corpus = made_corpus()
    for margin, is_equivalent in ((0.5, True), (0.001, False)):
        changed = ga.replaceable(corpus, annotator=corpus.annotators[0], margin=margin).models[0].equivalence
        assert changed.is_equivalent is is_equivalent
        assert changed.low < changed.difference < changed.high
        assert (changed.p <= 0.05) is is_equivalent


# The command


def test_command_prints_models_calibration_and_signature():
    done = run("replace", CORPUS, "--model", "zeroshot-*", "--epsilon", "0.1", "--rows", "3", "--min-instances", "5")
    assert done.returncode == 0
    assert "calibration: 0 of 29 people pass in the model's place" in done.stdout
    assert done.stdout.splitlines()[2].split()[:4] == ["zeroshot-o3-mini", "12", "0.1034", "no"]
    assert "none of 29 people passes" in done.stderr


def test_command_reads_items(tmp_path):
    path = tmp_path / "ratings.csv"
    rows = zip("xyxyxyyx", "xyxxxyyx", "xyyyxyxx", "xyxyxyyy", strict=True)
    path.write_text("ann,bob,cy,gpt\n" + "".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    done = run("replace", path, "--items", "--model", "gpt", "--min-instances", "5", "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed == json.loads(
        json.dumps(ga.replaceable(ga.read_items(path), annotator="gpt", min_instances=5).to_dict())
    )


def test_command_without_a_value_says_why(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("ann,bob,gpt\nx,x,y\n", encoding="utf-8")
    done = run("replace", path, "--items", "--model", "gpt")
    assert done.returncode == 4
    assert "the test is not available: no person shares 30 items" in done.stderr
    wrong = run("replace", path, "--items", "--model", "gtp")
    assert (wrong.returncode, "--model" in wrong.stderr) == (2, True)
    missing = run("replace", path, "--items")
    assert (missing.returncode, "no model is named" in missing.stderr) == (2, True)


def test_command_writes_the_paragraph_of_a_paper():
    done = run("replace", CORPUS, "--model", "zeroshot-o3-mini", "--people", "human*", "--epsilon", "0.1", "--cite")
    assert "ω = 0.11 (fails), ρ = 0.77 (95 % interval" in done.stdout
    assert "nearer to the people than 29 of 29 of them" in done.stdout
    assert "0 of 28 people pass in the model's place" in done.stdout
    assert "calderon-etal-2025-alt-test" in done.stdout
