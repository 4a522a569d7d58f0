"""spaCy's documents and .spacy files: by a stand-in with what `Doc` has, and by spaCy itself where it is installed."""

import re
import sys
import types
import zlib
from collections.abc import Mapping

import pytest
from places import FORMATS

from gamma_align.errors import InputError, MissingExtraError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source
from gamma_align.reading.formats.spacy import from_spacy
from gamma_align.reading.read import read

SAMPLE = FORMATS / "spacy" / "docbin.spacy"


class Token:
    def __init__(self, idx, text):
        self.idx = idx
        self.text = text

    def __len__(self):
        return len(self.text)


class Span:
    """The attributes of spaCy's Span that are read; label_ is "" without a label."""

    def __init__(self, start_char, end_char, label_=""):
        self.start_char = start_char
        self.end_char = end_char
        self.label_ = label_


class Doc:
    """What spaCy's Doc has of it: text, ents (a tuple), spans (by key), user_data (a dict), and its tokens."""

    def __init__(self, text, ents=(), spans=None, **user_data):
        self.text = text
        self.ents = tuple(ents)
        self.spans = dict(spans or {})
        self.user_data = user_data

    def __iter__(self):
        return (Token(fits.start(), fits.group()) for fits in re.finditer(r"\S+", self.text))


TEXT = "Ada met 😀 Babbage"
ADA, BABBAGE, ALL = Span(0, 3, "PER"), Span(10, 17, "PER"), Span(0, 17, "MEETING")


def records(corpus):
    return [(name, *unit) for name in corpus for unit in corpus[name].units()]


def test_named_entities_of_annotators():
    corpus = from_spacy({"a": [Doc(TEXT, [ADA, BABBAGE]), Doc("x")], "b": [Doc(TEXT, [ADA]), Doc("x", [Span(0, 1)])]})
    assert records(corpus) == [
        *[("1", "a", 0, 3, "PER"), ("1", "a", 10, 17, "PER"), ("1", "b", 0, 3, "PER")],
        ("2", "b", 0, 1, None),
    ]
    assert corpus["2"].annotators == ("a", "b")
    assert corpus.texts == (TEXT, "x")
    assert (corpus.length_unit, corpus.extents.tolist()) == ("char", [[0, 17], [0, 1]])


def test_groups_of_spans_overlap():
    docs = {name: [Doc(TEXT, spans={"sc": [ADA, ALL]})] for name in "ab"}
    assert [record[1:] for record in records(from_spacy(docs))] == [
        (name, *bounds) for name in "ab" for bounds in [(0, 3, "PER"), (0, 17, "MEETING")]
    ]


def test_units_of_several_kinds_are_chosen():
    docs = {"a": [Doc(TEXT, [ADA], {"sc": [ALL], "none": []})], "b": [Doc(TEXT)]}
    with pytest.raises(InputError, match=r"units in 'ents' \(1\) and 'sc' \(1\); choose with spans='ents'"):
        from_spacy(docs)
    assert records(from_spacy(docs, spans="sc")) == [("1", "a", 0, 17, "MEETING")]
    assert records(from_spacy(docs, spans="ents")) == [("1", "a", 0, 3, "PER")]
    assert from_spacy(docs, spans="sc")["1"].annotators == ("a", "b")
    with pytest.raises(
        InputError, match=r"no layer 'sd'; there are ents \(1 units\), none \(0 units\), sc \(1 units\)"
    ):
        from_spacy(docs, spans="sd")


def test_documents_by_name():
    corpus = from_spacy({"a": {"d": Doc(TEXT, [ADA])}, "b": [Doc(TEXT, [ADA], document="d")]})
    assert records(corpus) == [("d", "a", 0, 3, "PER"), ("d", "b", 0, 3, "PER")]


def test_annotators_in_the_users_data():
    docs = [Doc(TEXT, [ADA], annotator="a"), Doc(TEXT, annotator="b"), Doc("x", annotator="a")]
    corpus = from_spacy(docs)
    assert records(corpus) == [("1", "a", 0, 3, "PER")]
    assert {name: corpus[name].annotators for name in corpus} == {"1": ("a", "b"), "2": ("a",)}


