"""The consensus by votes: the definition, laws, written files, and the command."""

from __future__ import annotations

import json
import statistics
from collections import Counter

import pytest
from command_line import run
from hypothesis import given, settings
from hypothesis import strategies as st
from places import CORPORA
from strategies import cases, continuum_of

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

THREE = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
NOVELS = CORPORA / "novels_ner"
SEEN = [("d", name) for name in ("ann", "bob", "cy")]


def corpus_of(*units, annotations=SEEN, **options):
    return ga.Corpus.from_records([("d", *unit) for unit in units], annotations=annotations, **options)


def rows_of(result):
    return [(unit.start, unit.end, unit.category) for unit in result.units]


def simple(corpus):
    """Return the units of each document of a corpus of one annotator."""
    return {name: [tuple(unit[1:]) for unit in corpus[name].units()] for name in corpus}


def has_enough_votes_definition(votes, annotators, required):
    if required == "majority":
        return votes > annotators / 2
    if required == "all":
        return votes == annotators
    return votes >= required if isinstance(required, int) else votes / annotators >= required


def consensus_definition(corpus, required):
    """Return the units of the consensus, unit by unit: start, end, category, votes, tie."""
    frequency = Counter(unit.category for name in corpus for unit in corpus[name].units())
    order = sorted(frequency, key=lambda label: (-frequency[label], label is None, label or ""))
    result = []
    for name in corpus:
        numbers = [bound for unit in corpus[name].units() for bound in (unit.start, unit.end)]
        has_whole_bounds = all(number.is_integer() for number in numbers)
        median = statistics.median_low if has_whole_bounds else statistics.median
        for row in ga.align(corpus[name]).unitary_alignments():
            units = [unit for unit in row if unit is not None]
            if has_enough_votes_definition(len(units), len(row), required):
                counts = Counter(unit.category for unit in units)
                best_labels = [label for label in order if counts[label] == max(counts.values())]
                start, end = (median([unit[side] for unit in units]) for side in (1, 2))
                result.append((start, end, best_labels[0], len(units), len(best_labels) > 1))
    return sorted(result, key=repr)


@given(cases(5, 4), st.sampled_from(["majority", "all", 1, 2, 0.5, 0.3]), st.booleans())
def test_votes_give_the_consensus_of_the_definition(case, required, has_whole_bounds):
    units, n = case
    scale = 2 if has_whole_bounds else 1
    corpus = ga.Corpus.from_continua(
        [continuum_of(([(annotator, start * scale, end * scale, label) for annotator, start, end, label in units], n))]
    )
    result = ga.consensus(corpus, votes=required)
    rows = [(unit.start, unit.end, unit.category, unit.votes, unit.tie) for unit in result.units]
    assert sorted(rows, key=repr) == consensus_definition(corpus, required)
    assert all(unit.confidence == unit.votes / n >= unit.category_votes / n for unit in result.units)
    assert len(result.units) + len(result.voted_out) == len(ga.align(corpus.continuum(0)))


@settings(max_examples=15)
@given(cases(4, 4))
def test_units_have_the_order_of_the_corpus(case):
    corpus = ga.Corpus.from_continua([continuum_of(case)])
    result = ga.consensus(corpus, votes=1)
    assert [tuple(unit[1:]) for unit in result.corpus.continuum(0).units()] == rows_of(result)
    assert all(unit.start <= unit.end for unit in result.units)
    assert result.corpus.extents.tolist() == corpus.extents.tolist()
    assert sum(unit.votes for unit in result.units) == corpus.n_units


def make_noisy_corpus(seed, annotators=4):
    reference = ga.Corpus.from_continua([ga.synthetic_reference(units=12, seed=seed)])
    kinds = ("shift", "false-negative", "false-positive", "category")
    return ga.shuffle(reference, magnitude=0.3, kinds=kinds, annotators=annotators, seed=seed)


