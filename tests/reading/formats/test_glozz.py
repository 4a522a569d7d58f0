"""Glozz: a sample made by hand, schemas, layout, errors of such files, and round trips."""

import re
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import FORMATS
from written import FILE_NAMES, TEXTS, content, corpora_with_texts

import gamma_align as ga
from gamma_align.errors import InputError
from gamma_align.reading.formats import glozz

SAMPLE = FORMATS / "glozz" / "alice.aa"
TEXT = "Ada met Bob in Rome."


def element(kind, name, positioning, author="anna", type_="X", features="", date="7"):
    return (
        f'<{kind} id="{name}"><metadata><author>{author}</author><creation-date>{date}</creation-date></metadata>'
        f"<characterisation><type>{type_}</type><featureSet>{features}</featureSet></characterisation>"
        f"<positioning>{positioning}</positioning></{kind}>"
    )


def unit(name, start, end, **others):
    spots = [f'<{edge}><singlePosition index="{at}"/></{edge}>' for edge, at in (("start", start), ("end", end))]
    return element("unit", name, "".join(spots), **others)


def schema(name, *embeds, kind="unit", **others):
    return element("schema", name, "".join(f'<embedded-{kind} id="{each}"/>' for each in embeds), **others)


def saved(folder, *elements, text=TEXT, code=None):
    """Write an .aa file, each element on a line of its own after the third."""
    metadata = "<metadata/>" if code is None else f'<metadata corpusHashcode="{code}"/>'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<annotations>", metadata, *elements, "</annotations>"]
    (folder / "d.aa").write_text("\n".join(lines), encoding="utf-8")
    if text is not None:
        (folder / "d.ac").write_bytes(text.encode())
    return folder / "d.aa"


def units(corpus):
    return list(corpus["d"].units())


# --- the sample --------------------------------------------------------------------------------------------


def test_sample_has_the_expected_units():
    corpus = ga.read(SAMPLE, layers="unit")
    assert corpus.documents == ("alice",)
    text = corpus.texts[0]
    actual = [(annotator, text[int(start) : int(end)], what) for annotator, start, end, what in corpus["alice"].units()]
    assert actual == [  # the words are behind an emoji, which Java counts as two characters
        ("anna", "Alice", "person"),
        ("anna", "get", "action"),
        ("anna", "tired", "action"),
        ("anna", "her sister", "person"),
        ("anna", "daisies", "plant"),
        ("bert", "Alice", "person"),
        ("bert", "sister", "person"),
        ("bert", "she", "person"),
        ("bert", "considering", "action"),
    ]
    assert corpus.extents.tolist() == [[0, len(SAMPLE.with_suffix(".ac").read_text(encoding="utf-8"))]]
    assert any("2 units of type 'paragraph'" in note and "1 <relation> elements" in note for note in corpus.notes)
    assert not any("changed after" in note for note in corpus.notes)


def test_the_schemas_of_the_sample_are_a_layer():
    with pytest.raises(InputError, match=r"units in 2 layers: schema .* unit \(9 units\)"):
        ga.read(SAMPLE)
    corpus = ga.read(SAMPLE, layers="schema")
    assert list(corpus["alice"].units()) == [("anna", 23, 37, "state")]
    assert corpus["alice"].annotators == ("anna", "bert")
    parts = ga.read(SAMPLE, layers="schema", discontinuous="parts")
    assert [unit[1:3] for unit in parts["alice"].units()] == [(23, 26), (32, 37)]


def test_the_category_may_be_a_feature():
    corpus = ga.read(SAMPLE, layers={"unit": "gender"})
    assert [unit.category for unit in corpus["alice"].units()].count("f") == 4  # the fifth is empty
    assert any("5 of layer 'unit' have no feature 'gender' (there are 'gender')" in note for note in corpus.notes)


# --- what is read ------------------------------------------------------------------------------------------


def test_a_text_that_was_changed_is_noted(tmp_path):
    def code(text):
        return f"{len(text.encode())}-{reduce(lambda code, byte: code * byte % 99999999, text.encode(), 1)}"

    assert code("é") == f"2-{0xC3 * 0xA9}"  # bytes of UTF-8
    path = saved(tmp_path, unit("u", 0, 3), code=code(TEXT))
    assert not any("changed" in note for note in ga.read(path).notes)
    path = saved(tmp_path, unit("u", 0, 3), code=code(TEXT), text=TEXT.replace("Ada", "Eva"))
    assert any("d.ac was changed after it was annotated" in note for note in ga.read(path).notes)


def test_a_file_without_its_text_is_noted(tmp_path):
    corpus = ga.read(saved(tmp_path, unit("u", 3, 7), text=None))
    assert corpus.extents.tolist() == [[3, 7]]
    assert any("there is no d.ac beside it" in note for note in corpus.notes)


