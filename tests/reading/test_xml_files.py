"""XML as readers get it: lines in messages, encodings as declared, nothing defined, any depth."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamma_align.errors import InputError
from gamma_align.reading.files import xml_files
from gamma_align.reading.files.sources import Source


def root(folder, data, encoding=None):
    path = folder / "d.xml"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return xml_files.root(Source(path, "d.xml", encoding))


def test_elements_have_their_lines(tmp_path):
    path = tmp_path / "d.xml"
    path.write_text(
        "<?xml version='1.0'?>\n<a xmlns='urn:x'>\n\n<b\nc='d'/>text<!-- no\nline --><b/></a>", encoding="utf-8"
    )
    whole = xml_files.root(Source(path, "d.xml"))
    lines = [(xml_files.line(element), xml_files.local(element)) for element in whole.iter()]
    assert lines == [(2, "a"), (4, "b"), (6, "b")]
    assert xml_files.children(whole, "b") == list(whole)
    assert xml_files.children(whole, "a", "c") == []
    assert xml_files.line(ET.Element("a")) == 0


def test_comments_divide_no_text(tmp_path):
    assert root(tmp_path, "<a>one <!-- x --><?y z?>two</a>").text == "one two"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_declared_encoding_is_used(tmp_path, encoding):
    data = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><a>é</a>'.encode(encoding)
    assert root(tmp_path, data).text == "é"


@pytest.mark.parametrize("declared", ["", ' encoding="utf-8"', ' encoding="shift_jis"', ' encoding="nonsense"'])
def test_requested_encoding_is_a_fallback(tmp_path, declared):
    data = f'<?xml version="1.0"{declared}?>\n<a>日本</a>'.encode("shift_jis")
    with pytest.raises(InputError, match=r"d\.xml(, line 2)?: (not well-formed XML|its declared encoding is not read)"):
        root(tmp_path, data)
    assert root(tmp_path, data, "shift_jis").text == "日本"


@pytest.mark.parametrize("declared", ["hex", "rot13", "undefined", "unicode_escape", "idna", "utf-7", "é", "utf-32"])
def test_invalid_encodings_are_refused(tmp_path, declared):
    with pytest.raises(InputError, match=r"d\.xml"):
        root(tmp_path, f'<?xml version="1.0" encoding="{declared}"?><a>\\]</a>')


WRONG = {
    "empty": ("", "the file is empty"),
    "blank": (" \n", "the file is empty"),
    "cut off": ("<a>\n<b>", "line 2: not well-formed XML: no element found"),
    "a mismatched tag": ("<a>\n<b></a>", r"line 2: not well-formed XML: mismatched tag \(column 6\)"),
    "a bare bracket": ("<a>\n 1 < 2</a>", r"line 2: not well-formed XML: .* \(column 5\)"),  # Kafka gold standard
    "a bare ampersand": ("<a>\n R&D</a>", "line 2: not well-formed XML"),
    "twice the same attribute": ("<a b='1' b='2'/>", "line 1: not well-formed XML: duplicate attribute"),
    "a control character": ("<a>\x01</a>", "line 1: not well-formed XML"),
    "an entity that nobody defines": ("<a>\n&nbsp;</a>", "line 2: not well-formed XML: undefined entity"),
    "an entity": (
        '<!DOCTYPE a [\n<!ENTITY x "y">]><a>&x;</a>',
        "line 2: the XML defines the entity 'x', which is not read",
    ),
    "an entity in a file": (
        '<!DOCTYPE a [<!ENTITY x SYSTEM "f">]><a>&x;</a>',
        "line 1: the XML defines the entity 'x'",
    ),
    "a parameter entity": ('<!DOCTYPE a [<!ENTITY % x "y">]><a/>', "line 1: the XML defines the entity 'x'"),
    "entities in entities": (
        "<!DOCTYPE a [" + "".join(f'<!ENTITY x{n + 1} "{f"&x{n};" * 10}">' for n in range(9)) + "]><a>&x9;</a>",
        "line 1: the XML defines the entity 'x1'",
    ),
}


@pytest.mark.parametrize(("text", "match"), WRONG.values(), ids=WRONG)
def test_invalid_lines_are_refused_with_their_number(tmp_path, text, match):
    with pytest.raises(InputError, match=rf"d\.xml(, |: ){match}"):
        root(tmp_path, text)


def test_a_document_type_elsewhere_is_not_fetched(tmp_path):
    assert root(tmp_path, '<!DOCTYPE a SYSTEM "nowhere.dtd"><a>x</a>').text == "x"


def test_deeply_nested_elements_are_read(tmp_path):
    depth = 300_000
    found = root(tmp_path, b"<a>" * depth + b"</a>" * depth)
    assert sum(1 for _ in found.iter()) == depth
    with pytest.raises(InputError, match="line 1: not well-formed XML: no element found"):
        root(tmp_path, b"<a>" * depth)


@given(
    text=st.text(
        st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\r\n", exclude_characters="\ufffe\uffff")
    )
)
def test_escaped_text_is_read_back(text, tmp_path_factory):
    told = xml_files.escaped(text, "the name")
    found = root(tmp_path_factory.mktemp("xml"), f'<a b="{told}">{told}</a>')
    assert (found.get("b"), found.text or "") == (text, text)


@pytest.mark.parametrize("character", ["\0", "\x01", "\x0c", "\ud800", "\ufffe"])
def test_characters_that_xml_lacks_are_refused(character):
    with pytest.raises(InputError, match=r"the name .* has the character .*, which XML has not"):
        xml_files.escaped(f"a{character}b", "the name")
