"""Paths lead to files and names: templates, folders, single files, patterns, formats of other packages."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import gamma_align as ga
from gamma_align.errors import GammaAlignError, InputError, SettingsError
from gamma_align.reading import formats
from gamma_align.reading.places import layout
from gamma_align.reading.places.walk import walk_folder
from gamma_align.reading.validation.validate import validate

UNIT = "T1\tPER 0 4\tAnna\n"


def make_files(base, *paths, text=UNIT):
    for path in paths:
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_text(text, encoding="utf-8")
    return base


def annotators_by_document(corpus):
    """Return {document: annotators} of a corpus."""
    return {
        document: [corpus.annotators[code] for code in corpus.seen[first:after]]
        for document, first, after in zip(
            corpus.documents, corpus.seen_offsets[:-1], corpus.seen_offsets[1:], strict=True
        )
    }


def are_equal(one, other):
    """Return whether two corpora are equal in every column."""
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(one)
        if field.name != "notes"
    )


def matching_fields(template, *paths):
    fields = {path: layout.parse_template(template).fields(path) for path in paths}
    return {path: names for path, names in fields.items() if names is not None}


# ------------------------------------------------------------------------------------------------------ templates


@pytest.mark.parametrize(
    ("template", "path", "fields"),
    [
        ("{annotator}/{document}.ann", "anna/d1.ann", {"annotator": "anna", "document": "d1"}),
        ("{document}_{annotator}.ann", "d1_anna.ann", {"annotator": "anna", "document": "d1"}),
        ("{_}/{annotator}/{document}.ann", "round 1/anna/d1.ann", {"annotator": "anna", "document": "d1"}),
        ("*/{annotator}/{document}.ann", "r1/anna/d1.ann", {"annotator": "anna", "document": "d1"}),
        ("**/{annotator}/{document}.ann", "a/b/anna/d1.ann", {"annotator": "anna", "document": "d1"}),
        ("**/{annotator}/{document}.ann", "anna/d1.ann", {"annotator": "anna", "document": "d1"}),
        ("{document}/**", "d1/a/b.ann", {"document": "d1"}),
        ("{document}/{document}.ann", "d1/d1.ann", {"document": "d1"}),
        ("{document}.a+b.(ann)", "d1.a+b.(ann)", {"document": "d1"}),
        ("{{{document}}}.ann", "{d1}.ann", {"document": "d1"}),
        ("{document}.ann", "Ünïcode\n.ann", {"document": "Ünïcode\n"}),
    ],
)
def test_a_matching_path_has_fields(template, path, fields):
    assert matching_fields(template, path) == {path: fields}


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("{annotator}/{document}.ann", "d1.ann"),
        ("{annotator}/{document}.ann", "a/anna/d1.ann"),
        ("{annotator}/{document}.ann", "anna/d1.txt"),
        ("{document}/{document}.ann", "d1/d2.ann"),
        ("*.ann", "a/d1.ann"),
        ("{document}.ann", ".ann"),
        ("{document}xann", "d1.ann"),
    ],
)
def test_other_paths_have_no_fields(template, path):
    assert matching_fields(template, path) == {}


def test_an_ambiguous_path_is_refused():
    with pytest.raises(InputError, match=r"^a_b_c\.ann: matches .* in two ways: document 'a_b', annotator 'c' or"):
        layout.parse_template("{document}_{annotator}.ann").fields("a_b_c.ann")


@pytest.mark.parametrize(
    ("template", "message"),
    [("{name}.ann", "not {name}"), ("{}.ann", "not {}"), ("{document.ann", "single '{'"), ("a}", "'}'")],
)
def test_unknown_fields_and_single_braces_are_refused(template, message):
    with pytest.raises(SettingsError, match=message.replace("{", r"\{")):
        layout.parse_template(template)


def test_backslashes_of_windows_separate_folders(monkeypatch):
    monkeypatch.setattr(os, "sep", "\\")
    parsed = layout.parse_template("data\\{annotator}\\{document}.ann")
    assert (parsed.base.as_posix(), parsed.pattern, parsed.depth) == ("data", "{annotator}/{document}.ann", 1)


def test_a_template_reads_the_matching_files_alone(tmp_path):
    make_files(tmp_path, "anna/d1.ann", "bert/d1.ann", "bert/sub/d2.ann", "anna/d1.txt~", text=UNIT)
    corpus = ga.read(f"{tmp_path}/{{annotator}}/{{document}}.ann")
    assert annotators_by_document(corpus) == {"d1": ["anna", "bert"]}
    assert corpus.notes == ("{annotator}/{document}.ann: read as brat standoff (.ann)",)


def test_names_of_a_template_take_precedence_over_names_in_files(tmp_path, install):
    install(OTHER_FORMAT)
    make_files(tmp_path, "anna.said")
    assert annotators_by_document(ga.read(f"{tmp_path}/{{annotator}}.said")) == {"inside": ["anna"]}


def test_existing_names_with_braces_and_stars_are_literal(tmp_path):
    make_files(tmp_path, "data {v1} *final*/anna/d1.ann", "{x}.ann")
    assert annotators_by_document(ga.read(tmp_path / "{x}.ann")) == {"{x}": ["{x}"]}
    assert annotators_by_document(ga.read(f"{tmp_path}/data {{v1}} *final*/{{annotator}}/{{document}}.ann")) == {
        "d1": ["anna"]
    }
    assert annotators_by_document(ga.read(f"{tmp_path}/{{{{{{document}}}}}}.ann", annotator="anna")) == {"x": ["anna"]}


def test_a_template_without_matches_is_refused_with_the_files(tmp_path):
    make_files(tmp_path, "anna/d1.ann")
    with pytest.raises(InputError, match=r"no file matches; the folder .* has anna/d1\.ann$"):
        ga.read(f"{tmp_path}/{{annotator}}/{{document}}.txt")
    with pytest.raises(InputError, match=r"there is no folder .*nowhere$"):
        ga.read(f"{tmp_path}/nowhere/{{document}}.txt")


def test_a_template_reads_no_deeper_folders(tmp_path, monkeypatch):
    make_files(tmp_path, "anna/d1.ann", "anna/deep/d1.ann", "anna/deep/deeper/d1.ann")
    listed = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (listed.append(Path(path).name), scandir(path))[1])
    ga.read(f"{tmp_path}/{{annotator}}/{{document}}.ann")
    assert listed == [tmp_path.name, "anna"]


def test_a_template_with_a_format_reads_files_with_any_suffix(tmp_path):
    make_files(tmp_path, "anna/d1.annotations", "anna/d1.annotations.txt")
    corpus = ga.read(f"{tmp_path}/{{annotator}}/{{document}}.annotations", format="brat")
    assert annotators_by_document(corpus) == {"d1": ["anna"]}
    # the texts beside are not annotation
    make_files(tmp_path, "bert/d1.ann")
    make_files(tmp_path, "bert/d1.txt", text="Anna")
    assert annotators_by_document(ga.read(f"{tmp_path}/b*/{{document}}.*", format="brat", annotator="bert")) == {
        "d1": ["bert"]
    }


# -------------------------------------------------------------------------------------------------------- folders


def test_folders_are_annotators_if_files_name_none(tmp_path):
    make_files(tmp_path, "anna/d1.ann", "anna/part 2/d1.ann", "bert/d1.ann")
    corpus = ga.read(tmp_path)
    assert annotators_by_document(corpus) == {"d1": ["anna", "bert"], "part 2/d1": ["anna"]}
    assert corpus.notes == (
        f"{tmp_path.name}: read as brat standoff (.ann)",
        f"{tmp_path.name}: each folder is taken for an annotator: anna, bert",
    )


@pytest.mark.parametrize("folder", ["", "annotation/"])
def test_folders_of_an_unpacked_inception_project_are_documents(tmp_path, folder):
    make_files(
        tmp_path,
        *(f"{folder}{name}.ann" for name in ("d1.txt/INITIAL_CAS", "d1.txt/anna", "d1.txt/ben", "d2.txt/anna")),
    )
    corpus = ga.read(tmp_path)
    assert annotators_by_document(corpus) == {"d1.txt": ["anna", "ben"], "d2.txt": ["anna"]}
    assert corpus.notes[-1].endswith(
        "folders are documents and files annotators; 1 files that no annotator made are left out: INITIAL_CAS"
    )


def test_files_without_annotators_in_one_folder_are_refused(tmp_path):
    make_files(tmp_path, "d1.ann", "d2.ann")
    with pytest.raises(InputError, match=r"^d1\.ann: nothing says the annotator; .*'\{annotator\}/\{document\}\.ann'"):
        ga.read(tmp_path)


def test_a_folder_without_a_known_format_is_refused_with_its_files(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "notes.md").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match=r"no file is of a known format: inner/notes\.md;"):
        ga.read(tmp_path)


def test_files_of_one_folder_are_read_with_a_name_or_pattern_for_the_annotator(tmp_path):
    make_files(tmp_path, "d1.ann", "d2.ann")
    assert annotators_by_document(ga.read(tmp_path, annotator="anna")) == {"d1": ["anna"], "d2": ["anna"]}
    assert annotators_by_document(ga.read(tmp_path, annotator="{file}", document="d")) == {"d": ["d1", "d2"]}


def test_a_single_file_is_an_annotator_and_a_document(tmp_path):
    make_files(tmp_path, "anna.ann")
    for path in (tmp_path, tmp_path / "anna.ann"):
        corpus = ga.read(path)
        assert annotators_by_document(corpus) == {"anna": ["anna"]}
        assert corpus.notes[-1] == "the files do not name their annotators; the file names are used instead: anna"
    assert len(ga.read(tmp_path / "anna.ann", annotator="{file}").notes) == 1


def test_files_of_several_formats_are_refused_unless_one_is_chosen(tmp_path, install):
    install(OTHER_FORMAT)
    make_files(tmp_path, "anna/d1.ann", "anna/d2.ann", "bert.said")
    with pytest.raises(InputError, match=r"several formats \(2 of brat, 1 of said\); choose one with format="):
        ga.read(tmp_path)
    corpus = ga.read(tmp_path, format="brat")
    assert annotators_by_document(corpus) == {"d1": ["anna"], "d2": ["anna"]}
    assert f"{tmp_path.name}: 1 other file is not read: bert.said" in corpus.notes


def test_unread_files_are_noted_unless_they_belong_to_others(tmp_path):
    make_files(tmp_path, "anna/d1.ann", "anna/annotation.conf", "anna/README", ".hidden", ".git/d1.ann")
    make_files(tmp_path, "anna/d1.txt", text="Anna")
    corpus = ga.read(tmp_path)
    assert annotators_by_document(corpus) == {"d1": ["anna"]}
    assert f"{tmp_path.name}: 1 other file is not read: anna/README" in corpus.notes


@pytest.mark.parametrize("paths", [(), (".hidden",)])
def test_an_empty_folder_is_refused(tmp_path, paths):
    make_files(tmp_path, *paths)
    with pytest.raises(InputError, match=r"the folder is empty|no file is of a known format"):
        ga.read(tmp_path)


def test_a_format_without_files_is_refused(tmp_path):
    make_files(tmp_path, "a.xyz")
    with pytest.raises(InputError, match=r"no file named \.ann; there are a\.xyz"):
        ga.read(tmp_path, format="brat")


def test_the_corpus_does_not_depend_on_the_order_of_directory_listings(tmp_path, monkeypatch):
    paths = [f"{name}/d{at}" for name in ("anna", "bert", "Zoë") for at in (1, 2, 10)]
    make_files(tmp_path, *(f"{path}.ann" for path in paths))
    for path in paths:
        make_files(tmp_path, f"{path}.txt", text=f"Anna in {path[-2:]}")
    forward = ga.read(tmp_path)

    @contextmanager
    def backward_from(path):
        with scandir(path) as entries:
            yield sorted(entries, key=lambda entry: entry.name, reverse=True)

    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", backward_from)
    backward = ga.read(tmp_path)
    assert forward.notes == backward.notes
    assert are_equal(forward, backward)


def test_a_folder_that_cannot_be_listed_is_refused(tmp_path, monkeypatch):
    make_files(tmp_path, "anna/d1.ann", "bert/d1.ann")
    scandir = os.scandir

    def guarded(path):
        if Path(path).name == "bert":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    with pytest.raises(InputError, match=r"^bert: the folder cannot be listed: Permission denied"):
        ga.read(tmp_path)


@pytest.mark.parametrize("columns", [None, {"annotator": "who"}], ids=["files", "tables"])
def test_a_folder_that_cannot_be_entered_is_refused(tmp_path, monkeypatch, columns):
    make_files(tmp_path, "units.csv")

    def closed(system, within):
        def guarded(path, *rest, **more):
            if isinstance(path, str | os.PathLike) and Path(path) in within:
                raise PermissionError(13, "Permission denied", os.fspath(path))
            return system(path, *rest, **more)

        return guarded

    monkeypatch.setattr(os, "stat", closed(os.stat, {tmp_path / f"units.{name}" for name in ("parquet", "csv", "tsv")}))
    for name in ("listdir", "scandir"):
        monkeypatch.setattr(os, name, closed(getattr(os, name), {tmp_path}))
    for see in (ga.read, validate):
        with pytest.raises(InputError, match=f"{tmp_path.name}: the folder cannot be listed: Permission denied"):
            see(tmp_path, columns=columns)


def test_circular_links_end(tmp_path):
    make_files(tmp_path, "anna/d1.ann")
    (tmp_path / "anna" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    found = walk_folder(tmp_path)
    assert found.files == ["anna/d1.ann", "self"]
    assert found.notes == ["the link 'anna/up' leads to the whole folder, which is read already; it is left out"]


def test_linked_folders_are_read_once_by_their_own_name(tmp_path):
    make_files(tmp_path, "data/zoë/d1.ann")
    make_files(tmp_path, "elsewhere/anna/d1.ann")
    (tmp_path / "data" / "anna").symlink_to(tmp_path / "elsewhere" / "anna")
    (tmp_path / "data" / "latest").symlink_to("zoë")
    corpus = ga.read(tmp_path / "data")
    assert annotators_by_document(corpus) == {"d1": ["anna", "zoë"]}
    assert corpus.notes[0] == "the link 'latest' leads to 'zoë', which is read already; it is left out"


def test_a_broken_link_is_refused(tmp_path):
    make_files(tmp_path, "anna/d1.ann", "bert/d2.ann")
    (tmp_path / "bert" / "d1.ann").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match=r"^bert/d1\.ann: cannot be read: No such file"):
        ga.read(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_pipes_in_folders_are_skipped_and_require_a_format(tmp_path):
    make_files(tmp_path, "anna/d1.ann")
    os.mkfifo(tmp_path / "anna" / "d2.ann")
    assert annotators_by_document(ga.read(tmp_path)) == {"d1": ["anna"]}
    with pytest.raises(InputError, match=r"is no file but a pipe or device; name the format with format="):
        ga.read(tmp_path / "anna" / "d2.ann")


@pytest.mark.parametrize("path", ["x" * 1000, "a\0b", "x" * 1000 + "/{document}.ann", "a\0{document}"])
def test_impossible_paths_are_refused(path):
    with pytest.raises(InputError, match=r"no (such file|folder|file matches)"):
        ga.read(path)


def test_a_file_name_that_is_not_utf_8_is_refused(tmp_path):
    try:
        Path(os.fsdecode(bytes(tmp_path) + b"/d\xff.ann")).write_text(UNIT, encoding="utf-8")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    with pytest.raises(InputError, match=r"the document 'd\\udcff' is named by a path that is not UTF-8; rename"):
        ga.read(tmp_path, annotator="anna")


# ------------------------------------------------------------------------------------------------- names, patterns


def test_patterns_combine_known_names(tmp_path):
    make_files(tmp_path, "round 1/anna/d1.ann", "round 1/bert/d1.ann")
    corpus = ga.read(tmp_path, annotator="{folder}", document="{annotator}: {file}")
    assert annotators_by_document(corpus) == {"round 1: d1": ["anna", "bert"]}


def test_a_brace_in_a_pattern_is_doubled(tmp_path):
    make_files(tmp_path, "d1.ann")
    assert annotators_by_document(ga.read(tmp_path, annotator="{{layer}}", document="{file}")) == {"d1": ["{layer}"]}


@pytest.mark.parametrize(
    "pattern", ["{name}", "{}", "{0}", "{file.x}", "{file[0]}", "{file!r}", "{file:>9}", "{file", "file}", "", " "]
)
def test_invalid_patterns_are_refused(tmp_path, pattern):
    make_files(tmp_path, "d1.ann")
    with pytest.raises(SettingsError, match=r"^annotator: "):
        ga.read(tmp_path, annotator=pattern)


def test_a_pattern_with_an_unknown_name_is_refused(tmp_path):
    make_files(tmp_path, "d1.ann")
    with pytest.raises(
        InputError, match=r"^d1\.ann: annotators are named by '\{layer\}', but nothing says the layer there"
    ):
        ga.read(tmp_path, annotator="{layer}")


def test_two_files_with_one_annotator_and_document_are_refused(tmp_path):
    make_files(tmp_path, "anna/new/d1.ann", "anna/old/d1.ann")
    with pytest.raises(
        InputError, match=r"^anna/old/d1\.ann: annotator 'anna' has marked document 'd1' in anna/new/d1\.ann too"
    ):
        ga.read(f"{tmp_path}/{{annotator}}/*/{{document}}.ann")


def test_a_name_that_would_merge_annotators_is_refused(tmp_path):
    make_files(tmp_path, "anna/d1.ann", "bert/d1.ann")
    with pytest.raises(
        InputError, match=r"annotators 'anna' and 'bert' would both be annotator 'all' of document 'd1'"
    ):
        ga.read(tmp_path, annotator="all")


def test_a_pattern_that_would_merge_documents_is_refused(tmp_path):
    make_files(tmp_path, "anna/a/d1.ann", "anna/b/d1.ann")
    with pytest.raises(InputError, match=r"documents 'a/d1' and 'b/d1' would both be .* document 'd1'; .*document='"):
        ga.read(tmp_path, document="{file}")


# -------------------------------------------------------------------------------------- formats of other packages


def test_formats_of_other_packages_are_read(tmp_path, install):
    install(OTHER_FORMAT)
    make_files(tmp_path, "anna.said")
    corpus = ga.read(tmp_path / "anna.said")
    assert annotators_by_document(corpus) == {"inside": ["within"]}
    assert corpus.notes == ("anna.said: read as files that say all",)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import nonsense_that_is_not_there", r"format 'theirs' of theirs_format:FORMAT cannot be loaded: No module"),
        ("raise RuntimeError('broken')", r"cannot be loaded: broken"),
        ("FORMAT = 3", r"'theirs' \(theirs_format:FORMAT\) is no new FileFormat"),
        ("from gamma_align.reading.formats.brat import FORMAT", r"is no new FileFormat"),
    ],
)
def test_an_unusable_format_is_refused_with_its_package(tmp_path, install, code, message):
    install(code)
    make_files(tmp_path, "anna.ann")
    with pytest.raises(GammaAlignError, match=message):
        ga.read(tmp_path)


OTHER_FORMAT = """
from gamma_align.reading.formats import FileFormat
from gamma_align.reading.marks.marks import Marks