def test_files_of_several_annotators_may_be_read_by_a_template(tmp_path):
    for name in ("anna", "bert"):
        (tmp_path / name).mkdir()
        saved(tmp_path / name, unit("u", 0, 3, author="me"))
    corpus = ga.read(f"{tmp_path}/{{annotator}}/{{document}}.aa")
    assert units(corpus) == [("anna", 0, 3, "X"), ("bert", 0, 3, "X")]


def of_creators(folder):
    """Write a corpus whose units were created by others than those who annotated it, each in a folder of their own."""
    for name, authors in {"GOLD": ("stac", "jd"), "anna": ("stac", "stac"), "ben": ()}.items():
        (folder / "units" / name).mkdir(parents=True)
        units_of = (unit(f"u{at}", at, at + 3, author=author) for at, author in enumerate(authors))
        saved(folder / "units" / name, *units_of)
    return folder


def test_path_overrides_the_creators_of_units(tmp_path):
    folder = of_creators(tmp_path / "game")
    corpus = ga.read(f"{folder}/units/{{annotator}}/{{document}}.aa")
    assert corpus.documents == ("d",)
    assert corpus["d"].annotators == ("GOLD", "anna", "ben")  # the last marked nothing
    assert [record[0] for record in units(corpus)] == ["GOLD", "GOLD", "anna", "anna"]
    corpus = ga.read(folder, annotator="{folder}", document="{file}")
    assert corpus["d"].annotators == ("GOLD", "anna")


def test_authors_unlike_the_folders_are_noted_with_a_working_cure(tmp_path):
    folder = of_creators(tmp_path / "game")
    corpus = ga.read(folder)
    assert corpus.documents == ("units/GOLD/d", "units/anna/d")
    (note,) = (note for note in corpus.notes if "creators" in note)
    assert "'GOLD' has units by jd, stac, 'anna' has units by stac; if the folders are the annotators" in note
    cured = ga.read(note.split("'")[-2])
    assert cured["d"].annotators == ("GOLD", "anna", "ben")
    assert not any("creators" in note for note in cured.notes)


def test_cure_selects_one_of_several_equal_folders(tmp_path):
    for stage in ("discourse", "units"):
        of_creators(tmp_path / "game").joinpath("units").rename(tmp_path / "game" / f"{stage}.done")
    (note,) = (note for note in ga.read(tmp_path / "game").notes if "creators" in note)
    path = note.split("'")[-2]
    assert path == f"{tmp_path}/game/discourse.done/{{annotator}}/{{document}}.aa"
    assert ga.read(path)["d"].annotators == ("GOLD", "anna", "ben")


def test_authors_named_like_the_folders_are_not_noted(tmp_path):
    for name in ("anna", "ben"):
        (tmp_path / name).mkdir()
        saved(tmp_path / name, unit("u", 0, 3, author=name))
    assert not any("creators" in note for note in ga.read(tmp_path).notes)


def test_schemas_embed_schemas_and_refer_by_author_and_date(tmp_path):
    path = saved(
        tmp_path,
        unit("u1", 0, 3),
        unit("u2", 8, 11, date="8"),
        unit("u3", 15, 19, date="9"),
        schema("s1", "u1", "anna_8", type_="Y"),
        schema("s2", "s1", "u3", kind="schema", type_="Z"),
        schema("s3", "s4", kind="schema", type_="round"),  # no end, and no units
        schema("s4", "s3", kind="schema", type_="round"),
    )
    assert units(ga.read(path, layers="schema")) == [("anna", 0, 11, "Y"), ("anna", 0, 19, "Z")]


@pytest.mark.parametrize(
    ("length", "limit"), [(300, 10_000), pytest.param(5000, glozz._MAX_VISITS, marks=pytest.mark.release)]
)
def test_nested_schemas_are_read_in_bounded_time(length, limit, tmp_path, monkeypatch):
    monkeypatch.setattr(glozz, "_MAX_VISITS", limit)
    chain = [schema(f"s{at}", f"s{at + 1}", kind="schema") for at in range(length)]
    with pytest.raises(InputError, match=f"schemas embed one another more than {limit:,} times over"):
        ga.read(saved(tmp_path, unit(f"s{length}", 0, 3), *chain), layers="schema")


def test_units_without_type_have_no_category(tmp_path):
    corpus = ga.read(saved(tmp_path, unit("u", 0, 3, type_=" ")))
    assert units(corpus) == [("anna", 0, 3, None)]
    assert any("1 of layer 'unit' have no type" in note for note in corpus.notes)


# --- what is wrong -----------------------------------------------------------------------------------------

