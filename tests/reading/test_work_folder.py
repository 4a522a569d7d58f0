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
from gamma_align.errors import GammaAlignWarning, Location, Problem, SettingsError
from gamma_align.measures.gamma import measure, part_work, tasks
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
    (tmp_path / "manifest.json").write_text(json.dumps({"schema_version": 3, "version": ga.__version__}))
    with pytest.raises(SettingsError, match=r"holds work in the format of another version of gamma_align; name "):
        ga.gamma(CORPUS, work=tmp_path, samples=3)


def set_aside(folder):
    return sorted((folder / "set_aside").glob("*"))


DAMAGE = {
    "empty": lambda _: b"",
    "other format": lambda _: b"PAR1",
    "cut off": lambda content: content[:-100],
    "longer": lambda content: content + b"\0",
    "one bit": lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_piece_is_set_aside_and_computed_again(tmp_path, damage):
    done = ga.gamma(CORPUS, work=tmp_path, samples=3)
    piece = pieces(tmp_path)[0]
    content = piece.read_bytes()
    piece.write_bytes(damage(content))
    with pytest.warns(
        GammaAlignWarning, match=r"aligned-000000.npz is damaged; it is set aside in .*set_aside, and its"
    ):
        assert ga.gamma(CORPUS, work=tmp_path, samples=3) == done
    assert [path.read_bytes() for path in set_aside(tmp_path)] == [damage(content)]
    assert ga.gamma(CORPUS, work=tmp_path, samples=3) == done  # without a warning


def test_every_changed_byte_is_detected(tmp_path):
    store = work_folder.WorkFolder(tmp_path, "work")
    store.save(0, "aligned", {"disorder": np.arange(40.0)})
    piece = pieces(tmp_path)[0]
    content = piece.read_bytes()
    for index in range(len(content)):
        piece.write_bytes(content[:index] + bytes([content[index] ^ 0x55]) + content[index + 1 :])
        with pytest.warns(GammaAlignWarning, match="is damaged"):
            assert [*store.load(0, "aligned")] == []
    assert len(set_aside(tmp_path)) == len(content)


WRONG_NAMES = {
    "000001-aligned-000000.npz": "has another name",
    "000000-aligned-000007.npz": "has another name",
    "000000-observed-000001.npz": "has another name",
    "000000-aligned-000008.npz": "belongs to other work",
}


@pytest.mark.parametrize("name", WRONG_NAMES)
def test_a_piece_of_other_work_or_under_another_name_is_set_aside(tmp_path, name):
    done = [ga.gamma(CORPUS, work=tmp_path / f"{seed}", samples=3, seed=seed) for seed in (1, 2)]
    source = pieces(tmp_path / ("2" if "other work" in WRONG_NAMES[name] else "1"))[0]
    shutil.copy(source, tmp_path / "1" / name)
    with pytest.warns(GammaAlignWarning, match=f"{name} {WRONG_NAMES[name]}; it is set aside"):
        assert ga.gamma(CORPUS, work=tmp_path / "1", samples=3, seed=1) == done[0]
    assert len(set_aside(tmp_path / "1")) == 1


def test_pieces_from_a_copy_of_the_folder_count_once(tmp_path, monkeypatch):
    one, other = tmp_path / "one", tmp_path / "other"
    done = ga.gamma(CROWDED, work=one)
    shutil.copytree(one, other)
    for path in [*pieces(other, "aligned"), *pieces(other, "observed")]:
        path.unlink()
    monkeypatch.setattr(part_work, "_INLINE_COST_MAX", 0)
    monkeypatch.setattr(tasks, "_TASK_UNITS", 30)  # the same results, in other pieces
    assert ga.gamma(CROWDED, work=other) == done
    names = {path.name for path in pieces(one)}
    further = [path for path in pieces(other) if path.name not in names]
    assert len(further) > 10
    for path in further:
        shutil.copy(path, one)
    assert ga.gamma(CROWDED, work=one) == done
    assert not set_aside(one)


def test_a_piece_that_cannot_be_read_is_an_error_with_the_cure(tmp_path, monkeypatch):
    ga.gamma(CORPUS, work=tmp_path, samples=3)

    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(tmp_path), "read_bytes", refuse)
    with pytest.raises(
        SettingsError, match=r"cannot read .*000000.npz: Permission denied; make it readable, or remove"
    ):
        ga.gamma(CORPUS, work=tmp_path, samples=3)


def change_at_random(folder, other, draw):
    """Flip, cut, remove, copy, rename or exchange a file of a folder of work, as a faulty disk or hand does."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "lock"]
    path = draw.choice(files)
    content = path.read_bytes()
    match draw.choice(["flip", "cut", "remove", "copy", "rename", "swap", "foreign", "empty folder"]):
        case "flip":
            flipped = bytearray(content or b"0")
            flipped[draw.randrange(len(flipped))] ^= 1 << draw.randrange(8)
            path.write_bytes(flipped)
        case "cut":
            path.write_bytes(content[: draw.randrange(len(content) + 1)])
        case "remove":
            path.unlink()
        case "copy":
            shutil.copy(path, folder / f"{draw.randrange(3):06}-{draw.choice(PIECES)}-{draw.randrange(9):06}.npz")
        case "rename":
            path.rename(folder / f"000000-{draw.choice(PIECES)}-{draw.randrange(9):06}.npz")
        case "swap":
            second = draw.choice(files)
            theirs = second.read_bytes()
            second.write_bytes(content)
            path.write_bytes(theirs)
        case "foreign":
            shutil.copy(draw.choice(pieces(other)), folder)
        case "empty folder":
            (folder / f"{draw.randrange(3):06}-aligned-000009.npz").mkdir(exist_ok=True)


@pytest.mark.filterwarnings("ignore::gamma_align.errors.GammaAlignWarning")
@pytest.mark.parametrize("count", [25, pytest.param(200, marks=pytest.mark.scheduled)])
def test_a_corrupted_folder_gives_the_same_result_or_is_refused(tmp_path, count):
    done = ga.gamma(CORPUS, work=tmp_path / "work", samples=3, seed=1)
    ga.gamma(CORPUS, work=tmp_path / "other", samples=3, seed=2)
    n_refused = 0
    for seed in range(count):
        folder, draw = tmp_path / f"{seed}", random.Random(seed)  # noqa: S311  (no secrets)
        shutil.copytree(tmp_path / "work", folder)
        for _ in range(draw.randrange(1, 6)):
            change_at_random(folder, tmp_path / "other", draw)
        try:
            assert ga.gamma(CORPUS, work=folder, samples=3, seed=1) == done, seed
        except SettingsError:
            n_refused += 1  # the manifest is gone or another one
        shutil.rmtree(folder)
    assert n_refused < count / 2


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