@pytest.mark.parametrize("weigh", [None, "dawid-skene"])
def test_names_order_and_positions_do_not_change_the_consensus(weigh):
    corpus = make_noisy_corpus(1)
    original = ga.consensus(corpus, weigh=weigh)
    assert original.voted_out
    tables = corpus.to_tables()
    rows = list(zip(*tables.units.values(), strict=True))[::-1]
    seen = list(zip(*tables.annotations.values(), strict=True))[::-1]
    extents = {name: tuple(corpus[name].extent) for name in corpus}
    reordered = ga.consensus(ga.Corpus.from_records(rows, annotations=seen, extents=extents), weigh=weigh)
    assert reordered.units == original.units
    renamed = ga.consensus(corpus.rename(annotators={"1": "z", "2": "m", "3": "a"}), weigh=weigh)
    assert rows_of(renamed) == rows_of(original)
    assert [unit.confidence for unit in renamed.units] == pytest.approx([unit.confidence for unit in original.units])
    labels = {"A": "D", "D": "A", "B": "C", "C": "B"}
    relabelled = ga.consensus(corpus.rename(categories=labels), weigh=weigh)
    assert [(start, end, labels[label]) for start, end, label in rows_of(relabelled)] == rows_of(original)
    moved = [(name, annotator, start + 64, end + 64, label) for name, annotator, start, end, label in rows]
    extents = {name: (low + 64, high + 64) for name, (low, high) in extents.items()}
    shifted = ga.consensus(ga.Corpus.from_records(moved, annotations=seen, extents=extents), weigh=weigh)
    for moved_unit, unit in zip(shifted.units, original.units, strict=True):
        assert (moved_unit.start - 64, moved_unit.end - 64) == pytest.approx((unit.start, unit.end))
        assert moved_unit[3:7] == unit[3:7]


@pytest.mark.parametrize("options", [{}, {"votes": "all"}, {"weigh": "dawid-skene"}])
def test_a_unanimous_corpus_is_its_own_consensus(options):
    reference = ga.Corpus.from_continua([ga.synthetic_reference(units=20)])
    result = ga.consensus(ga.shuffle(reference, magnitude=0, annotators=3), **options)
    assert simple(result.corpus) == simple(reference)
    assert {(unit.confidence, unit.category_confidence, unit.tie) for unit in result.units} == {(1.0, 1.0, False)}
    assert result.voted_out == ()
    assert [row.quality for row in result.annotators] == [1.0] * 3


def test_two_annotators_outvote_one_without_units():
    corpus = corpus_of(*[(name, start, start + 3, "x") for name in ("ann", "bob") for start in (0, 5, 10)])
    result = ga.consensus(corpus)
    assert rows_of(result) == [(0, 3, "x"), (5, 8, "x"), (10, 13, "x")]
    assert [unit.confidence for unit in result.units] == [2 / 3] * 3
    assert {row.annotator: (row.units, row.quality, row.missed) for row in result.annotators} == {
        "ann": (3, 1.0, 0.0),
        "bob": (3, 1.0, 0.0),
        "cy": (0, 0.0, 1.0),
    }
    assert ga.consensus(corpus, votes="all").units == ()
    assert rows_of(ga.consensus(corpus, weigh="dawid-skene")) == rows_of(result)


def test_a_tie_goes_to_the_more_frequent_category_then_to_the_first_by_name():
    corpus = corpus_of(("ann", 0, 4, "x"), ("bob", 0, 4, "y"), ("ann", 6, 9, "y"), ("bob", 6, 9, "y"))
    result = ga.consensus(corpus)
    assert rows_of(result) == [(0, 4, "y"), (6, 9, "y")]
    assert [unit.tie for unit in result.units] == [True, False]
    assert any("1 of 2" in note and "tie" in note for note in result.notes)
    assert rows_of(ga.consensus(corpus_of(("ann", 0, 4, "y"), ("bob", 0, 4, "x")))) == [(0, 4, "x")]
    assert rows_of(ga.consensus(corpus_of(("ann", 0, 4, None), ("bob", 0, 4, "x")))) == [(0, 4, "x")]


def test_the_median_of_two_whole_numbers_is_the_lower_one():
    characters = corpus_of(("ann", 0, 7), ("bob", 1, 8))
    assert rows_of(ga.consensus(characters)) == [(0, 7, None)]
    seconds = corpus_of(("ann", 0, 7), ("bob", 1, 8), ("cy", 20.5, 21))
    assert rows_of(ga.consensus(seconds)) == [(0.5, 7.5, None)]


