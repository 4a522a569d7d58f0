"""Folders are annotators or documents: the annotated material decides, never the names alone."""

from __future__ import annotations

import re
from itertools import product

import pytest

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading.validation.validate import validate

LENGTHS = {"doc1": 10.0, "doc2": 14.0, "doc3": 20.0}
TEXTS = {
    "doc1": "Anna sings in Rome.",
    "doc2": "It will rain tomorrow, says Ben.",
    "doc3": "Trains to Paris leave at noon from platform two.",
}
ANNOTATORS = ("alice", "ben")
WAYS = ["{document}/{annotator}", "{annotator}/{document}"]


def write_files(base, way, suffix, content, texts=None):
    """Write a file for each document and annotator, in folders named either way."""
    for document, annotator in product(LENGTHS, ANNOTATORS):
        file = base / f"{way.format(document=document, annotator=annotator)}{suffix}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content(document, annotator), encoding="utf-8")
        if texts is not None:
            file.with_suffix(".txt").write_text(texts[document], encoding="utf-8")
    return base


def text_grid(document, annotator, lengths=LENGTHS):
    end, cut = lengths[document], lengths[document] / 2 + 0.1 * (annotator == "ben")
    return (
        f'"ooTextFile"\n"TextGrid"\n0\n{end}\n<exists>\n1\n"IntervalTier"\n"words"\n0\n{end}\n2\n'
        f'0\n{cut}\n"a"\n{cut}\n{end}\n"b"\n'
    )


def brat(document, annotator):  # noqa: ARG001  (every annotator marks the first word)
    word = TEXTS[document].split()[0]
    return f"T1\tPER 0 {len(word)}\t{word}\n"


def same_words(document, annotator):  # noqa: ARG001  (nothing differs)
    return "T1\tPER 0 4\tAnna\n"


def web_anno(document, annotator):  # noqa: ARG001
    lines = ["#FORMAT=WebAnno TSV 3.2", "#T_SP=de.Entity|value", "", "", f"#Text={TEXTS[document]}"]
    matches = enumerate(re.finditer(r"\S+", TEXTS[document]), 1)
    rows = [f"1-{at}\t{m.start()}-{m.end()}\t{m.group()}\t{'PER' if at == 1 else '_'}\t" for at, m in matches]
    return "\n".join([*lines, *rows, ""])


def conll(document, annotator):  # noqa: ARG001
    return "".join(f"{word}\t{'O' if at else 'B-PER'}\n" for at, word in enumerate(TEXTS[document].split())) + "\n"


def lab(document, annotator):
    end, cut = int(LENGTHS[document] * 1e7), int(4e7 + 1e6 * (annotator == "ben"))
    return f"0 {cut} a\n{cut} {end} b\n"


