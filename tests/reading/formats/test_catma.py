"""CATMA: a project made by hand after real ones, both layouts, what such projects do wrong."""

import json
import re
import shutil
from pathlib import Path

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

SAMPLE = FORMATS / "catma"
PROJECT = "CATMA_3D0C54C8_fox"
TITLE = "The Fox and the Raven"


@pytest.fixture
def clone(tmp_path):
    """A copy of the sample, to be changed."""
    return Path(shutil.copytree(SAMPLE / PROJECT, tmp_path / PROJECT))


def changed(path, place, value):
    """Change one value in a JSON file; `place` is the way to it, `...` as a value deletes it."""
    content = json.loads(path.read_text(encoding="utf-8"))
    at = content
    for step in place[:-1]:
        at = at[step]
    if value is ...:
        del at[place[-1]]
    else:
        at[place[-1]] = value
    path.write_text(json.dumps(content), encoding="utf-8")


def covered(corpus):
    text = corpus.texts[0]
    return [(who, text[int(start) : int(end)], what) for who, start, end, what in corpus[TITLE].units()]


UNITS = [  # an emoji stands before all of them
    ("anna", "like a bell", "simile"),
    ("anna", '"What a voice!" said the raven', "speech/irony"),  # in two selectors that touch
    ("anna", "and, alas, let fall the cheese", "irony"),  # in two that do not
    ("bert", "sang like a bell", "simile"),
    ("bert", '"What a voice!"', "irony"),
]


# --- the sample --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fmt", [None, "catma"])
def test_sample_has_the_expected_units(fmt):
    corpus = ga.read(SAMPLE, format=fmt)
    assert corpus[TITLE].annotators == ("anna", "bert", "cleo")  # cleo marked nothing
    assert covered(corpus) == UNITS
    assert corpus.extents.tolist() == [[0, len(next(SAMPLE.glob("*/documents/*/*.txt")).read_text(encoding="utf-8"))]]
    assert any("taken for 'anna', who is responsible, are annotations 1 by 'bert'" in note for note in corpus.notes)
    assert not any("not read" in note for note in corpus.notes)  # the other files are of the project


def test_touching_parts_are_joined():
    parts = covered(ga.read(SAMPLE, discontinuous="parts"))
    assert [text for _, text, _ in parts[:4]] == [UNITS[0][1], UNITS[1][1], "and,", "let fall the cheese"]


def test_the_category_may_be_a_property():
    corpus = ga.read(SAMPLE, layers="figures:strength")
    assert [category for *_, category in covered(corpus)] == ["strong", None, "strong", "weak", "weak", None]
    assert sum("have no property 'strength'" in note for note in corpus.notes) == 2


def test_annotators_may_be_called_by_the_collection():
    corpus = ga.read(SAMPLE, options={"annotator": "collection"})
    assert corpus.annotators == ("first reading", "second reading", "third reading")
    assert corpus.n_units == 5


def test_authors_may_be_the_annotators(clone):
    with pytest.raises(InputError, match=r"annotator 'bert' has marked document 'The Fox and the Raven' in .* too"):
        ga.read(clone, options={"annotator": "author"})
    (clone / "collections" / "C_BBBB" / "annotations" / "bert_0.json").unlink()
    corpus = ga.read(clone, options={"annotator": "author"})
    assert corpus.annotators == ("anna", "bert", "cleo")
    assert covered(corpus) == [*UNITS[:2], ("bert", *UNITS[2][1:])]


def test_one_collection_may_be_read():
    corpus = ga.read(SAMPLE / PROJECT / "collections" / "C_BBBB")
    assert covered(corpus) == UNITS[3:]


def test_catma_6_annotations_are_one_file_each(clone):
    for header in clone.glob("collections/*/header.json"):
        changed(header, ("responsibleUser",), ...)
    shutil.rmtree(clone / "collections" / "C_AAAA")
    page = clone / "collections" / "C_BBBB" / "annotations" / "bert_0.json"
    for number, annotation in enumerate(json.loads(page.read_text(encoding="utf-8"))):
        body = annotation["body"]
        body["tag"] = f"https://git.example.org/{PROJECT}_root/{body['tag']}"
        page.with_name(f"CATMA_{number}.json").write_text(json.dumps(annotation), encoding="utf-8")
    page.unlink()
    assert covered(ga.read(clone)) == UNITS[3:]


def test_documents_with_equal_titles_get_distinct_names(clone):
    documents = clone / "documents"
    first = next(documents.iterdir())
    shutil.copytree(first, documents / "D_2")
    shutil.move(documents / "D_2" / f"{first.name}.txt", documents / "D_2" / "D_2.txt")
    changed(clone / "collections" / "C_CCCC" / "header.json", ("sourceDocumentId",), "D_2")
    assert ga.read(clone).documents == (f"{TITLE} ({first.name})", f"{TITLE} (D_2)")


