"""Work in a folder: an interrupted run is resumed, other work is refused, and the result is the same."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.data.parts import CorpusParts, Part
from gamma_align.errors import InputError, Location, Problem, SettingsError
from gamma_align.measures.gamma import measure, part_work
from gamma_align.reading import work_folder

BTC = ga.read(CORPORA / "btc_crowd")
CORPUS = BTC.select(documents=BTC.documents[:60])
CROWDED = ga.read(CORPORA / "hearst_kazantseva")  # pairs of annotators serve as a control variate
SETTINGS = ({}, {"samples": 9, "sampler": "documents"}, {"precision": 0.2, "precision_of": "documents"})
PIECES = ("observed", "aligned", "paired")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(measure, "PART_UNITS", 100)
    monkeypatch.setattr(work_folder.WorkFolder, "seconds", 0.0)


def pieces(folder, kind="*"):
    return sorted(folder.glob(f"*-{kind}-*.npz"))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("corpus", [CORPUS, CROWDED], ids=["short", "crowded"])
def test_the_result_equals_a_run_without_a_folder(tmp_path, corpus, settings):
    whole = ga.gamma(corpus, **settings)
    assert ga.gamma(corpus, work=tmp_path / "work", **settings) == whole
    assert len({path.name[:6] for path in pieces(tmp_path / "work")}) > 1  # parts
    assert ga.gamma(corpus, work=tmp_path / "work", **settings) == whole


def test_nothing_is_computed_twice(tmp_path, monkeypatch):
    done = ga.gamma(CROWDED, work=tmp_path)
    before = pieces(tmp_path)
    assert {path.name.split("-")[1] for path in before} == {*PIECES}
    monkeypatch.setattr(part_work, "align_samples", None)
    monkeypatch.setattr(part_work, "align_documents", None)
    monkeypatch.setattr(part_work, "align_pairs_of_samples", None)
    assert ga.gamma(CROWDED, work=tmp_path) == done
    assert pieces(tmp_path) == before


@pytest.mark.parametrize("kind", PIECES)
def test_missing_pieces_are_computed_again(tmp_path, kind):
    done = ga.gamma(CROWDED, work=tmp_path)
    lost = pieces(tmp_path, kind)[1::2]
    contents = {path: path.read_bytes() for path in pieces(tmp_path) if path not in lost}
    for path in lost:
        path.unlink()
    assert ga.gamma(CROWDED, work=tmp_path) == done
    assert {path: path.read_bytes() for path in contents} == contents


def test_work_with_other_data_or_settings_is_refused(tmp_path):
    ga.gamma(CORPUS, work=tmp_path, samples=3)
    with pytest.raises(SettingsError, match=r"holds other work: samples 3 there, 4 now, seed 0 there, 7 now; name ano"):
        ga.gamma(CORPUS, work=tmp_path, samples=4, seed=7)
    renamed = CORPUS.rename(documents={CORPUS.documents[-1]: f"{CORPUS.documents[-1]}!"})
    with pytest.raises(SettingsError, match="holds other work: other names; name another folder"):
        ga.gamma(renamed, work=tmp_path, samples=3)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"version": "{ga.__version__}"', '"version": "0.0"'))
    with pytest.raises(SettingsError, match=r'version "0.0" there, '):
        ga.gamma(CORPUS, work=tmp_path, samples=3)
    manifest.write_text("{")
    with pytest.raises(SettingsError, match=r"manifest.json cannot be read .*; name a new folder"):
        ga.gamma(CORPUS, work=tmp_path, samples=3)


def test_a_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(
        SettingsError, match=r"holds no work to go on with \(manifest.json is missing\); name a new fold"
    ):
        ga.gamma(CORPUS, work=tmp_path)
    with pytest.raises(SettingsError, match=r"cannot keep work in .*notes\.txt"):
        ga.gamma(CORPUS, work=tmp_path / "notes.txt")


def test_work_in_an_older_format_is_refused(tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"schema_version": 2, "version": ga.__version__}))
    with pytest.raises(SettingsError, match=r"holds work in the format of another version of gamma_align; name "):
        ga.gamma(CORPUS, work=tmp_path, samples=3)


@pytest.mark.parametrize(
    "damage",
    [lambda _: b"", lambda _: b"PAR1", lambda content: content[:-100]],
    ids=["empty", "other format", "cut off"],
)
def test_a_damaged_piece_is_named_with_the_cure(tmp_path, damage):
    ga.gamma(CORPUS, work=tmp_path, samples=3)
    piece = pieces(tmp_path)[0]
    piece.write_bytes(damage(piece.read_bytes()))
    with pytest.raises(InputError, match=r"000000-aligned-000000.npz: the file cannot be read: .*; remove the f"):
        ga.gamma(CORPUS, work=tmp_path, samples=3)


def test_every_changed_byte_is_detected_or_harmless(tmp_path):
    store = work_folder.WorkFolder(tmp_path, "work")
    column = np.arange(40.0)
    store.save(0, "aligned", {"disorder": column})
    piece = pieces(tmp_path)[0]
    content = piece.read_bytes()
    detected = 0
    for index in range(len(content)):
        piece.write_bytes(content[:index] + bytes([content[index] ^ 0x55]) + content[index + 1 :])
        try:
            (loaded,) = store.load(0, "aligned")
        except InputError:
            detected += 1
            continue
        # for example the date of a member
        assert {name: values.tolist() for name, values in loaded.items()} == {"disorder": column.tolist()}
    assert detected > len(content) / 2


@pytest.mark.parametrize("name", ["000001-aligned-000000.npz", "000000-aligned-000007.npz"], ids=["part", "work"])
def test_a_piece_of_other_work_is_refused(tmp_path, name):
    for folder, seed in (("one", 1), ("other", 2)):
        ga.gamma(CORPUS, work=tmp_path / folder, samples=3, seed=seed)
    shutil.copy(pieces(tmp_path / ("one" if name.startswith("000001") else "other"))[0], tmp_path / "one" / name)
    with pytest.raises(InputError, match=rf"{name}: the file cannot be read: it belongs to other work; remove"):
        ga.gamma(CORPUS, work=tmp_path / "one", samples=3, seed=1)


def test_columns_are_loaded_as_they_were_saved(tmp_path):
    columns = {
        "document": np.arange(3),
        "disorder": np.array([0.1, np.nan, -0.0]),
        "lowered": np.array([True, False, True]),
        "category_k": np.zeros(0, dtype=np.int32),
    }
    work_folder.WorkFolder(tmp_path, "work").save(4, "observed", columns)
    (loaded,) = work_folder.WorkFolder(tmp_path, "work").load(4, "observed")
    assert [*loaded] == [*columns]
    for name, column in columns.items():
        assert loaded[name].dtype == column.dtype
        assert loaded[name].tobytes() == column.tobytes()


def test_a_new_piece_never_overwrites_one_after_a_removal(tmp_path):
    store = work_folder.WorkFolder(tmp_path, "work")
    for number in range(3):
        store.save(0, "aligned", {"document": np.array([number])})
    pieces(tmp_path)[1].unlink()
    store.save(0, "aligned", {"document": np.array([3])})
    assert [piece["document"].tolist() for piece in store.load(0, "aligned")] == [[0], [2], [3]]


def test_work_is_stored_without_pyarrow(tmp_path):
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import gamma_align as ga\n"
        "units = [('d', 'a', 0, 4, 'x'), ('d', 'b', 1, 5, 'x')]\n"
        f"first, again = (ga.gamma(units, samples=3, work={str(tmp_path)!r}) for _ in range(2))\n"
        "assert first == again"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert len(pieces(tmp_path)) > 0


def test_two_processes_do_not_work_in_one_folder(tmp_path):
    pytest.importorskip("fcntl")
    with work_folder.locked_folder(tmp_path), pytest.raises(SettingsError, match="another process works in"):
        ga.gamma(CORPUS, work=tmp_path, samples=3)
    assert ga.gamma(CORPUS, work=tmp_path, samples=3).documents


class Faulty(CorpusParts):
    """Parts of which one leaves documents out."""

    def __getitem__(self, index):
        part = super().__getitem__(index)
        return Part(part.corpus, (Problem(Location("units.parquet", f"row {index}"), "no such bound"),) * (index == 1))


def test_data_in_parts_refuse_the_sampler_of_other_documents():
    with pytest.raises(SettingsError, match=r"needs the whole corpus in memory, .*; use sampler='shift'"):
        ga.gamma(Faulty(CORPUS, 100), samples=4, sampler="documents")


def test_data_in_parts_use_a_temporary_folder(monkeypatch):
    folders = []
    monkeypatch.setattr(work_folder.WorkFolder, "__init__", _noting(work_folder.WorkFolder.__init__, folders))
    result = ga.gamma(Faulty(CORPUS, 100), samples=4)
    assert result.documents == ga.gamma(CORPUS, samples=4).documents
    assert result.problems == ("units.parquet, row 1: no such bound",)
    assert result.to_dict()["problems"] == [*result.problems]
    assert len(folders) == 1
    assert not folders[0].exists()


def _noting(function, folders):
    def noting(self, folder, work):
        folders.append(folder)
        function(self, folder, work)

    return noting


PROGRAM = """
import sys, json
import gamma_align as ga
from gamma_align.measures.gamma import measure
from gamma_align.measures.gamma import tasks
from gamma_align.reading.work_folder import WorkFolder
measure.PART_UNITS, WorkFolder.seconds, tasks._TASK_UNITS = 100, 0.0, 300
corpus = ga.read({source!r}).documents_between(0, {documents})
result = ga.gamma(corpus, work=sys.argv[1], seed=3)
print(json.dumps(result.to_dict()))
"""


def resume_after_kills(folder, source, documents, kills):
    """Return the output of a program that is killed at random moments and resumed, and the output without kills."""
    command = [sys.executable, "-c", PROGRAM.format(source=str(CORPORA / source), documents=documents), str(folder)]
    draw = random.Random(5)  # noqa: S311  (moments, not secrets)
    for _ in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        n_required = len(pieces(folder)) + 1
        while process.poll() is None and len(pieces(folder)) < n_required:
            time.sleep(0.001)
        time.sleep(draw.uniform(0, 0.05))
        assert process.poll() is None, "all is done, and it was to be killed more often"
        process.kill()
        process.wait()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    corpus = ga.read(CORPORA / source).documents_between(0, documents)
    return json.loads(done.stdout), ga.gamma(corpus, seed=3).to_dict()


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.scheduled)])
def test_the_result_is_the_same_after_kills(tmp_path, kills):
    resumed, expected = resume_after_kills(tmp_path, "btc_crowd", 100 if kills < 20 else 1000, kills)
    assert resumed == json.loads(json.dumps(expected))