CONTENTS = {
    "lengths": (".TextGrid", text_grid, None, "length"),
    "texts": (".ann", brat, TEXTS, "text"),
    "words of units": (".ann", brat, None, "words in their units"),
    "texts in the files": (".tsv", web_anno, None, "text"),
    "tokens": (".conll", conll, None, "tokens"),
    "last boundaries": (".lab", lab, None, "last boundary"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", CONTENTS)
def test_annotated_material_decides_whether_folders_are_documents(tmp_path, kind, way):
    suffix, content, texts, evidence = CONTENTS[kind]
    corpus = ga.read(write_files(tmp_path, way, suffix, content, texts))
    assert corpus.documents == tuple(LENGTHS)
    assert corpus.annotators == ANNOTATORS
    meaning = "each folder is taken for an annotator"
    if way.startswith("{document}"):
        meaning = "folders are documents and files are annotators"
    note = f"{tmp_path.name}: {meaning}: alice, ben (files of one document have the same {evidence})"
    assert note in corpus.notes


def test_gamma_does_not_depend_on_the_order_of_folders(tmp_path):
    values = [
        float(ga.gamma(ga.read(write_files(tmp_path / str(index), way, ".TextGrid", text_grid)), samples=30).gamma)
        for index, way in enumerate(WAYS)
    ]
    assert values[0] == values[1]
    assert values[0] > 0.5


def test_folders_of_documents_may_be_in_other_folders(tmp_path):
    write_files(tmp_path, "corpus/{document}/annotation/{annotator}", ".TextGrid", text_grid)
    corpus = ga.read(tmp_path)
    assert (corpus.documents, corpus.annotators) == (tuple(LENGTHS), ANNOTATORS)


def test_folders_in_the_middle_may_be_annotators(tmp_path):
    write_files(tmp_path, "{document}/{annotator}/segments", ".TextGrid", text_grid)
    corpus = ga.read(tmp_path)
    assert (corpus.documents, corpus.annotators) == (tuple(LENGTHS), ANNOTATORS)
    assert any("folders at level 2 are annotators" in note for note in corpus.notes)


def test_annotators_are_recognised_despite_small_changes_of_texts(tmp_path):
    write_files(
        tmp_path, "{annotator}/{document}", ".ann", brat, {name: f"{text} " * 9 for name, text in TEXTS.items()}
    )
    for document in ("doc1", "doc2", "doc3"):
        text = tmp_path / "ben" / f"{document}.txt"
        text.write_text(text.read_text(encoding="utf-8") + "Yes.", encoding="utf-8")
    with pytest.raises(InputError, match="the annotators' texts differ"):
        ga.read(tmp_path)
    assert ga.read(tmp_path, align_text=True).annotators == ANNOTATORS


@pytest.mark.parametrize(
    ("suffix", "content", "cause"),
    [
        (".TextGrid", lambda *names: text_grid(*names, dict.fromkeys(LENGTHS, 10.0)), r"\(compared: length, last"),
        (".ann", same_words, r"\(compared: words in their units\)"),
        (".ann", lambda *_: "", "the files have no texts or lengths that could decide it"),
    ],
    ids=["equal lengths", "equal words", "no material"],
)
@pytest.mark.parametrize("way", WAYS)
def test_ambiguous_folders_are_refused_with_a_template_for_each_meaning(tmp_path, suffix, content, cause, way):
    write_files(tmp_path, way, suffix, content)
    with pytest.raises(InputError, match=f"do not tell whether folders are annotators or documents.*{cause}") as error:
        ga.read(tmp_path)
    templates = re.findall("'([^']+)' if folders", str(error.value))
    readings = [ga.read(template) for template in templates]
    assert [corpus.annotators for corpus in readings].count(ANNOTATORS) == 1
    assert [corpus.documents for corpus in readings].count(tuple(LENGTHS)) == 1


def test_validate_lists_folders_of_unknown_meaning_as_the_only_problem(tmp_path):
    write_files(tmp_path, WAYS[0], ".ann", same_words)
    (problem,) = validate(tmp_path).problems
    assert "do not tell whether folders are annotators or documents" in str(problem)


def test_a_pattern_of_the_user_decides_without_evidence(tmp_path):
    write_files(tmp_path, WAYS[0], ".ann", same_words)
    corpus = ga.read(tmp_path, annotator="{file}", document="{folder}")
    assert (corpus.documents, corpus.annotators) == (tuple(LENGTHS), ANNOTATORS)


def test_files_with_one_name_and_other_texts_are_several_documents(tmp_path):
    for document in LENGTHS:
        (tmp_path / document).mkdir()
        (tmp_path / document / "gold.ann").write_text(brat(document, "gold"), encoding="utf-8")
        (tmp_path / document / "gold.txt").write_text(TEXTS[document], encoding="utf-8")
    with pytest.raises(InputError, match="files of one name in several folders have different texts") as error:
        ga.read(tmp_path)
    assert "{document}/{annotator}.ann'" in str(error.value)
    assert ga.read(f"{tmp_path}/{{document}}/{{annotator}}.ann").documents == tuple(LENGTHS)


def test_documents_of_one_folder_are_no_annotators(tmp_path):
    for document in ("d1", "d2"):
        (tmp_path / "ann").mkdir(exist_ok=True)
        (tmp_path / "ann" / f"{document}.TextGrid").write_text(text_grid("doc1", "ann"), encoding="utf-8")
    corpus = ga.read(tmp_path)
    assert (corpus.documents, corpus.annotators) == (("d1", "d2"), ("ann",))


# ------------------------------------------------------------------------------------------------------ INCEpTION


@pytest.mark.parametrize("parent", ["", "annotation/"])
def test_an_unpacked_inception_project_is_read_without_initial_documents(tmp_path, parent):
    corpus = ga.read(write_files(tmp_path, f"{parent}{{document}}.txt/{{annotator}}", ".tsv", web_anno))
    assert corpus.documents == tuple(f"{name}.txt" for name in TEXTS)
    assert corpus.annotators == ANNOTATORS


def test_the_curator_of_an_unpacked_project_is_no_annotator(tmp_path):
    write_files(tmp_path, "annotation/{document}.txt/{annotator}", ".tsv", web_anno)
    for document in TEXTS:
        for name in (f"curation/{document}.txt/CURATION_USER.tsv", f"source/{document}.tsv"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(web_anno(document, ""), encoding="utf-8")
    corpus = ga.read(tmp_path)
    assert corpus.documents == tuple(f"{name}.txt" for name in TEXTS)
    assert corpus.annotators == ANNOTATORS
    assert any("6 files that no annotator made are left out: CURATION_USER, doc1" in note for note in corpus.notes)


def test_curated_documents_alone_are_read(tmp_path):
    for document in TEXTS:
        (tmp_path / document).mkdir()
        (tmp_path / document / "CURATION_USER.tsv").write_text(web_anno(document, ""), encoding="utf-8")
    corpus = ga.read(tmp_path)
    assert (corpus.documents, corpus.annotators) == (tuple(TEXTS), ("CURATION_USER",))