def test_changed_project_is_read_again(clone):
    assert "simile" in ga.read(clone).categories
    changed(next(clone.glob("tagsets/*/CATMA_SIM/propertydefs.json")), ("name",), "comparison")
    assert "comparison" in ga.read(clone).categories


def test_a_document_without_text_is_noted(clone):
    next(clone.glob("documents/*/*.txt")).unlink()
    corpus = ga.read(clone)
    assert any("so nothing is checked against the text" in note for note in corpus.notes)
    assert corpus.extents.tolist() == [[11, 91]]  # as the file counts, the emoji as two


# --- what is wrong -----------------------------------------------------------------------------------------

PAGE = "collections/C_AAAA/annotations/anna_0.json"
HEADER = "collections/C_AAAA/header.json"
ITEMS = (1, "target", "items")
WRONG = {
    "no tag": (PAGE, (1, "body", "tag"), ..., "annotations/anna_0.json, annotation 2: the body has no 'tag'"),
    "a tag that is not there": (
        PAGE,
        (1, "body", "tag"),
        "tagsets/T/X",
        "annotation 2: its tag 'tagsets/T/X' is in no",
    ),
    "no body": (PAGE, (0, "body"), ..., "annotation 1: the annotation has no 'body'"),
    "an annotation that is a number": (PAGE, (0,), 7, "annotation 1: the annotation is 7, not an object"),
    "no items": (PAGE, ITEMS, [], "annotation 2: it is on nothing"),
    "items that are none": (PAGE, ITEMS, {}, "annotation 2: 'items' of the target is an object"),
    "no selector": (PAGE, (*ITEMS, 0, "selector"), ..., "annotation 2: an item of the target has no 'selector'"),
    "a bound that is a string": (PAGE, (*ITEMS, 0, "selector", "start"), "0", "'start' of the selector is '0', not an"),
    "a bound that is huge": (
        PAGE,
        (*ITEMS, 1, "selector", "end"),
        2**70,
        "the end of the unit is an integer of 71 bits",
    ),
    "ends before it starts": (PAGE, (0, "target", "items", 0, "selector", "end"), 2, "ends at 2, before its start 16"),
    "past the end": (PAGE, (0, "target", "items", 0, "selector", "end"), 999, "outside the declared extent"),
    "within a character": (PAGE, (0, "target", "items", 0, "selector", "start"), 9, "offset 9 is within a character"),
    "of another document": (
        PAGE,
        (*ITEMS, 0, "source"),
        "D_2",
        "annotation 2: it is on document 'D_2', not on the one of",
    ),
    "a property that is a number": (
        PAGE,
        (0, "body", "properties", "system"),
        {"CATMA_AB27F1D4-303A-3622-BB2C-72C310D0C1BF": [3]},
        "annotation 1: a property is 3, not a string",
    ),
    "no document": (HEADER, ("sourceDocumentId",), 3, "C_AAAA/header.json: has no sourceDocumentId"),
    "a document that leads out": (HEADER, ("sourceDocumentId",), "../../x", "'../../x' is no name of a document"),
}


@pytest.mark.parametrize(("file", "place", "value", "match"), WRONG.values(), ids=WRONG)
def test_invalid_values_are_refused_with_their_location(clone, file, place, value, match):
    changed(clone / file, place, value)
    with pytest.raises(InputError, match=re.escape(match)):
        ga.read(clone, format="catma")


@pytest.mark.parametrize("file", [PAGE, "tagsets/T_5A1E0D31-2222-4E2E-8F6A-0F0F0F0F0F02/header.json"])
@pytest.mark.parametrize(
    ("content", "match"), [("[{", "line 1: the file ends in the middle"), ("", "the file is empty")]
)
def test_invalid_json_is_refused_with_the_file_name(clone, file, content, match):
    (clone / file).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(file.rpartition("/")[2]) + f".*{match}"):
        ga.read(clone)


def test_invalid_tagset_is_refused_with_its_file(clone):
    file = next(clone.glob("tagsets/*/CATMA_SIM/propertydefs.json"))
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match=r"tagsets/.*/CATMA_SIM/propertydefs\.json: is a list of 0, not an object"):
        ga.read(clone)


def test_circular_tags_are_read(clone):
    changed(next(clone.glob("tagsets/*/CATMA_SP/propertydefs.json")), ("parentUuid",), "CATMA_SPI")
    assert "speech/irony" in ga.read(clone).categories


@pytest.mark.parametrize(
    ("options", "match"),
    [({"annotator": "me"}, "'responsible', 'author', 'collection', not 'me'"), ({"a": 1}, "no option 'a'")],
)
def test_invalid_options_are_refused(options, match):
    with pytest.raises(SettingsError, match=match):
        ga.read(SAMPLE, options=options)
