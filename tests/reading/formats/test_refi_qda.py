"""REFI-QDA projects."""

import re
import zipfile

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "refi_qda"
TEXT = "One \U0001f642 day we went. "


def units(corpus):
    return sorted((name, *unit) for name in corpus.documents for unit in corpus[name].units())


def by_pattern(project):
    """Return the units of a project by searching its text, in the order of attributes that the samples have."""
    names = dict(re.findall(r'<(?:User|Code) guid="([^"]+)" name="([^"]+)"', project))
    found = []
    for source in project.split("<TextSource ")[1:]:
        document = re.search(r'name="([^"]+)"', source)[1]
        selections = re.findall(
            r'startPosition="(\d+)" endPosition="(\d+)" creatingUser="([^"]+)".*?targetGUID="([^"]+)"',
            source,
            re.DOTALL,
        )
        found += [(document, names[user], int(start), int(end), names[code]) for start, end, user, code in selections]
    return sorted(found)


def test_archive_and_project_have_the_same_units():
    project = (FOLDER / "interviews.qde").read_text(encoding="utf-8")
    for name in ("interviews.qde", "interviews.qdpx"):
        assert units(ga.read(FOLDER / name)) == by_pattern(project)
    assert ga.read(FOLDER / "interviews.qdpx")["anna"].extent == (0, 35)


def saved(folder, selections, text=TEXT, codes='<Code guid="c" name="x"/>'):
    inside = "".join(
        f'<PlainTextSelection startPosition="{start}" endPosition="{end}" creatingUser="u">'
        f'<Coding><CodeRef targetGUID="{code}"/></Coding></PlainTextSelection>'
        for start, end, code in selections
    )
    project = (
        '<Project xmlns="urn:QDA-XML:project:1.0"><Users><User guid="u" name="mira"/></Users>'
        f"<CodeBook><Codes>{codes}</Codes></CodeBook><Sources>"
        f'<TextSource name="d" plainTextPath="internal://t.txt">{inside}</TextSource></Sources></Project>'
    )
    path = folder / "p.qdpx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Project.qde", project)
        archive.writestr("sources/T.txt", text)
    return path


def test_the_unit_of_positions_is_the_one_that_fits_words(tmp_path):
    in_utf_16 = [(7, 10, "c"), (11, 13, "c"), (14, 18, "c")]
    corpus = ga.read(saved(tmp_path, in_utf_16))
    assert [unit[2:4] for unit in units(corpus)] == [(6, 9), (10, 12), (13, 17)]
    assert any("UTF-16" in note for note in corpus.notes)
    in_code_points = [(6, 9, "c"), (10, 12, "c"), (13, 17, "c")]
    assert units(ga.read(saved(tmp_path, in_code_points))) == units(corpus)


def test_positions_that_fit_no_words_are_asked_about(tmp_path):
    path = saved(tmp_path, [(8, 9, "c"), (7, 9, "c")])
    with pytest.raises(InputError, match="code points or UTF-16") as refused:
        ga.read(path)
    assert "offsets='utf-16'" in str(refused.value)
    assert [unit[2:4] for unit in units(ga.read(path, offsets="utf-16"))] == [(6, 8), (7, 8)]


def test_codes_of_one_name_are_told_apart_by_those_above(tmp_path):
    codes = '<Code guid="a" name="A"><Code guid="c" name="x"/></Code><Code guid="d" name="x"/>'
    corpus = ga.read(saved(tmp_path, [(0, 3, "c"), (0, 3, "d"), (0, 3, "a")], "One day", codes))
    assert corpus.categories == ("A", "A::x", "x")


@pytest.mark.parametrize(
    ("selections", "cause"),
    [
        ([(0, 3, "z")], "refers to 'z', which is no code"),
        ([("a", 3, "c")], "from 'a' to '3'"),
        ([], "no codings in it"),
    ],
)
def test_what_cannot_be_read_is_refused(selections, cause, tmp_path):
    with pytest.raises(InputError, match=cause):
        ga.read(saved(tmp_path, selections, "One day"))