def test_units_in_tokens():
    corpus = from_spacy({"a": [Doc(TEXT, [Span(1, 2, "x"), BABBAGE])], "b": [Doc(TEXT)]}, positions="tokens")
    assert records(corpus) == [("1", "a", 0, 1, "x"), ("1", "a", 3, 4, "PER")]
    assert (corpus.length_unit, corpus.extents.tolist()) == ("token", [[0, 4]])


def test_categories_are_chosen():
    assert records(from_spacy({"a": [Doc(TEXT, [ADA, ALL])]}, labels={"MEETING": None})) == [("1", "a", 0, 3, "PER")]


def test_different_texts_are_refused_or_mapped():
    docs = {"a": [Doc(TEXT, [BABBAGE])], "b": [Doc("Ada  met Babbage", [Span(9, 16, "PER")])]}
    with pytest.raises(InputError, match=r"document '1': the annotators' texts differ: from character 4 on, 'Ada met"):
        from_spacy(docs)
    assert records(from_spacy(docs, align_text=True)) == [("1", "a", 10, 17, "PER"), ("1", "b", 10, 17, "PER")]


class Packed:
    def get_docs(self, vocab):
        raise NotImplementedError


REFUSED = {
    "no annotator": ([Doc(TEXT)], "spaCy: nothing says the annotator"),
    "text": ({"a": ["Ada"]}, r"document 1 of 'a': a str is no Doc of spaCy: it has no 'text'"),
    "one document": ({"a": Doc(TEXT)}, r"the documents of 'a' are a Doc; give a list of them"),
    "a string": ({"a": "Ada"}, r"the documents of 'a' are a str; give a list of them"),
    "packed": ({"a": Packed()}, r"a DocBin is packed; give its documents, list\(doc_bin\.get_docs\(nlp\.vocab\)\)"),
    "twice": (
        {"a": [Doc(TEXT, document="d"), Doc(TEXT, document="d")]},
        r"document 2 of 'a': 'd' is there twice; give each document a name of its own",
    ),
    "past the end": ({"a": [Doc(TEXT, [Span(0, 18)])]}, r"unit \[0, 18\], extent \[0, 17\]"),
    "nothing": ({}, "no annotations in it; there is nothing to measure"),
}


@pytest.mark.parametrize(("docs", "message"), REFUSED.values(), ids=REFUSED)
def test_other_objects_than_documents_are_refused(docs, message):
    with pytest.raises(InputError, match=message):
        from_spacy(docs)


def test_unknown_positions_are_refused():
    with pytest.raises(SettingsError, match="positions must be one of characters, tokens, not 'words'"):
        from_spacy({"a": [Doc(TEXT)]}, positions="words")


# --- .spacy files ------------------------------------------------------------------------------------------


def test_only_the_sample_matches_spacy():
    is_it = formats.formats()["spacy"].matches
    files = [path for path in sorted(SAMPLE.parents[1].rglob("*")) if path.is_file()]
    assert [path for path in files if is_it(Source(path, path.name).head)] == [SAMPLE]


