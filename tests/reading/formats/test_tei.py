"""TEI: inline, stand-off and CATMA's export; samples made by hand, what such files do wrong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

SAMPLES = FORMATS / "tei"
INLINE = SAMPLES / "inline"
STANDOFF = SAMPLES / "standoff" / "sentence.xml"
EXPORT = SAMPLES / "catma_export" / "poem.xml"


def saved(path, text, header="<teiHeader><p>not text</p></teiHeader>", standoff=""):
    """Write a TEI file whose text is on the lines from 2 on."""
    path.parent.mkdir(exist_ok=True)
    body = (
        f'<TEI xmlns="http://www.tei-c.org/ns/1.0">{header}\n<text>{text}</text>\n<standOff>{standoff}</standOff></TEI>'
    )
    path.write_text(body, encoding="utf-8")
    return path


def covered(corpus, document):
    """Return annotator, covered text with single blanks, and category of each unit."""
    text = corpus.texts[corpus.documents.index(document)]
    units = corpus[document].units()
    return [(who, " ".join(text[int(start) : int(end)].split()), what) for who, start, end, what in units]


def units(corpus, document="d"):
    return [tuple(unit) for unit in corpus[document].units()]


# --- inline ------------------------------------------------------------------------------------------------


def test_unselected_elements_are_listed_with_their_counts():  # grep -o '<rs' | wc -l
    told = (
        r"body \(2 units\), lb \(2 units\), p \(4 units\), persName \(6 units\), placeName \(2 units\), rs \(6 units\)"
    )
    in_one_file = r"body \(1 units\), lb \(1 units\), p \(2 units\), .* rs \(4 units\)"
    with pytest.raises(InputError, match=rf"letter.xml: units in 6 layers: {in_one_file}; choose with layers="):
        ga.read(INLINE)
    with pytest.raises(InputError, match=f"no layer 'name'; there are {told}"):
        ga.read(INLINE, layers="name")


def test_layers_are_offered_with_the_types_of_their_elements(tmp_path):
    path = saved(
        tmp_path / "d.xml", "<p><name type='person'>Ada</name> in <name type='place'>Rome</name>, <date>1830</date></p>"
    )
    with pytest.raises(InputError, match=r"'name:type' \(person, place\), as in layers='name:type'"):
        ga.read(path)
    assert [unit.category for unit in ga.read(path, layers="name:type")["d"].units()] == ["person", "place"]


def test_unread_types_of_a_layer_are_noted(tmp_path):
    path = saved(tmp_path / "d.xml", "<name type='person'>Ada</name> in <name type='place'>Rome</name>")
    for corpus in (ga.read(path, layers="name"), ga.read(path)):
        assert [unit.category for unit in corpus["d"].units()] == ["name", "name"]
        assert any(
            "all <name> have the category 'name', and their attribute 'type' has others: " in note
            for note in corpus.notes
        )
    assert not any("name:type" in note for note in ga.read(path, layers="name:type").notes)


def test_selected_element_names_its_category():
    corpus = ga.read(INLINE, layers=["persName", "placeName"])
    assert covered(corpus, "letter") == [
        ("anna", "Cleo", "persName"),
        ("anna", "Rome", "placeName"),
        ("anna", "Ada", "persName"),
        ("anna", "Bob", "persName"),
        ("anna", "Ada", "persName"),
        ("bert", "Cleo", "persName"),
        ("bert", "Rome", "placeName"),
        ("bert", "Ada & Bob", "persName"),
    ]
    text = re.sub(
        r"<[^>]*>",
        "",
        re.findall(r"<text>(.*)</text>", (INLINE / "bert" / "letter.xml").read_text("utf-8"), re.DOTALL)[0],
    )
    assert corpus.texts == (text.replace("&amp;", "&"),)
    assert corpus.extents.tolist() == [[0, len(corpus.texts[0])]]


def test_the_category_may_be_an_attribute_and_fragments_are_one_unit():
    corpus = ga.read(INLINE, layers="rs:type")
    assert covered(corpus, "letter") == [
        ("anna", "What a joy, said Ada, to carry one's luggage", "irony"),
        ("anna", "an ocean of suitcases", "metaphor"),
        ("anna", "suitcases", "irony"),
        ("bert", "What a joy, said Ada, to carry one's luggage", "irony"),
        ("bert", "an ocean of suitcases", "metaphor"),
    ]
    parts = covered(ga.read(INLINE, layers="rs:type", discontinuous="parts"), "letter")
    assert parts[:2] == [("anna", "What a joy", "irony"), ("anna", "to carry one's luggage", "irony")]


def test_elements_without_the_attribute_have_no_category():
    corpus = ga.read(INLINE, layers="persName:key")
    assert [category for _, _, category in covered(corpus, "letter")].count("a") == 1
    assert any("anna/letter.xml: 3 <persName> have nothing at 'key'" in note for note in corpus.notes)
    assert any("bert/letter.xml: 2 <persName> have nothing at 'key'" in note for note in corpus.notes)


def test_empty_elements_are_units_without_length(tmp_path):
    corpus = ga.read(saved(tmp_path / "d.xml", "<p>one<pb n='2'/> two</p>"), layers="pb")
    assert units(corpus) == [("d", 3, 3, "pb")]


def test_category_may_be_the_content_of_an_element(tmp_path):
    corpus = ga.read(saved(tmp_path / "d.xml", "<p>the <w>big <hi>red</hi>\n dog</w></p>"), layers="w:text()")
    assert units(corpus) == [("d", 4, 16, "big red dog")]


def test_elements_can_be_removed_from_the_text_or_contain_it(tmp_path):
    text = "<front>Title</front><body><p>one<note>say <w>who</w></note> <w>two</w></p></body>"
    path = saved(tmp_path / "d.xml", text)
    assert units(ga.read(path, layers="w")) == [("d", 12, 15, "w"), ("d", 16, 19, "w")]
    corpus = ga.read(path, layers="w", options={"text": "body", "without": "note, fw"})
    assert (corpus.texts, units(corpus)) == (("one two",), [("d", 4, 7, "w")])
    with pytest.raises(InputError, match=r"d\.xml: no element <back>"):
        ga.read(path, layers="w", options={"text": "back"})


def test_comments_are_no_text(tmp_path):
    corpus = ga.read(saved(tmp_path / "d.xml", "<p>on<!-- or off? -->e <?break?><w>two</w></p>"), layers="w")
    assert (corpus.texts, units(corpus)) == (("one two",), [("d", 4, 7, "w")])


def test_different_texts_are_refused_with_the_first_difference(tmp_path):
    saved(tmp_path / "anna" / "d.xml", "<p><w>one</w> two</p>")
    saved(tmp_path / "bert" / "d.xml", "<p>one\n <w>two</w></p>")
    with pytest.raises(InputError, match="document 'd': the annotators' texts differ"):
        ga.read(tmp_path, layers="w")
    corpus = ga.read(tmp_path, layers="w", align_text=True)
    assert units(corpus) == [("anna", 0, 3, "w"), ("bert", 4, 7, "w")]


def test_a_corpus_has_its_documents_by_their_ids(tmp_path):
    one = '<TEI xml:id="{}"><teiHeader/><text><p>the <w>dog</w></p></text></TEI>'
    body = "".join(one.format(name) for name in ("d1", "d2", "d1", ""))
    (tmp_path / "c.xml").write_text(f"<teiCorpus><teiHeader/>{body}</teiCorpus>", encoding="utf-8")
    assert ga.read(tmp_path / "c.xml", layers="w").documents == ("c-4", "d1", "d1 (2)", "d2")


# --- stand-off ---------------------------------------------------------------------------------------------

ANNOTATED = {"options": {"annotator": "resp"}}


def test_spans_point_to_elements_of_the_text():
    corpus = ga.read(STANDOFF, layers="span:ana/pos", **ANNOTATED)
    assert covered(corpus, "sentence") == [
        ("anna", "She", "PRON"),
        ("anna", "put the new wallpaper up", "VERB"),  # the words put and up
        ("anna", "the new wallpaper", "NP"),
        ("bert", "She", "PRON"),
        ("bert", "wanted to put", "VERB"),  # three words in a row are no discontinuous unit
        ("bert", "wallpaper", "NOUN"),
        ("bert", "wallpaper", "NP"),
    ]
    parts = ga.read(STANDOFF, layers="span:ana/pos", discontinuous="parts", **ANNOTATED)
    assert covered(parts, "sentence")[1] == ("anna", "put", "VERB")
    assert parts.n_units == 8
    assert "the object" not in corpus.texts[0]


def test_pointer_to_an_untyped_element_is_its_name():
    corpus = ga.read(STANDOFF, layers="span:ana", **ANNOTATED)
    assert [category for *_, category in covered(corpus, "sentence")] == [
        "fs1",
        "fs2",
        "fs3",
        "fs1",
        "fs2",
        "fs3",
        "fs4",
    ]


def test_several_annotators_are_refused_without_the_option():
    with pytest.raises(
        InputError, match=r"sentence\.xml, line 13: elements are by 'anna', 'bert'; .*options=\{'annotator': 'resp'\}"
    ):
        ga.read(STANDOFF, layers="span")
    assert ga.read(STANDOFF, layers="span", annotator="all").annotators == ("all",)
    with pytest.raises(InputError, match=r"poem\.xml, line 17: elements are by 'cleo', 'dora'; .*catma_markupauthor"):
        ga.read(EXPORT)


def test_requested_elements_need_an_annotator(tmp_path):
    standoff = '<span resp="#anna" target="#a"/>\n<span target="#b"/>'
    path = saved(tmp_path / "d.xml", '<w xml:id="a">one</w> <w xml:id="b">two</w>', standoff=standoff)
    with pytest.raises(InputError, match=r"d\.xml, line 4: the <span> does not name its annotator"):
        ga.read(path, layers="span", **ANNOTATED)


def test_catma_export_refers_to_the_text_beside_it():
    corpus = ga.read(EXPORT, options={"annotator": "ana/catma_markupauthor"})
    assert corpus.texts == (EXPORT.with_suffix(".txt").read_text(encoding="utf-8"),)
    assert covered(corpus, "poem") == [  # offsets are of UTF-16, and there is an emoji
        ("cleo", "is a bird \N{GRINNING FACE} on my sill", "metaphor"),
        ("dora", "sill, and so still", "rhyme"),
    ]
    parts = ga.read(EXPORT, options={"annotator": "ana/catma_markupauthor"}, discontinuous="parts")
    assert [text for _, text, _ in covered(parts, "poem")[1:]] == ["sill", "still"]


def test_characters_may_be_counted_in_the_text_itself(tmp_path):
    path = saved(
        tmp_path / "d.xml", "<p>one two</p>", standoff='<span from="#char=0" to="char=3"/><span target="char=4,7"/>'
    )
    assert units(ga.read(path, layers="span")) == [("d", 0, 3, "span"), ("d", 4, 7, "span")]


def test_dates_and_links_are_inline(tmp_path):
    text = '<p>in <date from="1914" to="1918">the war</date>, <ref target="http://example.org">see</ref></p>'
    corpus = ga.read(saved(tmp_path / "d.xml", text), layers=["date", "ref"])
    assert units(corpus) == [("d", 3, 10, "date"), ("d", 12, 15, "ref")]


def test_standoff_elements_can_be_named(tmp_path):
    text = '<p><w xml:id="a">one</w> <w xml:id="b">two</w></p>'
    path = saved(tmp_path / "d.xml", text, standoff='<note target="#b">!</note>')
    assert units(ga.read(path, layers="note", options={"standoff": "note"})) == [("d", 4, 7, "note")]


# --- what is wrong -----------------------------------------------------------------------------------------

WRONG = {
    "a pointer to nothing": ('<span target="#w9"/>', "line 3: '#w9' points to nothing in the text"),
    "a pointer of another kind": (
        '<span target="w9"/>',
        "line 3: 'w9' points to nothing in the text; write a pointer as '#'",
    ),
    "no pointer": ('<span target=" "/>', "line 3: <span> points to nothing; give it from and to"),
    "ends before it starts": ('<span from="#b" to="#a"/>', "line 3: the unit ends at 1, before its start 2"),
    "a number of 10000 digits": (f'<span target="char=0,{"9" * 10_000}"/>', "line 3: 'char=0,9999"),
    "past the end": ('<span target="char=0,9"/>', "outside the declared extent"),
    "not well formed": ("<span>", r"d\.xml, line 3: not well-formed XML: mismatched tag \(column 19\)"),
    "a bare bracket": ("a < b", r"d\.xml, line 3: not well-formed XML"),  # as in the Kafka gold standard
}


@pytest.mark.parametrize(("standoff", "match"), WRONG.values(), ids=WRONG)
def test_invalid_lines_are_refused_with_their_number(tmp_path, standoff, match):
    path = saved(tmp_path / "d.xml", '<w xml:id="a">1</w> <w xml:id="b">2</w>', standoff=standoff)
    with pytest.raises(InputError, match=match):
        ga.read(path, layers="span")


@pytest.mark.parametrize(("options", "match"), [({"resp": "x"}, "no option 'resp'"), ({"text": 3}, "not a string")])
def test_invalid_options_are_refused(options, match):
    with pytest.raises(SettingsError, match=match):
        ga.read(EXPORT, options=options)


def test_deeply_nested_elements_are_read(tmp_path):
    depth = 50_000
    path = saved(tmp_path / "d.xml", "<a>" * depth + "x" + "</a>" * depth)
    corpus = ga.read(path)
    assert corpus.n_units == depth
    assert set(corpus.end.tolist()) == {1}


# --- all of it ---------------------------------------------------------------------------------------------

WORDS = st.text("ab \n&<é\N{GRINNING FACE}", max_size=4)
TREES = st.recursive(
    WORDS, lambda inner: st.tuples(st.sampled_from(["rs", "w", "hi"]), st.lists(inner, max_size=4)), max_leaves=20
)


def written(tree):
    if isinstance(tree, str):
        return tree.replace("&", "&amp;").replace("<", "&lt;")
    name, inner = tree
    return f"<{name}>{''.join(map(written, inner))}</{name}>"


def laid_out(tree, at, found):
    """Return the text of a tree that begins at a place, and add its elements to those found."""
    if isinstance(tree, str):
        return tree
    name, inner = tree
    text = ""
    for each in inner:
        text += laid_out(each, at + len(text), found)
    found.append(("d", at, at + len(text), name))
    return text


@given(trees=st.lists(TREES, max_size=5))
def test_text_of_any_tree_is_its_content(trees, tmp_path_factory):
    path = saved(tmp_path_factory.mktemp("tei") / "d.xml", "".join(map(written, trees)))
    found = []
    text = laid_out(("text", trees), 0, found)
    corpus = ga.read(path, layers="*")
    assert corpus.texts == (text,)
    assert units(corpus) == sorted(found[:-1], key=lambda unit: unit[1:])
