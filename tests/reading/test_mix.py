"""Files of different kinds are one corpus if their documents and texts agree."""

from __future__ import annotations

import json

import pytest

import gamma_align as ga
from tests.helpers.command_line import run

TEXT = 'Anna Meier sings in Berlin.\nBob (31) hears her, he says "no".'
SPANS = [("Anna Meier", "PER"), ("Berlin", "LOC"), ("Bob", "PER")]
TAGGED = """Anna B-PER
Meier I-PER
sings O
in O
Berlin B-LOC
. O

Bob B-PER
( O
31 O
) O
hears O
her B-PER
, O
he O
says O
" O
no O
" O
. O
"""
MIRA = {(0, 10), (20, 26), (28, 31), (43, 46)}


def places():
    return [(TEXT.index(words), TEXT.index(words) + len(words), label, words) for words, label in SPANS]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return a folder with the tags of mira and the spans of jonas in several formats."""
    monkeypatch.chdir(tmp_path)
    for name in ("mira", "jonas", "given/texts"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "mira/d1.conll").write_text(TAGGED)
    (tmp_path / "given/texts/d1.txt").write_text(TEXT)
    (tmp_path / "jonas/d1.txt").write_text(TEXT)
    rows = [f"T{number}\t{label} {start} {end}\t{words}" for number, (start, end, label, words) in enumerate(places())]
    (tmp_path / "jonas/d1.ann").write_text("\n".join(rows) + "\n")
    spans = [[start, end, label] for start, end, label, _ in places()]
    record = {"document": "d1", "annotator": "jonas", "text": TEXT, "spans": spans}
    (tmp_path / "jonas.jsonl").write_text(json.dumps(record) + "\n")
    lines = [f"d1,jonas,{start},{end},{label}" for start, end, label, _ in places()]
    (tmp_path / "jonas.csv").write_text("\n".join(["document,annotator,start,end,category", *lines]) + "\n")
    tagged = [line.split() or ["", ""] for line in TAGGED.splitlines()]
    words = {"document": "d1", "annotator": "mira", "tokens": [word for word, _ in tagged if word]}
    words["ner_tags"] = [tag for word, tag in tagged if word]
    (tmp_path / "mira.jsonl").write_text(json.dumps(words) + "\n")
    return tmp_path


def spans_of(corpus, annotator):
    own = corpus.select(annotators=annotator)
    return {*zip(own.start.astype(int).tolist(), own.end.astype(int).tolist(), strict=True)}


def check(corpus, mira):
    assert corpus.length_unit == "char"
    assert spans_of(corpus, mira) == MIRA
    assert spans_of(corpus, "jonas") == {(start, end) for start, end, *_ in places()}


@pytest.mark.parametrize(
    ("paths", "mira"),
    [
        (["mira/d1.conll", "jonas.jsonl"], "d1"),
        (["jonas.jsonl", "mira/d1.conll"], "d1"),
        (["mira.jsonl", "jonas.jsonl"], "mira"),
    ],
)
def test_tokens_beside_characters(paths, mira):
    check(ga.read(paths), mira)


def test_a_template_of_several_formats_is_one_corpus():
    check(ga.read("{annotator}/{document}.*"), "mira")


def test_tokens_beside_a_table_of_offsets_need_the_texts():
    with pytest.raises(ga.InputError, match="if they count characters, give the texts"):
        ga.read(["mira.jsonl", "jonas.csv"])
    check(ga.read(["mira.jsonl", "jonas.csv"], texts="given/texts"), "mira")


def test_tokens_with_texts_count_characters():
    corpus = ga.read("mira.jsonl", texts="given/texts")
    assert spans_of(corpus, "mira") == MIRA
    assert corpus.texts == (TEXT,)
    assert ga.read(ga.read("mira.jsonl"), texts="given/texts").start.tolist() == corpus.start.tolist()


def test_tokens_that_are_not_those_of_the_text_are_a_problem_of_reading_and_of_validation(folder):
    (folder / "given/texts/d1.txt").write_text(TEXT.replace("Berlin", "Bern"))
    message = "document 'd1': token 5, 'Berlin'"
    with pytest.raises(ga.InputError, match=message):
        ga.read("mira.jsonl", texts="given/texts")
    assert message in str(ga.validate("mira.jsonl", texts="given/texts").problems[0])


@pytest.mark.parametrize(
    "command",
    [
        ["measure", "mira.jsonl", "jonas.jsonl"],
        ["look", "mira.jsonl", "jonas.jsonl"],
        ["evaluate", "mira.jsonl", "jonas.jsonl", "--reference", "jonas"],
        ["compare", "--units", "mira.jsonl", "jonas.jsonl"],
        ["disagreements", "mira.jsonl", "jonas.jsonl"],
    ],
)
def test_every_command_reads_the_mix(folder, command):
    done = run(*command, cwd=folder)
    assert "tokens are placed in the texts" in done.stderr + done.stdout
    assert "error" not in done.stderr
    assert "jonas" in done.stdout


def test_folders_of_annotators_with_other_formats_are_told_their_path():
    with pytest.raises(ga.InputError, match=r"give the one path '\{annotator\}/\{document\}\.\*'"):
        ga.read(["mira", "jonas"])


def test_files_of_a_template_that_no_format_knows_are_told_or_refused(folder):
    (folder / "mira/d1.md").write_text("a remark")
    corpus = ga.read("{annotator}/{document}.*")
    assert any("not read: mira/d1.md" in note for note in corpus.notes)
    (folder / "jonas/d2.ann").write_text("damaged")
    with pytest.raises(ga.InputError, match=r"jonas/d2\.ann"):
        ga.read("{annotator}/{document}.*")