def test_only_annotators_of_the_document_vote():
    units = [("d", "ann", 0, 4, "x"), ("e", "ann", 0, 4, "x"), ("e", "bob", 0, 4, "x"), ("f", "ann", 0, 4, "x")]
    seen = [("d", "ann"), ("e", "ann"), ("e", "bob"), ("e", "cy"), ("f", "ann"), ("f", "bob")]
    corpus = ga.Corpus.from_records(units, annotations=seen, documents=["d", "e", "f", "g"])
    result = ga.consensus(corpus)
    assert [(unit.document, unit.votes, unit.annotators) for unit in result.units] == [("e", 2, 3), ("d", 1, 1)][::-1]
    assert result.corpus.documents == ("d", "e", "f", "g")
    assert result.corpus.n_annotators.tolist() == [1, 1, 1, 0]
    assert any("one annotator" in note and note.endswith(": 1") for note in result.notes)
    assert any("exactly half" in note and ": 1;" in note for note in result.notes)
    assert [unit.document for unit in ga.consensus(corpus, votes=2).units] == ["e"]
    assert len(ga.consensus(corpus, votes=0.5).units) == 3
    # the numbers of unitary alignments are those of the disagreements; those of one annotator come after
    assert [unit.alignment for unit in result.units] == [2, 0]


def test_a_note_counts_units_that_overlap():
    corpus = corpus_of(
        *[(name, *bounds, "x") for name in ("ann", "bob") for bounds in ((0, 9), (2, 4), (6, 8), (9, 11))]
    )
    result = ga.consensus(corpus)
    assert "units of the consensus that overlap one before them: 2 of 4" in result.notes
    assert not any("overlap" in note for note in ga.consensus(make_noisy_corpus(3), votes="all").notes)


def test_a_corpus_without_units_has_an_empty_consensus():
    for weigh in (None, "dawid-skene"):
        result = ga.consensus(corpus_of(), weigh=weigh)
        assert (result.units, result.voted_out, result.corpus.n_units) == ((), (), 0)
        assert result.corpus.annotators == ("consensus",)
        assert result.to_dict()["confusion"] == []


def test_tables_count_the_same_judgments():
    result = ga.consensus(NOVELS)
    assert result.corpus.texts == ga.read(NOVELS).texts
    assert len(result.columns("confusion")["share"]) == len(result.confusion)
    for name in ("user1", "user2", "user3"):
        cells = [row for row in result.confusion if row.annotator == name]
        (row,) = [row for row in result.annotators if row.annotator == name]
        assert sum(cell.judgments for cell in cells) == row.judgments == 3066
        right = sum(cell.judgments for cell in cells if cell.consensus == cell.says)
        assert row.quality == pytest.approx(right / row.judgments)
        units = sum(cell.judgments for cell in cells if cell.consensus != "(no unit)")
        missed = sum(c.judgments for c in cells if c.consensus != "(no unit)" and c.says == "(no unit)")
        assert (units, row.missed) == (len(result.units), pytest.approx(missed / units))
    assert sum(row.units for row in result.labels) == len(result.units)
    assert sum(row.share for row in result.labels) == pytest.approx(1)
    assert list(result.to_frame(level="label")["label"])[-1] == "(no unit)"
    with pytest.raises(SettingsError, match="level must be one of"):
        result.columns("units")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"votes": 1.0}, "votes must be"),
        ({"votes": 0}, "votes must be"),
        ({"votes": True}, "votes must be"),
        ({"votes": "most"}, "votes must be"),
        ({"votes": float("nan")}, "votes must be"),
        ({"weigh": "mace"}, "weigh must be one of dawid-skene"),
        ({"weigh": "dawid-skene", "votes": 2}, "leave out votes= or weigh="),
        ({"name": " "}, "name must not be empty"),
    ],
)
def test_settings_out_of_range_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        ga.consensus(THREE, **options)


def test_a_corpus_of_one_annotator_is_refused():
    with pytest.raises(InputError, match="only one annotator"):
        ga.consensus({"ann": [(0, 4, "x")]})


# ------------------------------------------------------------------------------------------- nearer than each


