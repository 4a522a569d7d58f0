"""Files and archives as sources: encodings, files beside, and archives that mean harm."""

from __future__ import annotations

import gc
import io
import struct
import zipfile
from pathlib import Path

import pytest

from gamma_align.errors import InputError, SettingsError
from gamma_align.reading.files import archives
from gamma_align.reading.files.archives import members
from gamma_align.reading.files.sources import HEAD, Head, Source, decoded, split_lines


def zipped(path, contents, *, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in contents:
            archive.writestr(name, data)
    return path


def packed(contents):
    buffer = io.BytesIO()
    zipped(buffer, contents)
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------------------- sources


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_mark_determines_the_encoding(encoding):
    assert decoded("naïve 🙂\n".encode(encoding), "a.txt") == "naïve 🙂\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "latin-1", "cp1252"])
def test_encoding_is_required_without_a_byte_order_mark(encoding):
    assert decoded("naïve\n".encode(encoding), "a.txt", encoding) == "naïve\n"


def test_byte_order_mark_overrides_the_requested_encoding():
    assert decoded("naïve".encode("utf-16"), "a.txt", "latin-1") == "naïve"


def test_undecodable_bytes_are_refused_with_line_offset_and_cure():
    with pytest.raises(InputError, match=r"^a\.txt, line 2: byte 0xef \(byte 8 of the file\) is not UTF-8; .*latin-1"):
        decoded("eins\nna\xefve\n".encode("latin-1"), "a.txt")


def test_offset_of_an_undecodable_byte_includes_the_mark():
    with pytest.raises(InputError, match=r"line 1: byte 0xff \(byte 5 of the file\)"):
        decoded(b"\xef\xbb\xbfa\xff", "a.txt")


def test_lone_surrogates_of_utf_16_are_refused():
    with pytest.raises(InputError, match=r"^a\.txt, line 1: .*UTF-16"):
        decoded(b"\xff\xfea\x00b", "a.txt")


@pytest.mark.parametrize("encoding", ["klingon", "base64", "undefined", "nul\0"])
def test_unknown_encodings_are_refused(encoding):
    with pytest.raises(
        SettingsError, match=r"there is no such encoding of files: .*; name another, such as utf-8, latin-1"
    ):
        decoded("ä".encode(), "a.txt", encoding)


def test_only_usual_line_ends_divide_lines():
    assert split_lines("a\x0bb\x0cc\x85d\u2028e\r\nf\rg\n") == ["a\x0bb\x0cc\x85d\u2028e", "f", "g"]
    assert split_lines("") == []
    assert split_lines("\n\n") == ["", ""]


def test_head_has_complete_lines_only():
    line = b"x" * 99 + b"\n"
    assert len(Head("a", ".txt", (line * 1000)[:HEAD]).lines) == HEAD // 100
    assert Head("a", ".txt", b"one\ntwo").lines == ["one", "two"]


@pytest.mark.parametrize("name", ["", ".", "..", "../b.txt", "sub/b.txt", "\0", "x" * 5000, "/etc/passwd"])
def test_companion_files_are_in_the_same_folder(tmp_path, name):
    (tmp_path / "a.ann").write_text("")
    (tmp_path.parent / "b.txt").write_text("")
    assert Source(tmp_path / "a.ann", "a.ann").beside(name) is None


def test_beside_keeps_name_and_encoding(tmp_path):
    for name in ("a.ann", "a.txt"):
        (tmp_path / name).write_text("")
    found = Source(tmp_path / "a.ann", "anna/a.ann", "latin-1").beside("a.txt")
    assert (found.name, found.encoding) == ("anna/a.txt", "latin-1")


def test_unreadable_files_are_refused(tmp_path):
    for read in (Source.data, Source.text, lambda source: source.head):
        with pytest.raises(InputError, match=r"^folder: cannot be read: Is a directory"):
            read(Source(tmp_path, "folder"))


# ------------------------------------------------------------------------------------------------------ archives


def test_members_are_sources_in_the_order_of_their_names(tmp_path):
    contents = [("b.jsonl", "2"), ("a/x.txt", "1"), ("a/x.ann", "0"), ("__MACOSX/b.jsonl", "?"), (".DS_Store", "?")]
    found = members(zipped(tmp_path / "project.zip", contents))
    assert [(member.name, member.inside, member.stem, member.suffix) for member in found] == [
        ("project.zip:a/x.ann", "a/x.ann", "x", ".ann"),
        ("project.zip:a/x.txt", "a/x.txt", "x", ".txt"),
        ("project.zip:b.jsonl", "b.jsonl", "b", ".jsonl"),
    ]
    assert [member.text() for member in found] == ["0", "1", "2"]
    assert found[0].beside("x.txt").text() == "1"
    assert found[0].beside("b.jsonl") is None
    assert found[0].beside("../b.jsonl") is None
    assert found[2].head.data == b"2"


def test_an_archive_is_open_as_long_as_a_member_is_in_use(tmp_path):
    first, *_ = members(zipped(tmp_path / "a.zip", [("x", "X"), ("y", "Y")]))
    gc.collect()
    assert first.text() == "X"


def test_empty_archive_has_no_members(tmp_path):
    assert members(zipped(tmp_path / "a.zip", [])) == []


def test_an_archive_in_an_archive(tmp_path):
    outer = zipped(tmp_path / "outer.zip", [("inner.zip", packed([("x.xmi", "<x/>")]))])
    (inner,) = members(outer, "latin-1")
    (found,) = members(inner)
    assert (found.name, found.text(), found.encoding) == ("outer.zip:inner.zip:x.xmi", "<x/>", "latin-1")


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../evil", "..\\evil", "C:\\evil", "\\\\host\\evil"])
def test_paths_out_of_the_archive_are_refused(tmp_path, name):
    with pytest.raises(InputError, match=r"^a\.zip: the name .* leads out of the archive"):
        members(zipped(tmp_path / "a.zip", [(name, "x")]))


@pytest.mark.parametrize("byte", [b"\0", b"."])
def test_a_member_without_a_name_is_refused(tmp_path, byte):
    path = zipped(tmp_path / "a.zip", [("x", "X")])
    path.write_bytes(path.read_bytes().replace(b"x", byte))  # a name ends at its first zero byte
    with pytest.raises(InputError, match=r"^a\.zip: the name .* leads out of the archive"):
        members(path)


def test_two_members_of_one_name_are_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", [("anna.jsonl", "1"), ("bert.jsonl", "2")])
    path.write_bytes(path.read_bytes().replace(b"bert", b"anna"))
    with pytest.raises(InputError, match=r"^a\.zip: 'anna\.jsonl' is in the archive twice"):
        members(path)


def test_a_bomb_of_one_member_is_refused_before_it_is_unpacked(tmp_path):
    path = zipped(tmp_path / "bomb.zip", [("zeros.json", bytes(1 << 25))])
    with pytest.raises(InputError, match=r"^bomb\.zip:zeros\.json: [\d,]+ bytes unpack to 33,554,432, more than"):
        members(path)


def test_a_bomb_of_many_members_is_refused(tmp_path):
    path = zipped(tmp_path / "bomb.zip", [(f"{at}.json", bytes(1 << 23)) for at in range(4)])
    with pytest.raises(InputError, match=r"^bomb\.zip: [\d,]+ bytes unpack to 33,554,432"):
        members(path)


def test_a_bomb_of_members_over_the_same_bytes_is_refused(tmp_path):
    # every entry of the list of members names the first one's bytes
    path = zipped(tmp_path / "bomb.zip", [("0000.json", "[" + " " * 500_000 + "]")])
    data = bytearray(path.read_bytes())
    start = data.index(b"PK\1\2")
    end = data.index(b"PK\5\6")
    entry = bytes(data[start:end])
    count = 200
    entries = b"".join(entry.replace(b"0000.json", f"{at:04}.json".encode()) for at in range(count))
    closing = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entries), start, 0)
    path.write_bytes(bytes(data[:start]) + entries + closing)
    with pytest.raises(InputError, match=r"^bomb\.zip"):
        members(path)[0].data()


