"""White space and punctuation at the edges of units: what is cut, what stays, and who says so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from places import CORPORA

import gamma_align as ga
from gamma_align.data.trimming import content
from gamma_align.errors import InputError

NOVELS = CORPORA / "novels_ner"


def corpus_of(texts, spans, **options):
    """Return a corpus with these texts, of units (document, annotator, start, end)."""
    extents = {name: (0, max(len(text or ""), 9)) for name, text in texts.items()}
    corpus = ga.Corpus.from_records([(*span, "x") for span in spans], extents=extents, **options)
    return replace(corpus, texts=tuple(texts[name] for name in corpus.documents), length_unit="char")


def words(corpus):
    return [
        text[int(unit.start) : int(unit.end)]
        for name, text in zip(corpus.documents, corpus.texts, strict=True)
        for unit in corpus[name].units()
    ]


@pytest.mark.parametrize(
    ("marked", "trimmed_text"),
    [
        (" they", "they"),
        ("my mother ", "my mother"),
        ("“Tom's”,", "Tom's"),
        ("(Mr. Grey)", "Mr. Grey"),
        ("\u00a0\u3000¿qué?\n", "qué"),
        ("\u200bword\ufeff", "word"),
        ("$5", "$5"),
        ("C++.", "C++"),
        ("cafe\u0301!", "cafe\u0301"),
        ("कि।", "कि"),
        ("…", "…"),
        (" - ", " - "),
        ("", ""),
        ("U.S.A.", "U.S.A"),
        ("😀!", "😀"),
    ],
)
def test_edges_are_cut(marked, trimmed_text):
    corpus = corpus_of({"d": f"ab{marked}cd"}, [("d", "ann", 2, 2 + len(marked)), ("d", "bob", 0, 2)])
    trimmed = corpus.trim()
    assert words(trimmed) == [trimmed_text, "ab"]
    assert (
        trimmed.notes[-1]
        == f"units cut of white space and punctuation at their edges: {int(marked != trimmed_text)} of 2"
    )


@given(st.text("a .,é\n", max_size=12), st.integers(0, 12), st.integers(0, 12))
def test_trimming_equals_strip_and_is_idempotent(text, first, second):
    first, second = sorted((min(first, len(text)), min(second, len(text))))
    corpus = corpus_of({"d": text}, [("d", "ann", first, second)])
    trimmed = corpus.trim()
    (marked,), (trimmed_text,) = words(corpus), words(trimmed)
    assert trimmed_text == (marked.strip(" .,\n") or marked)
    assert trimmed.trim().start.tolist() == trimmed.start.tolist()
    assert trimmed.trim().end.tolist() == trimmed.end.tolist()
    assert corpus.start[0] <= trimmed.start[0] <= trimmed.end[0] <= corpus.end[0]


def test_each_document_has_its_own_text():
    texts = {"d": ", a ", "e": None, "f": " b"}
    spans = [("d", "ann", 0, 4), ("d", "ann", 3, 4), ("e", "ann", 0, 4), ("f", "ann", 0, 1), ("f", "bob", 0, 2)]
    trimmed = corpus_of(texts, spans).trim()
    units = [(name, *unit[1:3]) for name in trimmed for unit in trimmed[name].units()]
    assert units == [("d", 2, 3), ("d", 3, 4), ("e", 0, 4), ("f", 0, 1), ("f", 1, 2)]
    assert "documents whose text is not known, and whose units are not trimmed: 1" in trimmed.notes
    assert trimmed.texts == tuple(texts.values())


def test_units_outside_the_text_do_not_change():
    spans = [("d", "ann", 0.5, 2), ("d", "bob", 1, 9), ("d", "cy", -1, 2)]
    corpus = corpus_of({"d": " a "}, spans, outside="extend")
    assert corpus.trim().start.tolist() == corpus.start.tolist()
    assert corpus.trim().end.tolist() == corpus.end.tolist()


def test_corpus_without_texts_is_refused_with_a_cure():
    with pytest.raises(InputError, match="name them with texts=, or read"):
        ga.read(CORPORA / "pygamma" / "AlexPaulSuzan.csv").trim()


def test_nothing_else_is_a_letter_of_content():
    assert content(" .a\t-5\n").tolist() == [False, False, True, False, False, True, False]
    assert content("").tolist() == []


def test_novels_differ_by_spaces_in_18_of_202_places_until_they_are_trimmed():
    done = run("disagreements", NOVELS, "--samples", "2")
    line = "18 of 202 differences in position are of white space and punctuation alone, 0.03 % of the disorder"
    assert f"{line}: --trim cuts them" in done.stdout
    cut = run("disagreements", NOVELS, "--samples", "2", "--trim")
    assert "white space" not in cut.stdout
    assert "units cut of white space and punctuation at their edges: 27 of 8123" in cut.stderr
    trimmed = ga.disagreements(ga.read(NOVELS).trim(), samples=2)
    assert int((trimmed.parts[:, 1] > 0).sum()) == 184


def test_the_report_names_the_option_in_the_language_it_is_made_by(tmp_path):
    done = run("report", NOVELS, "-o", tmp_path / "page.html", "--samples", "2", "--quiet")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "--trim cuts them" in page
    assert ga.html_report(NOVELS, samples=2).html == page.replace("--trim cuts", "trim=True cuts")


def test_the_command_line_trims_all_that_is_read(tmp_path):
    table = tmp_path / "units.csv"
    table.write_text("document,annotator,start,end,category\nd,ann,0,4,x\nd,bob,1,4,x\n", encoding="utf-8")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "d.txt").write_text(" Ada.", encoding="utf-8")
    refused = run("convert", table, "-", "--to", "jsonl", "--trim")
    assert refused.returncode == 3
    assert f"{table}: the texts are not known" in refused.stderr
    done = run("convert", table, "-", "--to", "jsonl", "--trim", "--texts", tmp_path / "texts")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('"start": 1, "end": 4') == 2
    assert "1 of 2" in done.stderr
