"""CoNLL-2011 and CoNLL-2012 (OntoNotes): entities, mentions in brackets, among columns that change in number."""

import pytest
from command_line import run

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading.read import read


def rows(document, words, entities, mentions, arguments):
    """Return the lines of a sentence; `arguments` has a column of (word, arguments) a predicate."""
    table = [
        [document, "0", str(number), word, "NN", "(NP*" if not number else "*)", "-", "-", "-", "Speaker#1"]
        + [column[number] for column in (entities, *arguments, mentions)]
        for number, word in enumerate(words)
    ]
    return "".join("   ".join(row) + "\n" for row in table)


FIRST = rows(
    "nw/d1",
    ["Ada", "Lovelace", "met", "her", "in", "Rome"],
    ["(PERSON*", "*)", "*", "*", "*", "(GPE)"],
    ["(1", "1)", "-", "(2)", "-", "(3|(4)"],
    [["(ARG0*", "*)", "(V*)", "(ARG1*)", "(ARGM*", "*)"], ["*"] * 6],
).replace("(3|(4)", "(3)|(4)")
SECOND = rows("nw/d1", ["It", "rained"], ["*", "(DATE(TIME))"], ["(3)", "-"], [])
TEXT = f"#begin document (nw/d1); part 000\n{FIRST}\n{SECOND}\n#end document\n"
ENTITIES = [("nw/d1", 0, 2, "PERSON"), ("nw/d1", 5, 6, "GPE"), ("nw/d1", 7, 8, "DATE"), ("nw/d1", 7, 8, "TIME")]
MENTIONS = [(0, 2, "1"), (3, 4, "2"), (5, 6, "3"), (5, 6, "4"), (6, 7, "3")]


def saved(folder, text=TEXT, name="anna.v4_gold_conll"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def records(corpus):
    return [(name, unit.start, unit.end, unit.category) for name in corpus for unit in corpus[name].units()]


@pytest.mark.parametrize("name", ["anna.v4_gold_conll", "anna.conll", "anna.txt", "anna"])
@pytest.mark.parametrize("between", ["   ", "\t"])
def test_entities_are_read_and_coreference_is_named(tmp_path, name, between):
    corpus = read(saved(tmp_path, TEXT.replace("   ", between), name))
    assert records(corpus) == ENTITIES
    assert corpus["nw/d1"].extent == (0, 8)
    notes = " ".join(corpus.notes)
    assert "tokens are in column 4, tags in column 11: units in brackets" in notes
    assert "entities are read; read the mentions in the last column with layers='coreference'" in notes


def test_coreference_is_read_on_request(tmp_path):
    path = saved(tmp_path)
    assert [record[1:] for record in records(read(path, layers="coreference", options={"chains": True}))] == MENTIONS
    assert {category for *_, category in records(read(path, layers="coreference"))} == {None}
    assert records(read(path, layers="entities")) == ENTITIES
    assert len(records(read(path, layers="*"))) == len(ENTITIES) + len(MENTIONS)


def test_coreference_is_read_if_there_are_no_entities(tmp_path):
    text = TEXT.replace("(PERSON*", "*").replace("(GPE)", "*").replace("(DATE(TIME))", "*")
    lines = [line.replace("*)", "*", 2) if line.split()[3:4] == ["Lovelace"] else line for line in text.splitlines()]
    corpus = read(saved(tmp_path, "\n".join(lines)), options={"chains": True})
    assert [record[1:] for record in records(corpus)] == MENTIONS


def test_files_of_annotators_are_measured(tmp_path):
    saved(tmp_path, name="anna/d1.gold_conll")
    saved(tmp_path, TEXT.replace("(GPE)", "(ORG)"), name="ben/d1.gold_conll")
    done = run("measure", tmp_path, "--samples", "4")
    assert done.returncode == 0, done.stderr
    assert ga.read(tmp_path)["nw/d1"].annotators == ("anna", "ben")


def test_parts_are_documents(tmp_path):
    text = TEXT + TEXT.replace("part 000", "part 001") + TEXT.replace("(nw/d1); part 000", "(nw/d2);")
    assert read(saved(tmp_path, text)).documents == ("nw/d1", "nw/d1 1", "nw/d2")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(GPE)", "*)", r"line 7: '\*\)' ends a unit that does not begin; correct it"),
        ("(GPE)", "(GPE*", r"line 7: '\(GPE' begins a unit that does not end in its sentence; correct it"),
        ("(GPE)", "GPE", r"line 7: 'GPE' is none of \(ORG\*, \*\), \(ORG\), \*; correct it"),
        ("   Speaker#1   (GPE)   *)   *   (3)|(4)", "", r"line 7: 9 cells, but a token has at least 12"),
        ("(2)", "2", r"line 5: '2' is no mention"),
    ],
)
def test_invalid_lines_are_refused_with_their_number(tmp_path, old, new, message):
    text = TEXT.replace(old, new)
    with pytest.raises(InputError, match=rf"anna\.conll, {message}"):
        read(saved(tmp_path, text, "anna.conll"), layers="*", format="conll")