def test_without_spacy_the_extra_is_named(monkeypatch):
    for name in ["spacy", *(name for name in sys.modules if name.startswith("spacy."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        MissingExtraError, match=r"reading \.spacy files needs spacy: run  pip install 'gamma-align\[spacy\]"
    ):
        read(SAMPLE)


@pytest.fixture
def stand_in(monkeypatch):
    """Put a module in spaCy's place whose DocBin gives the documents it is told, or raises what it is told."""
    given = []

    class DocBin:
        def from_bytes(self, data):
            self.data = data
            return self

        def get_docs(self, vocab):
            assert vocab == "vocabulary"
            for doc in given:
                if isinstance(doc, Exception):
                    raise doc
                yield doc

    package, tokens = types.ModuleType("spacy"), types.ModuleType("spacy.tokens")
    package.blank = lambda _: types.SimpleNamespace(vocab="vocabulary")
    tokens.DocBin = DocBin
    monkeypatch.setitem(sys.modules, "spacy", package)
    monkeypatch.setitem(sys.modules, "spacy.tokens", tokens)
    return given


def packed(folder, name="anna.spacy", data=b"documents"):
    (folder / name).write_bytes(zlib.compress(data))
    return folder / name


@pytest.mark.usefixtures("stand_in")
def test_a_file_an_annotator(tmp_path, stand_in):
    stand_in += [Doc(TEXT, [ADA]), Doc("x")]
    for name in ("anna.spacy", "ben.spacy"):
        packed(tmp_path, name)
    corpus = read(tmp_path)
    assert records(corpus) == [("1", "anna", 0, 3, "PER"), ("1", "ben", 0, 3, "PER")]
    assert corpus["2"].annotators == ("anna", "ben")
    assert records(read(f"{tmp_path}/{{annotator}}.spacy", positions="tokens")) == [
        ("1", "anna", 0, 1, "PER"),
        ("1", "ben", 0, 1, "PER"),
    ]


BAD_FILES = {
    "not packed": (b"x\x9cnothing", r"anna\.spacy: is no DocBin: .*; write it again with DocBin\.to_disk"),
    "a bomb": (
        zlib.compress(bytes(1 << 25)),
        r"anna\.spacy: [\d,]+ bytes unpack to more than [\d,]+, more than documents do; split it",
    ),
    "something else": (zlib.compress(b"x"), r"anna\.spacy: is no DocBin that spaCy reads: broken; write it again"),
}


@pytest.mark.parametrize(("data", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_invalid_files_are_refused(tmp_path, stand_in, data, message):
    stand_in.append(ValueError("broken\nwith a trace"))
    (tmp_path / "anna.spacy").write_bytes(data)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "anna.spacy")


class Damaged(Doc):
    """A document that cannot be looked at, as spaCy's of damaged data may be."""

    @property
    def ents(self):
        raise KeyError("no such string")

    @ents.setter
    def ents(self, value):
        pass


def test_documents_that_raise_are_refused(tmp_path, stand_in):
    stand_in.append(Damaged(TEXT))
    path = packed(tmp_path)
    with pytest.raises(
        InputError, match=r"anna\.spacy: is no DocBin that spaCy reads: 'no such string'; write it again"
    ):
        read(path)


@pytest.mark.usefixtures("stand_in")
def test_a_file_without_documents_is_refused(tmp_path):
    path = packed(tmp_path)
    with pytest.raises(InputError, match=r"anna\.spacy: the file has no documents"):
        read(path)


# --- spaCy itself ------------------------------------------------------------------------------------------

SAMPLE_TEXT = "Ada Lovelace met Charles Babbage in London 😊 today"


def test_sample_has_the_expected_units():
    pytest.importorskip("spacy")
    corpus = read(SAMPLE)
    units = [(0, 12, "PER"), (0, 32, "MEETING"), (17, 32, "PER")]
    assert records(corpus) == [("1", name, *unit) for name in ("a1", "a2") for unit in units]
    assert corpus.texts == (SAMPLE_TEXT,)


def test_spacy_documents_have_the_attributes_of_the_stand_in():
    spacy = pytest.importorskip("spacy")
    doc = spacy.blank("xx")(TEXT)
    doc.ents = [doc.char_span(0, 3, "PER")]
    doc.spans["sc"] = [doc.char_span(0, 17, "MEETING"), doc.char_span(10, 17)]
    assert isinstance(doc.user_data, Mapping)
    assert records(from_spacy({"a": [doc]}, spans="ents")) == [("1", "a", 0, 3, "PER")]
    assert records(from_spacy({"a": [doc]}, spans="sc")) == [("1", "a", 0, 17, "MEETING"), ("1", "a", 10, 17, None)]
    assert records(from_spacy({"a": [doc]}, spans="sc", positions="tokens")) == [
        ("1", "a", 0, 4, "MEETING"),
        ("1", "a", 3, 4, None),
    ]


def test_damaged_docbins_are_refused(tmp_path):
    spacy = pytest.importorskip("spacy")
    doc = spacy.blank("xx")(TEXT)
    data = spacy.tokens.DocBin(docs=[doc]).to_bytes()
    for cut in (3, 20, len(data) - 1):
        (tmp_path / "anna.spacy").write_bytes(data[:cut])
        with pytest.raises(InputError, match=r"anna\.spacy: is no DocBin"):
            read(tmp_path / "anna.spacy")