def read(source, choices):
    marks = Marks(source.name)
    marks.unit(0, 4, "PER", location=1, annotator="within", document="inside")
    return [marks]

FORMAT = FileFormat("said", "files that say all", (".said",), lambda head: head.suffix == ".said", read,
                    declares=("annotator", "document"))
"""


@pytest.fixture
def install(tmp_path_factory, monkeypatch):
    """Return a function that installs a package with a format in it, from the code of its module."""
    formats.formats.cache_clear()

    def installed(code):
        site = tmp_path_factory.mktemp("site")
        make_files(site, "theirs_format.py", text=code)
        make_files(site, "theirs-1.0.dist-info/METADATA", text="Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
        make_files(
            site, "theirs-1.0.dist-info/entry_points.txt", text=f"[{formats.GROUP}]\ntheirs = theirs_format:FORMAT\n"
        )
        monkeypatch.syspath_prepend(site)

    yield installed
    sys.modules.pop("theirs_format", None)
    formats.formats.cache_clear()


def test_a_note_says_what_is_read_if_files_beside_it_look_alike(tmp_path):
    (tmp_path / "a.csv").write_text("annotator,start,end,category\nann,0,4,x\nben,0,5,x\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("speaker,remark\nann,late\n", encoding="utf-8")
    notes = ga.read(tmp_path).notes
    assert f"{tmp_path.name}: read from a.csv; 1 other file is not read: b.csv" in notes


def test_a_folder_of_tables_in_another_encoding_says_so(tmp_path):
    (tmp_path / "kodierung.csv").write_bytes("Müller;Anfang;Ende\na;1;2\n".encode("cp1252"))
    with pytest.raises(InputError, match=r"kodierung\.csv, line 1: byte 0xfc .*encoding"):
        ga.read(tmp_path)