def test_declared_size_limits_unpacking(tmp_path):
    path = zipped(tmp_path / "bomb.zip", [("zeros.json", bytes(1 << 25))])
    path.write_bytes(path.read_bytes().replace(struct.pack("<L", 1 << 25), struct.pack("<L", 1000)))
    (member,) = members(path)
    with pytest.raises(InputError, match=r"^bomb\.zip:zeros\.json: cannot be unpacked: Bad CRC"):
        member.data()


def test_a_member_larger_than_any_annotation_is_refused(tmp_path, monkeypatch):
    path = zipped(tmp_path / "large.zip", [("a.json", "[1, 2, 3]")])
    monkeypatch.setattr(archives, "MAX_MEMBER_SIZE", 8)
    with pytest.raises(InputError, match=r"^large\.zip:a\.json: "):
        members(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_unusual_compression_is_refused(tmp_path, method):
    with pytest.raises(InputError, match=r"^a\.zip:x: is packed in a way that is not read; make the archive again"):
        members(zipped(tmp_path / "a.zip", [("x", "X")], method=method))


def test_an_encrypted_member_is_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", [("x", "X")])
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"^a\.zip:x: cannot be unpacked: .*encrypted"):
        members(path)[0].data()


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\5\6", b"no archive", bytes(1000)])
def test_invalid_archives_are_refused(tmp_path, data):
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(InputError, match=r"^a\.zip: is no zip archive that can be read: .*again"):
        members(tmp_path / "a.zip")


def test_missing_archives_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"^a\.zip: is no zip archive that can be read: .*No such file"):
        members(Path(tmp_path) / "a.zip")


def test_truncated_archives_are_read_or_refused(tmp_path):
    whole = packed([("a.json", "[1, 2, 3]"), ("b/c.txt", "text " * 50)])
    path = tmp_path / "cut.zip"
    refused = 0
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        try:
            for member in members(path):
                member.data()
        except InputError:
            refused += 1
    assert refused == len(whole)  # the end of an archive says where all is