WRONG = {
    "no number": (unit("u", "x", 3), r"d\.aa, line 4: .* this has 'x' and '3'"),
    "a negative index": (unit("u", "-1", 3), r"line 4: .* this has '-1' and '3'"),
    "a number of 10000 digits": (unit("u", 0, "9" * 10_000), "line 4: .* this has '0' and '99999999999999999999'"),
    "no end": (element("unit", "u", '<start><singlePosition index="1"/></start>'), "line 4: .* this has '1'"),
    "ends before it starts": (unit("u", 3, 1), "line 4: the unit ends at 1, before its start 3"),
    "past the end": (unit("u", 3, 99), "outside the declared extent"),
    "no author": (unit("u", 0, 3, author="") + unit("v", 0, 3, author="ann"), "nothing says the annotator"),
    "embeds what is not there": (schema("s", "u9"), "line 4: schema 's' embeds 'u9', which is not in the file"),
    "not well formed": ("<unit>", r"d\.aa, line 5: not well-formed XML: mismatched tag"),
}


@pytest.mark.parametrize(("line", "match"), WRONG.values(), ids=WRONG)
def test_invalid_lines_are_refused_with_their_number(tmp_path, line, match):
    with pytest.raises(InputError, match=match):
        ga.read(saved(tmp_path, line))


def test_another_xml_file_is_refused(tmp_path):
    (tmp_path / "d.aa").write_text("<TEI/>", encoding="utf-8")
    with pytest.raises(InputError, match=r"d\.aa, line 1: the file is <TEI>, not <annotations>"):
        ga.read(tmp_path / "d.aa", format="glozz")


def test_an_entity_is_refused(tmp_path):
    (tmp_path / "d.aa").write_text('<!DOCTYPE a [\n<!ENTITY e "x">]>\n<annotations>&e;</annotations>', encoding="utf-8")
    with pytest.raises(InputError, match=r"d\.aa, line 2: the XML defines the entity 'e'"):
        ga.read(tmp_path / "d.aa")


# --- what is written ---------------------------------------------------------------------------------------

XML = st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\r\n", exclude_characters="\ufffe\uffff")
TYPES = st.text(XML, min_size=1, max_size=5).filter(lambda text: text == text.strip() and text != "paragraph")
LINES = st.text(st.sampled_from("ab \r\n😀\u2028\x0c"), max_size=20)
AUTHORS = FILE_NAMES | TYPES


@given(
    corpus=corpora_with_texts(
        documents=FILE_NAMES,
        annotators=AUTHORS,
        categories=TYPES,
        texts=(LINES | TEXTS).filter(lambda t: t[:1] != "\ufeff"),
    )
)
def test_round_trips_are_exact(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("written") / "new"
    ga.write(corpus, folder, format="glozz")
    assert content(ga.read(folder)) == content(corpus)
    for path in folder.glob("**/*.ac"):
        assert not set(path.read_bytes()) & {10, 13}


def skeletons(path):
    """Return the elements of each unit that is no layout, without features, with what stands in them."""
    actual = re.findall(r"<unit.*?</unit>", path.read_text(encoding="utf-8"), re.DOTALL)
    dropped = re.compile(r"id=\S+|<creation-date>.*|<feature .*\n|</?featureSet/?>\n")
    return sorted(dropped.sub("", each) for each in actual if "paragraph" not in each)


def test_written_files_look_like_files_of_glozz(tmp_path):
    corpus = ga.read(SAMPLE, layers="unit")
    ga.write(corpus, tmp_path / "new", format="glozz")
    ours = tmp_path / "new" / "alice.aa"
    assert ours.with_suffix(".ac").read_bytes() == SAMPLE.with_suffix(".ac").read_bytes()
    assert len(skeletons(ours)) == 9
    assert skeletons(ours) == skeletons(SAMPLE)
    assert ours.read_text(encoding="utf-8").splitlines()[:3] == SAMPLE.read_text(encoding="utf-8").splitlines()[:3]


def small(category="X", annotator="a", bounds=(0, 3), text="Ada"):
    corpus = ga.Corpus.from_records([("d", annotator, *bounds, category)], extents={"d": (0, 3)})
    return replace(corpus, length_unit="char", texts=None if text is None else (text,))


REFUSED = {
    "no category": (small(None), "the category is None; rename it"),
    "an empty category": (small(""), "the category is ''"),
    "blanks at the edge of a category": (small("X "), "annotator 'a', unit .*'X '"),
    "layout": (small("paragraph"), "'paragraph' is layout"),
    "a control character": (small("X\x01Y"), r"the category .* has the character '\\x01', which XML has not"),
    "blanks at the edge of a name": (small(annotator=" a"), "the annotator ' a' begins or ends with a blank"),
    "a control character in a name": (small(annotator="a\0"), "the annotator .* which XML has not"),
    "a part of a character": (small(bounds=(0.5, 3)), "Glozz counts whole characters"),
    "no text": (small(text=None), "the text of document 'd' is not known"),
    "seconds": (replace(small(), length_unit="s"), "Glozz counts characters"),
}


@pytest.mark.parametrize(("corpus", "match"), REFUSED.values(), ids=REFUSED)
def test_unsupported_corpora_are_refused_before_writing(tmp_path, corpus, match):
    with pytest.raises(InputError, match=match):
        ga.write(corpus, tmp_path / "new", format="glozz")
    assert not list(tmp_path.iterdir())
