"""UIMA CAS as XMI and JSON: against cassis, against one another, and what each says that is wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import cassis
import pytest
from uima_files import ADA, NS, SMILE, TEXT, TYPES, archive, as_json, descriptor, xmi
from uima_oracles import SAMPLES, SUITE, suite_cas, suite_types, units
from written import content

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

JSON = SAMPLES / "uima_json"
REFERENCES = JSON / "fs_as_array" / "ser-ref"
SLOTS = JSON / "fs_as_array" / "one-way" / "tsv3-testSimpleSlotFeature"
BOTH = sorted(path.name for path in REFERENCES.iterdir() if (path / "debug.xmi").exists())
WITH_XMI = sorted(path.parent.name for path in SUITE.glob("*/reference.xmi"))

# grep -c '"begin"' data.json, the annotation of the whole document aside
COUNTS = {
    "casExtendingDocumentAnnotation": 0,
    "casWithEmojiUnicodeTextAndAnnotations": 9,
    "casWithFloatingPointSpecialValues": 0,
    "casWithLeftToRightTextAndAnnotations": 2,
    "casWithSofaDataArray": 0,
    "casWithSofaDataURI": 0,
    "casWithText": 0,
    "casWithTextAndAnnotations": 4,
    "casWithTraditionalChineseTextAndAnnotations": 4,
    "casWithoutTextButWithAnnotations": 4,
    "emptyCas": 0,
}


def read_units(path, **options):
    corpus = ga.read(path, document="d", annotator="anna", **options)
    return Counter((unit.start, unit.end, unit.category) for unit in corpus["d"].units())


# --- samples -----------------------------------------------------------------------------------------------


def test_every_reference_is_counted():
    assert sorted(path.name for path in REFERENCES.iterdir()) == sorted(COUNTS)


@pytest.mark.parametrize("name", COUNTS)
def test_json_references(name):
    path = REFERENCES / name / "data.json"
    with path.open("rb") as file:
        cas = cassis.load_cas_from_json(file)
    read = read_units(path)
    assert read.total() == COUNTS[name]
    assert read == units(cas, "uima.tcas.Annotation")
    assert ga.read(path).texts == (None if cas.sofa_string is None else (cas.sofa_string,))


@pytest.mark.parametrize("name", BOTH)
def test_xmi_and_json_have_the_same_units(name):
    names = {"document": "d", "annotator": "anna"}
    one, other = (ga.read(REFERENCES / name / file, **names) for file in ("data.json", "debug.xmi"))
    if name == "casWithTextAndAnnotations":  # of which only the JSON has the text
        assert one.texts == ("This is a test",)
        one = replace(one, texts=None)
    assert content(one) == content(other)


def test_emoji_are_code_points():
    corpus = ga.read(REFERENCES / "casWithEmojiUnicodeTextAndAnnotations" / "data.json")
    covered = [corpus.texts[0][int(unit.start) : int(unit.end)] for unit in corpus["data"].units()]
    assert covered == ["🥳", "This", "👳🏻‍♀️", "is", "✆", "a", "🧔🏾‍♂️", "test", "👻"]


@pytest.mark.parametrize("file", ["data.json", "data-ref.json", "debug.xmi"])
def test_slots_are_left_out_and_their_hosts_read(file):
    with pytest.raises(InputError, match="units in 2 layers: webanno"):  # no tokens, no sentences
        ga.read(SLOTS / file)
    assert read_units(SLOTS / file, layers="SimpleSpan") == Counter([(5, 7, None), (8, 9, None)])
    assert read_units(SLOTS / file, layers="SimpleLinkHost") == Counter([(0, 4, None)])
    assert read_units(SLOTS / file, layers="Token", positions="tokens") == Counter(
        (at, at + 1, None) for at in range(5)
    )


def test_a_text_may_stand_behind_its_annotations():
    path = JSON / "fs_as_array" / "one-way" / "casWithBadSofaFsOrder" / "data.json"
    assert read_units(path, layers="Token") == Counter([(0, 4, None)])
    assert ga.read(path).n_units == 0


def test_annotation_without_bounds_is_a_problem():
    with pytest.raises(InputError, match=r"child_type.*json, feature structure 2: the annotation has no begin"):
        ga.read(JSON / "child_type_before_parent.json")


@pytest.mark.parametrize("name", WITH_XMI)
def test_the_suite_of_webanno_as_xmi(name, tmp_path):
    path = tmp_path / "reference.xmi"
    path.write_bytes((SUITE / name / "reference.xmi").read_bytes())
    types = suite_types(path)
    types.to_xml(tmp_path / "TypeSystem.xml")
    cas = suite_cas(name)
    found = 0
    for kind in types.get_types():
        features = [feature.name for feature in kind.all_features if feature.rangeType.name == "uima.cas.String"]
        relation = any(feature.name == "Governor" for feature in kind.all_features)
        if not list(cas.select(kind)) or relation or not types.is_instance_of(kind, "uima.tcas.Annotation"):
            continue
        if types.is_instance_of(kind, "uima.tcas.DocumentAnnotation") or kind.name.endswith(".POS"):
            continue
        for feature in features or [None]:
            expected = units(cas, kind.name, feature)
            assert read_units(path, layers={kind.name: feature}) == expected
            found += expected.total()
    assert found >= 2  # a token and a sentence at least
    assert ga.read(path, layers="Sentence").texts == (cas.sofa_string,)


# --- small files -------------------------------------------------------------------------------------------


def saved(folder, text, types=TYPES, name="anna.xmi"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    if types is not None:
        (folder / "TypeSystem.xml").write_text(descriptor(types), encoding="utf-8")
    return path


def both(folder, elements):
    """Yield the same annotations as XMI and as JSON."""
    lines = []
    for at, (kind, values) in enumerate(elements, 2):
        name = f"x:{kind.removeprefix('my.types.')}" if kind.startswith("my") else f"noNamespace:{kind}"
        said = {key: str(value).lower() if isinstance(value, bool) else value for key, value in values.items()}
        attributes = " ".join(f'{key}="{value}"' for key, value in said.items())
        lines.append(f'<{name} xmi:id="{at}" sofa="1" {attributes}/>')
    yield saved(folder, xmi(*lines))
    path = folder / "anna.json"
    path.write_text(json.dumps(as_json(elements)), encoding="utf-8")
    yield path


def test_supertypes_contain_the_annotations_of_subtypes(tmp_path):
    elements = [
        ("my.types.Entity", {"begin": 0, "end": 3, "value": "PER", "score": 7}),
        ("my.types.Person", {"begin": 11, "end": 14, "value": "BOB", "sure": True}),
    ]
    for path in both(tmp_path, elements):
        with pytest.raises(InputError, match=r"units in 2 layers: my.types.Entity \(1 units\), my.types.Person"):
            ga.read(path)
        assert read_units(path, layers="Entity") == Counter([(0, 3, "PER"), (10, 13, "BOB")])
        assert read_units(path, layers="Person") == Counter([(10, 13, "BOB")])
        assert read_units(path, layers=["Person", "Entity"]) == Counter([(0, 3, "PER"), (10, 13, "BOB")])
        assert read_units(path, layers="*") == Counter([(0, 3, "PER"), (10, 13, "BOB")])
        assert read_units(path, layers="Entity:score") == Counter([(0, 3, "7"), (10, 13, None)])
        assert read_units(path, layers="Person:sure") == Counter([(10, 13, "true")])


def test_the_only_string_is_the_category_and_several_need_a_choice(tmp_path):
    elements = [("my.types.Chunk", {"begin": 4, "end": 6, "kind": "NP", "role": "obj"})]
    for path in both(tmp_path, elements):
        with pytest.raises(InputError, match=r"'kind' \(1 units\), 'role' \(1 units\); .*'Chunk:kind'"):
            ga.read(path)
        assert read_units(path, layers="Chunk:kind") == Counter([(4, 5, "NP")])
    for path in both(tmp_path, [("my.types.Entity", {"begin": 4, "end": 6, "value": "x"})]):
        note = "layer 'my.types.Entity': the category of a unit is its feature 'value', the only one"
        assert note in ga.read(path).notes
        assert note not in ga.read(path, layers="Entity:value").notes


def test_proposed_feature_has_values(tmp_path):
    for path in both(tmp_path, [("my.types.Chunk", {"begin": 4, "end": 6, "role": "obj"})]):
        with pytest.raises(InputError, match=r"'kind' \(0 units\), 'role' \(1 units\); .*'Chunk:role'"):
            ga.read(path)
        assert read_units(path, layers="Chunk:role") == Counter([(4, 5, "obj")])


def test_lists_are_no_categories_and_numbers_only_on_request(tmp_path):
    for path in both(tmp_path, [("my.types.Bare", {"begin": 0, "end": 3, "score": 4})]):
        assert read_units(path) == Counter([(0, 3, None)])
        assert read_units(path, layers="Bare:score") == Counter([(0, 3, "4")])
        with pytest.raises(InputError, match=r"no feature 'list' that can be a category; it has 'score'"):
            ga.read(path, layers="Bare:list")


def test_relations_are_counted_and_left_out(tmp_path):
    elements = [
        ("my.types.Entity", {"begin": 0, "end": 3, "value": "PER"}),
        ("my.types.Arrow", {"begin": 0, "end": 3, "value": "knows"}),
    ]
    for path in both(tmp_path, elements):
        assert read_units(path) == Counter([(0, 3, "PER")])
        assert f"{path.name}: 1 relations are left out" in ga.read(path).notes


def test_links_of_chains_are_units_by_their_own_label(tmp_path):
    elements = [("my.types.Link", {"begin": 0, "end": 3, "referenceType": "name", "referenceRelation": "coref"})]
    for path in both(tmp_path, elements):
        assert read_units(path) == Counter([(0, 3, "name")])


def test_technical_types_are_no_layers(tmp_path):
    name = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagsetDescription"
    space = "http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore"
    told = f'<m:TagsetDescription xmlns:m="{space}" xmi:id="5" sofa="1" begin="0" end="14" name="NER"/>'
    types = TYPES | {name: ("uima.tcas.Annotation", {"name": "uima.cas.String"})}
    assert read_units(saved(tmp_path, xmi(ADA, told), types)) == Counter([(0, 3, "PER")])
    assert read_units(saved(tmp_path, xmi(ADA, told), types), layers="TagsetDescription") == Counter([(0, 13, "NER")])


def test_annotations_of_no_type_of_their_own_are_a_layer(tmp_path):
    plain = '<tcas:Annotation xmi:id="5" sofa="1" begin="7" end="10"/>'
    assert read_units(saved(tmp_path, xmi(ADA, plain)), layers="Annotation") == Counter([(6, 9, None)])


def test_types_without_a_package(tmp_path):
    for path in both(tmp_path, [("Plain", {"begin": 0, "end": 3})]):
        assert read_units(path, layers="Plain") == Counter([(0, 3, None)])


def test_tokens_of_any_type_are_positions(tmp_path):
    words = [("my.types.Word", {"begin": low, "end": high}) for low, high in ((0, 3), (4, 6), (7, 10), (11, 14))]
    marked = [("my.types.Entity", {"begin": 4, "end": 14, "value": "x"})]
    for path in both(tmp_path, words + marked):
        named = {"tokens": "Word"}
        assert read_units(path, options=named, positions="tokens") == Counter([(1, 4, "x")])
        with pytest.raises(InputError, match="has no tokens to count in"):
            ga.read(path, positions="tokens", layers="Entity")
    overlap = [*words, ("my.types.Word", {"begin": 5, "end": 9})]
    for path in both(tmp_path, overlap):
        assert ga.read(path, options=named).n_units == 0
        with pytest.raises(InputError, match=r"the token begins at 5, before the end 6 of another"):
            ga.read(path, options=named, positions="tokens")


def test_annotators_without_units_saw_the_text(tmp_path):
    corpus = ga.read(saved(tmp_path, xmi()))
    assert corpus.annotators == ("anna",)
    assert corpus.texts == ("Ada 😊 met Bob",)


# --- views -------------------------------------------------------------------------------------------------

SECOND = '<cas:Sofa xmi:id="9" sofaNum="2" sofaID="bert" mimeType="text" sofaString="Ada 😊 met Bob"/>'
OF_BERT = '<x:Entity xmi:id="10" sofa="9" begin="11" end="14" value="PER"/>'


def test_views_are_chosen_or_annotators(tmp_path):
    more = '<cas:View sofa="9" members="10"/>'
    path = saved(tmp_path, xmi(ADA, OF_BERT, sofas=TEXT + SECOND, members=["2"], more=more))
    with pytest.raises(
        InputError, match=r"annotations in 2 views: '_InitialView', 'bert'; choose with .*'view': '_Init"
    ):
        ga.read(path)
    assert read_units(path, options={"view": "bert"}) == Counter([(10, 13, "PER")])
    with pytest.raises(InputError, match=r"no view 'cleo'; there are '_InitialView', 'bert'"):
        ga.read(path, options={"view": "cleo"})
    corpus = ga.read(path, options={"view": "*"})
    assert [tuple(unit)[:3] for unit in corpus["anna"].units()] == [("_InitialView", 0, 3), ("bert", 10, 13)]


def test_a_view_without_annotations_is_no_choice(tmp_path):
    path = saved(tmp_path, xmi(ADA, sofas=TEXT + SECOND, members=["2"]))
    assert read_units(path) == Counter([(0, 3, "PER")])


def test_a_text_without_a_view_has_no_annotations(tmp_path):
    text = "\n".join(line for line in xmi(ADA).split("\n") if not line.startswith("<cas:View"))
    corpus = ga.read(saved(tmp_path, text))
    assert (corpus.n_units, corpus.texts) == (0, ("Ada 😊 met Bob",))


def test_annotations_outside_views_are_skipped(tmp_path):
    assert read_units(saved(tmp_path, xmi(ADA, SMILE, members=["2", "2"]))) == Counter([(0, 3, "PER")])


# --- type systems and archives -----------------------------------------------------------------------------


def test_xmi_needs_its_type_system(tmp_path):
    path = saved(tmp_path, xmi(ADA), types=None)
    with pytest.raises(InputError, match=r"anna\.xmi: there is no TypeSystem\.xml beside it"):
        ga.read(path)
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "mine.xml").write_text(descriptor(), encoding="utf-8")
    named = {"typesystem": str(tmp_path / "types" / "mine.xml")}
    assert read_units(path, options=named) == Counter([(0, 3, "PER")])
    with pytest.raises(InputError, match=r"none\.xml: cannot be read"):
        ga.read(path, options={"typesystem": tmp_path / "none.xml"})


WRONG_TYPES = {
    "an annotation file": (xmi(), r"TypeSystem\.xml, line 1: is no type system"),
    "no XML": ("<a", r"TypeSystem\.xml, line 1: not well-formed"),
    "an entity bomb": (
        '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><typeSystemDescription>&d;</typeSystemDescription>',
        r"TypeSystem\.xml, line 1: the XML defines the entity",
    ),
    "a type without name": (
        descriptor().replace("<name> my.types.Person </name>", ""),
        r"TypeSystem\.xml, line 3: a typeDescription without name",
    ),
    "types in a circle": (
        descriptor(TYPES | {"my.types.Entity": ("my.types.Person", {})}),
        r"TypeSystem\.xml: type 'my.types.Entity' inherits from itself",
    ),
    "no end of types": (
        descriptor(
            TYPES
            | {f"t{at}": (f"t{after}", {}) for at, after in pairwise(range(5000))}
            | {"my.types.Entity": ("t0", {})}
        ),
        "type 'my.types.Entity' inherits from itself, or through more than 100",
    ),
    "another type system": (descriptor({}), r"anna\.xmi, line 3: the type 'my.types.Entity' is not in TypeSystem\.xml"),
}


@pytest.mark.parametrize(("types", "match"), WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_invalid_type_systems_are_refused(tmp_path, types, match):
    path = saved(tmp_path, xmi(ADA), types=None)
    (tmp_path / "TypeSystem.xml").write_text(types, encoding="utf-8")
    with pytest.raises(InputError, match=match):
        ga.read(path)


def test_both_in_one_archive(tmp_path):
    path = archive(tmp_path / "anna.zip", {"talk.xmi": xmi(ADA), "TypeSystem.xml": descriptor()})
    corpus = ga.read(path)
    assert corpus.documents == ("anna",)
    assert [tuple(unit) for unit in corpus["anna"].units()] == [("anna", 0, 3, "PER")]
    corpus = ga.read(f"{tmp_path}/{{annotator}}.zip", document="{file}")
    assert corpus.documents == ("anna",)


def test_several_files_of_an_archive_are_documents(tmp_path):
    files = {"one.xmi": xmi(ADA), "two.xmi": xmi(SMILE), "TypeSystem.xml": descriptor()}
    corpus = ga.read(archive(tmp_path / "anna.zip", files))
    assert corpus.documents == ("one", "two")
    assert corpus.annotators == ("anna",)
    assert [(unit.start, unit.end) for unit in corpus["two"].units()] == [(4, 5)]


def test_an_archive_of_others_is_refused(tmp_path):
    path = archive(tmp_path / "anna.zip", {"talk.txt": "Ada"})
    with pytest.raises(InputError, match=r"anna\.zip: has no file named \.xmi"):
        ga.read(path, format="uima-xmi")


# --- what is wrong -----------------------------------------------------------------------------------------

WRONG = {
    "within a character": (
        xmi('<x:Entity xmi:id="2" begin="0" end="5"/>'),
        r"anna\.xmi, line 3: offset 5 is within a character, counted in utf-16",
    ),
    "past the end": (
        xmi('<x:Entity xmi:id="2" begin="0" end="15"/>'),
        r"anna\.xmi: 1 unit outside .*\n  line 3: .*\[0, 14\]",
    ),
    "an end before its begin": (xmi('<x:Entity xmi:id="2" begin="3" end="1"/>'), r"line 3: the unit ends at 1, before"),
    "a word": (xmi('<x:Entity xmi:id="2" begin="x" end="1"/>'), r"line 3: the start of the unit is 'x', not a finite"),
    "digits without end": (xmi(f'<x:Entity xmi:id="2" begin="0" end="{"9" * 5000}"/>'), r"line 3: the end of the unit"),
    "no bounds": (xmi('<x:Entity xmi:id="2" begin="0"/>'), r"line 3: the annotation has no begin or no end"),
    "a member that is not there": (xmi(ADA, members=["2", "77"]), r"line 4: the view has a member '77' that is not"),
    "an id of two": (xmi(ADA, SMILE.replace('"4"', '"2"', 1)), r"line 4: the id '2' is used twice"),
    "two views of a text": (xmi(ADA, more='<cas:View sofa="1" members=""/>'), r"line 4: two views of one text"),
    "not well formed": (xmi(ADA).replace("</xmi:XMI>", ""), r"anna\.xmi, line 5: not well-formed"),
    "another root": (f"<a><b {NS}/><!-- <xmi:XMI --></a>", r"anna\.xmi, line 1: is no UIMA CAS"),
    "an entity": ('<!DOCTYPE a [<!ENTITY b "c">]>' + xmi(ADA), r"anna\.xmi, line 1: the XML defines the entity 'b'"),
}


@pytest.mark.parametrize(("text", "match"), WRONG.values(), ids=WRONG)
def test_invalid_xmi_is_refused_with_its_line(tmp_path, text, match):
    with pytest.raises(InputError, match=match):
        ga.read(saved(tmp_path, text), format="uima-xmi")


ENTITY = [("my.types.Entity", {"begin": 0, "end": 3, "value": "PER"})]
WRONG_JSON = {
    "a list": ([], "anna.json: the file is a list of 0, not an object"),
    "types that are a list": (as_json([], **{"%TYPES": []}), "anna.json: '%TYPES' is a list of 0"),
    "a type without parent": (as_json([], **{"%TYPES": {"a": {}}}), "type 'a' has no '%SUPER_TYPE'"),
    "a feature without range": (
        as_json([], **{"%TYPES": {"a": {"%SUPER_TYPE": "uima.tcas.Annotation", "f": {}}}}),
        "anna.json: feature 'f' of type 'a' has no '%RANGE'",
    ),
    "structures that are a word": (as_json([], **{"%FEATURE_STRUCTURES": "x"}), "'%FEATURE_STRUCTURES' is 'x', not a"),
    "a structure without id": (as_json([], **{"%FEATURE_STRUCTURES": [{}]}), "feature structure 1 of the list has no"),
    "views that are a list": (as_json([], **{"%VIEWS": []}), "'%VIEWS' is a list of 0"),
    "a view that is a list": (as_json([], **{"%VIEWS": {"v": []}}), "anna.json, view 'v': the view is a list of 0"),
    "a member that is not there": (
        as_json([], **{"%VIEWS": {"v": {"%MEMBERS": [7]}}}),
        "feature structure 7: view 'v' has it as a member, and it is not in the file",
    ),
    "a member that is a list": (
        as_json([], **{"%VIEWS": {"v": {"%MEMBERS": [[7]]}}}),
        "feature structure a list of 1: its id is a list of 1, not an integer",
    ),
    "another type system": (
        as_json(ENTITY, **{"%TYPES": {}}),
        "feature structure 2: its type 'my.types.Entity' is not",
    ),
    "a text that is a number": (as_json(ENTITY, text=7), "view '_InitialView': 'sofaString' of the text of view"),
    "half a unit": (
        as_json([("my.types.Entity", {"begin": 0.5, "end": 1})]),
        "feature structure 2: the start of the unit is '0.5', not a finite number",
    ),
    "true": (
        as_json([("my.types.Entity", {"begin": True, "end": 1})]),
        "feature structure 2: the start of the unit is",
    ),
    "a category that is a list": (
        as_json([("my.types.Entity", {"begin": 0, "end": 1, "value": ["a"]})]),
        "feature structure 2: feature 'value' is a list of 1, no category",
    ),
    "within a character": (
        as_json([("my.types.Entity", {"begin": 0, "end": 5})]),
        "feature structure 2: offset 5 is within a character",
    ),
}


@pytest.mark.parametrize(("value", "match"), WRONG_JSON.values(), ids=WRONG_JSON)
def test_invalid_json_is_refused_with_its_location(tmp_path, value, match):
    path = tmp_path / "anna.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(match)):
        ga.read(path, format="uima-json")


def test_all_problems_are_counted(tmp_path):
    bad = [SMILE.replace('"4"', f'"{at}"', 1).replace('"6"', '"x"') for at in range(2, 5)]
    with pytest.raises(InputError, match=r"line 3: .*\(2 more;"):
        ga.read(saved(tmp_path, xmi(*bad)))


def test_repeated_members_are_read_once(tmp_path):
    cas = as_json(ENTITY, **{"%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2, 2]}}})
    path = tmp_path / "anna.json"
    path.write_text(json.dumps(cas), encoding="utf-8")
    assert read_units(path) == Counter([(0, 3, "PER")])


def test_structures_may_be_an_object_of_ids(tmp_path):
    cas = as_json(ENTITY)
    cas["%FEATURE_STRUCTURES"] = {str(each.pop("%ID")): each for each in cas["%FEATURE_STRUCTURES"]}
    path = tmp_path / "anna.json"
    path.write_text(json.dumps(cas), encoding="utf-8")
    assert read_units(path) == Counter([(0, 3, "PER")])


def test_offsets_can_be_overridden(tmp_path):
    path = saved(tmp_path, xmi('<x:Entity xmi:id="2" begin="10" end="13" value="PER"/>'))
    assert read_units(path, offsets="code-points") == Counter([(10, 13, "PER")])
    assert read_units(path) == Counter([(9, 12, "PER")])


def test_unknown_options_are_refused(tmp_path):
    with pytest.raises(SettingsError, match=r"uima-xmi has no option 'views'; its options are 'view'"):
        ga.read(saved(tmp_path, xmi(ADA)), options={"views": "*"})
