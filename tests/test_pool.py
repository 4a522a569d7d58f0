"""Rows of documents, made part by part and pooled in any order, give the result of the whole: bytes and all."""

from __future__ import annotations

import json
import pickle
import random
from dataclasses import replace

import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.errors import InputError, SettingsError

SETTINGS = {
    "samples": {"samples": 5},
    "documents": {"precision_of": "documents", "precision": 0.3, "seed": 3},
    "ones": {"samples": 8, "empty_samples": "one", "conventions": "authors"},
}
EMPTY_DOCUMENT = ga.Corpus.from_records(
    [("one annotator", "ann", 0, 4, "only here"), ("no label", "ann", 1, 4, None), ("no label", "bob", 2, 6, None)],
    documents=["empty"],
)
SALAMI = ga.read(CORPORA / "salami").documents_between(0, 25).merge(replace(EMPTY_DOCUMENT, length_unit="s"))
CROWDED = ga.read(CORPORA / "hearst_kazantseva")
CATEGORIES = ga.Corpus.from_records(
    [
        (f"d{number}", person, start + shift, start + shift + 3, f"of {(number + start) % 4}" if start < 20 else None)
        for number in range(8)
        for person, shift in (("ann", 0), ("bob", number % 3), ("cy", 1))
        for start in range(0, 25, 5)
        if (number + start + shift) % 7
    ]
)
CORPORA_OF_UNITS = {"salami": SALAMI, "crowded": CROWDED, "categories": CATEGORIES}


def cut(corpus, seed):
    """Return parts of a corpus in an order by chance; each knows its own names alone, as if read from a file."""
    draw = random.Random(seed)  # noqa: S311  (an order, no secret)
    names = [*corpus.documents]
    draw.shuffle(names)
    parts = []
    while names:
        size = draw.randint(1, 5)
        parts.append(replace(corpus.select(documents=names[:size]), notes=corpus.notes))
        names = names[size:]
    return parts


def written(result):
    return json.dumps(result.to_dict(), ensure_ascii=False)


@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("corpus", CORPORA_OF_UNITS.values(), ids=CORPORA_OF_UNITS)
def test_pooled_rows_of_gamma_are_the_result(corpus, options):
    settings = ga.GammaSettings.of(**options)
    rows = [ga.document_statistics(part, settings) for part in cut(corpus, 1)]
    assert written(ga.pool(rows, settings)) == written(ga.gamma(corpus, **options))
    assert ga.pool(rows[::-1], settings) == ga.gamma(corpus, **options)


@pytest.mark.parametrize("overlap", ["refuse", "layers"])
@pytest.mark.parametrize("corpus", CORPORA_OF_UNITS.values(), ids=CORPORA_OF_UNITS)
def test_pooled_rows_of_the_unitizing_family_are_the_result(corpus, overlap):
    settings = ga.UnitizingSettings.of(overlap=overlap)
    rows = [ga.document_statistics(part, settings) for part in cut(corpus, 2)]
    assert written(ga.pool(rows, settings)) == written(ga.unitizing_alpha(corpus, overlap=overlap))


ALL_SETTINGS = [ga.GammaSettings.of(samples=3), ga.UnitizingSettings.of(), ga.UnitizingSettings.of(overlap="layers")]


@pytest.mark.parametrize("settings", ALL_SETTINGS, ids=["gamma", "unitizing", "layers"])
@pytest.mark.parametrize("backend", ["pyarrow", "pandas", "polars"])
def test_rows_go_through_frames_in_any_order(settings, backend):
    rows = ga.document_statistics(CATEGORIES, settings)
    frame = rows.to_frame(backend)
    assert type(rows).from_frame(frame) == rows
    columns = ga.document_statistics(CATEGORIES, settings).to_frame("pyarrow").to_pydict()
    order = [*range(len(columns["document"]))]
    random.Random(3).shuffle(order)  # noqa: S311  (an order, no secret)
    shuffled = {name: [column[row] for row in order] for name, column in columns.items()}
    assert type(rows).from_frame(shuffled) == rows
    assert pickle.loads(pickle.dumps(rows)) == rows  # noqa: S301  (our own)


def test_rows_of_dependent_parts_are_refused():
    with pytest.raises(SettingsError, match="set samples= or precision_of='documents'"):
        ga.document_statistics(CATEGORIES, ga.GammaSettings.of())
    with pytest.raises(SettingsError, match=r"the units of other documents, .* use sampler='shift'"):
        ga.document_statistics(CATEGORIES, ga.GammaSettings.of(samples=3, sampler="documents"))


@pytest.mark.parametrize("settings", ALL_SETTINGS[:2], ids=["gamma", "unitizing"])
def test_rows_that_cannot_be_pooled_are_refused(settings):
    rows = ga.document_statistics(CATEGORIES, settings)
    with pytest.raises(InputError, match=r"documents are in several rows: 'd0', 'd1', .*; keep one row of each"):
        ga.pool([rows, rows], settings)
    changed = replace(settings, **({"seed": 4} if settings is ALL_SETTINGS[0] else {"overlap": "layers"}))
    with pytest.raises(SettingsError, match=r"rows were made with other settings, or by another version \('d0', 'd1'"):
        ga.pool([rows], changed)
    elsewhere = ga.document_statistics(replace(SALAMI, length_unit="min"), settings)
    with pytest.raises(InputError, match="bounds have different units of length: None, min"):
        ga.pool([rows, elsewhere], settings)
    with pytest.raises(InputError, match="there are no rows to pool"):
        ga.pool([], settings)
    columns = rows.to_frame("pyarrow").to_pydict()
    with pytest.raises(InputError, match="the data frame has no column 'made_with', so it does not contain rows"):
        type(rows).from_frame({name: column for name, column in columns.items() if name != "made_with"})
    with pytest.raises(InputError, match=r"document 'd0' has 0 rows of (gamma|counts), and must have one"):
        type(rows).from_frame({name: column[1:] for name, column in columns.items()})
    columns["made_with"][0] = "x"
    with pytest.raises(InputError, match="the rows have different settings: "):
        type(rows).from_frame(columns)


def test_one_document_of_the_unitizing_family_is_refused():
    settings = ga.UnitizingSettings.of()
    rows = ga.document_statistics(CATEGORIES.select(documents="d3"), settings)
    with pytest.raises(InputError, match=r"only one document can be measured, 'd3', .* with ga.unitizing_alpha\(\)$"):
        ga.pool([rows], settings)