def test_the_consensus_is_closer_to_the_reference_than_any_annotator():
    kinds = ("shift", "false-negative", "false-positive", "category")
    for magnitude in (0.15, 0.3):
        reference = ga.Corpus.from_continua([ga.synthetic_reference(units=60)])
        corpus = ga.shuffle(reference, magnitude=magnitude, kinds=kinds, annotators=5)
        names = dict.fromkeys(reference.annotators, "reference")
        for weigh in (None, "dawid-skene"):
            consensus = ga.consensus(corpus, weigh=weigh).corpus
            joined = corpus.merge(consensus).merge(reference.rename(annotators=names))
            scores = ga.evaluate(joined, reference="reference", measures="spans").systems
            f1 = {score.system: float(score.spans["relaxed"].f1) for score in scores}
            f1_of_consensus = f1.pop("consensus")
            assert f1_of_consensus > max(f1.values())


# ------------------------------------------------------------------------------------------ the command line


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "jsonl"])
def test_a_written_consensus_is_read_back_unchanged(form, tmp_path):
    target = tmp_path / ("out.jsonl" if form == "jsonl" else "out")
    data = CORPORA / "formats" / "brat" / "multi_annotator_project"
    done = run("consensus", data, "--votes", "2", "-o", target, "--to", form, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    reread = ga.read(target)
    assert reread.annotators == ("consensus",)
    assert reread.texts is not None
    rows = [(name, *unit[1:]) for name in reread for unit in reread[name].units()]
    names = ("document", "start", "end", "category")
    assert rows == [tuple(unit[name] for name in names) for unit in printed["units"]]
    assert rows


def test_the_table_of_votes_is_read_as_a_corpus(tmp_path):
    done = run("consensus", THREE, "--csv", "--name", "gold")
    path = tmp_path / "gold.csv"
    path.write_text(done.stdout, encoding="utf-8")
    reread = ga.read(path)
    result = ga.consensus(THREE, name="gold")
    assert reread.annotators == ("gold",)
    assert simple(reread) == simple(result.corpus)
    header, first, *_ = done.stdout.splitlines()
    assert "votes,category_votes,annotators,confidence" in header
    assert first.startswith("AlexPaulSuzan,gold,")
    out = run("consensus", NOVELS, "--voted-out").stdout.splitlines()
    assert len(out) - 1 == len(ga.consensus(NOVELS).voted_out) > 0


def test_the_printed_consensus_has_a_table_of_votes():
    done = run("consensus", NOVELS, "--rows", "2", "--name", "gold")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "2865 units of 3066 unitary alignments, 201 voted out"
    assert ["3", "of", "3", "2192", "0"] in [line.split() for line in lines]
    assert "… and 1 more: --rows N shows more, --json all" in done.stdout
    assert "1 of 2865" in done.stderr
    weighed = run("consensus", NOVELS, "--weigh", "dawid-skene").stdout
    assert "log-likelihood -4458.2088 after" in weighed


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--votes", "1.5"), 2, "votes must be"),
        (("--votes", "most"), 2, "argument --votes"),
        (("--votes", "2", "--weigh", "dawid-skene"), 2, "leave out --votes or --weigh"),
        (("--csv", "--json"), 2, "not allowed with"),
        (("-o", THREE), 2, "is the input"),
        (("--annotator", "Alex"), 3, "only one annotator"),
    ],
)
def test_the_command_refuses_invalid_options_and_data(arguments, code, message):
    done = run("consensus", THREE, *arguments)
    assert done.returncode == code
    assert message in done.stderr


def test_unproven_alignments_are_reported_in_gaps_and_signature():
    corpus = ga.read(CORPORA / "hearst_kazantseva")
    limited = ga.consensus(corpus, limits=ga.Limits(max_work=1, max_columns=1))
    assert max(limited.gaps) > 0
    assert "opt:no" in limited.signature
    assert set(ga.consensus(corpus.select(documents="hearst/stargazer", annotators=["coder1", "coder2"])).gaps) == {0.0}


def test_more_votes_than_a_document_has_annotators_are_noted():
    units = {"ann": [(0, 4, "x")], "bob": [(0, 4, "x")]}
    result = ga.consensus(units, votes=3)
    assert result.corpus.n_units == 0
    assert "no document has 3 annotators, and so no unit has 3 votes; the most are 2" in result.notes
    assert not any("no document has" in note for note in ga.consensus(units, votes=2).notes)
