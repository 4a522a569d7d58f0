"""PubTator."""

import pytest
from places import FORMATS

import gamma_align as ga
from gamma_align.errors import InputError

FOLDER = FORMATS / "pubtator"
TEXT = "1|t|Aspirin\n1|a|It helps.\n"


def units(corpus):
    return [(name, *unit) for name in corpus.documents for unit in corpus[name].units()]


def test_the_samples_have_a_unit_for_each_entity():
    expected = []
    for who in ("ana", "ben"):
        for line in (FOLDER / f"{who}.pubtator").read_text(encoding="utf-8").splitlines():
            cells = line.split("\t")
            if len(cells) > 4:
                expected.append((cells[0], who, int(cells[1]), int(cells[2]), cells[4]))
    assert sorted(units(ga.read(FOLDER))) == sorted(expected)


def test_a_document_without_entities_was_seen(tmp_path):
    for who, more in (("ana", "1\t0\t7\tAspirin\tChemical\n"), ("ben", "")):
        (tmp_path / f"{who}.txt").write_text(TEXT + more, encoding="utf-8")
    assert set(ga.read(tmp_path)["1"].annotators) == {"ana", "ben"}


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("1\t1\t7\tAspirin\tChemical", "'spirin'"),
        ("1\t0\tx\tAspirin\tChemical", "line 3: .*is no entity"),
        ("2\t0\t7\tAspirin\tChemical", "line 3: the document '2' has no title"),
        ("no tabs", "line 3: .*is no entity"),
    ],
)
def test_wrong_lines_are_refused(line, cause, tmp_path):
    (tmp_path / "ana.txt").write_text(f"{TEXT}{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=cause):
        ga.read(tmp_path / "ana.txt")
