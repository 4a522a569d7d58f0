"""Work in a folder: an interrupted run is resumed, other work is refused, and the result is the same."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from damaged_folders import DAMAGES, KINDS, damage, pieces
from places import CORPORA

import gamma_align as ga
from gamma_align.data.parts import CorpusParts, Part
from gamma_align.errors import GammaAlignWarning, Location, Problem, SettingsError
from gamma_align.measures.gamma import measure
from gamma_align.reading import work_folder
from gamma_align.work import part_tasks, tasks

BTC = ga.read(CORPORA / "btc_crowd")
CORPUS = BTC.select(documents=BTC.documents[:60])
CROWDED = ga.read(CORPORA / "hearst_kazantseva")  # pairs of annotators serve as a control variate
WORK = {"settings": "1f", "data": "2e"}
SETTINGS = ({}, {"samples": 9, "sampler": "documents"}, {"precision": 0.2, "precision_of": "documents"})


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(measure, "PART_UNITS", 100)
    monkeypatch.setattr(work_folder.WorkFolder, "seconds", 0.0)


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
    assert {path.name.split("-")[1] for path in before} == {*KINDS}
    monkeypatch.setattr(part_tasks, "align_samples", None)
    monkeypatch.setattr(part_tasks, "align_documents", None)
    monkeypatch.setattr(part_tasks, "expect_controls", None)
    assert ga.gamma(CROWDED, work=tmp_path) == done
    assert pieces(tmp_path) == before


@pytest.mark.parametrize("kind", KINDS)
def test_missing_pieces_are_computed_again(tmp_path, kind):
    done = ga.gamma(CROWDED, work=tmp_path)
    lost = pieces(tmp_path, kind)[1::2]
    contents = {path: path.read_bytes() for path in pieces(tmp_path) if path not in lost}
    for path in lost:
        path.unlink()
    assert ga.gamma(CROWDED, work=tmp_path) == done
    assert {path: path.read_bytes() for path in contents} == contents


def test_work_with_other_data_or_settings_is_refused(tmp_path, monkeypatch):
    ga.gamma(CORPUS, work=tmp_path, samples=3)
    manifest = (tmp_path / "manifest.json").read_bytes()
    with pytest.raises(
        SettingsError,
        match=r"holds other work: samples 3 there, 4 now, seed 0 there, 7 now; name another folder, .* to begin anew$",
    ):
        ga.gamma(CORPUS, work=tmp_path, samples=4, seed=7)
    ga.gamma(CORPUS, work=tmp_path / "4", samples=4, seed=7)
    for path in pieces(tmp_path / "4"):
        shutil.copy(path, tmp_path)
    with pytest.raises(SettingsError, match="holds other work: samples 3 there"):  # whosever the pieces are
        ga.gamma(CORPUS, work=tmp_path, samples=4, seed=7)
    assert (tmp_path / "manifest.json").read_bytes() == manifest
    renamed = CORPUS.rename(documents={CORPUS.documents[-1]: f"{CORPUS.documents[-1]}!"})
    with pytest.raises(SettingsError, match="holds other work: other names; name another folder"):
        ga.gamma(renamed, work=tmp_path, samples=3)
    monkeypatch.setattr(work_folder, "__version__", "0.0")
    with pytest.raises(SettingsError, match=f'version "{ga.__version__}" there, "0.0" now'):
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


MANIFESTS = {
    "missing": None,
    "empty": b"",
    "a list": b"[]",
    "deep": b"[" * 100_000,
    "without a checksum": b'{"schema_version": 5, "settings": {}}',
    "one digit": lambda content: content.replace(b'"samples": 3', b'"samples": 2'),
    "its version": lambda content: content.replace(b'"schema_version": 5', b'"schema_version": 4'),
}


@pytest.mark.parametrize("change", MANIFESTS.values(), ids=MANIFESTS)
def test_a_missing_or_damaged_manifest_is_written_again_if_there_are_results_of_this_work(tmp_path, change):
    done = ga.gamma(CORPUS, work=tmp_path, samples=3)
    manifest = tmp_path / "manifest.json"
    content = manifest.read_bytes()
    changed = change(content) if callable(change) else change
    assert changed != content

    def change_manifest():
        manifest.unlink()
        if changed is not None:
            manifest.write_bytes(changed)

    change_manifest()
    problem = "is missing" if changed is None else "manifest.json is damaged"
    with pytest.warns(GammaAlignWarning, match=rf"{problem}.*; it is written again, because the folder has results"):
        assert ga.gamma(CORPUS, work=tmp_path, samples=3) == done
    assert manifest.read_bytes() == content

    change_manifest()
    with pytest.raises(SettingsError, match=f"{problem}.*; name a new folder$"):
        ga.gamma(CORPUS, work=tmp_path, samples=3, seed=8)
    assert not set_aside(tmp_path)
    for path in pieces(tmp_path):
        path.write_bytes(b"")
    with pytest.raises(SettingsError, match=f"{problem}.*; name a new folder$"):
        ga.gamma(CORPUS, work=tmp_path, samples=3)


def test_a_folder_for_a_manifest_is_refused(tmp_path):
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(SettingsError, match=r"cannot read .*manifest.json: Is a directory; name a new folder"):
        ga.gamma(CORPUS, work=tmp_path, samples=3)


DAMAGED_PIECES = {
    "empty": lambda _: b"",
    "other format": lambda _: b"PAR1",
    "cut off": lambda content: content[:-100],
    "longer": lambda content: content + b"\0",
    "one bit": lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
}


@pytest.mark.parametrize("change", DAMAGED_PIECES.values(), ids=DAMAGED_PIECES)
def test_a_damaged_piece_is_set_aside_and_computed_again(tmp_path, change):
    done = ga.gamma(CORPUS, work=tmp_path, samples=3)
    piece = pieces(tmp_path)[0]
    content = piece.read_bytes()
    piece.write_bytes(change(content))
    with pytest.warns(GammaAlignWarning, match=rf"{piece.name} is damaged; it is set aside in .*set_aside, and its"):
        assert ga.gamma(CORPUS, work=tmp_path, samples=3) == done
    assert [path.read_bytes() for path in set_aside(tmp_path)] == [change(content)]
    assert ga.gamma(CORPUS, work=tmp_path, samples=3) == done  # without a warning


def test_every_changed_byte_is_detected(tmp_path):
    store = work_folder.WorkFolder(tmp_path, WORK)
    store.save(0, "aligned", {"disorder": np.arange(40.0)})
    piece = pieces(tmp_path)[0]
    content = piece.read_bytes()
    for index in range(len(content)):
        piece.write_bytes(content[:index] + bytes([content[index] ^ 0x55]) + content[index + 1 :])
        with pytest.warns(GammaAlignWarning, match="is damaged"):
            assert [*store.load(0, "aligned")] == []
    assert len(set_aside(tmp_path)) == len(content)


@pytest.mark.parametrize(
    ("part", "kind", "digits"), [("000001", "aligned", ""), ("000000", "observed", ""), ("000000", "aligned", "0" * 16)]
)
def test_a_piece_under_another_name_is_set_aside(tmp_path, part, kind, digits):
    done = ga.gamma(CORPUS, work=tmp_path, samples=3)
    source = pieces(tmp_path, "aligned")[0]
    copy = tmp_path / f"{part}-{kind}-{digits or source.stem[-16:]}.npz"
    shutil.copy(source, copy)
    with pytest.warns(GammaAlignWarning, match=f"{copy.name} has another name: it was {source.name}; it is set aside"):
        assert ga.gamma(CORPUS, work=tmp_path, samples=3) == done
    assert len(set_aside(tmp_path)) == 1


def test_a_file_with_a_name_that_no_piece_has_is_set_aside(tmp_path):
    done = ga.gamma(CORPUS, work=tmp_path, samples=3)
    source = pieces(tmp_path)[0]
    source.rename(tmp_path / "copy (1).npz")
    with pytest.warns(GammaAlignWarning, match=r"copy \(1\).npz has another name; it is set aside"):
        assert ga.gamma(CORPUS, work=tmp_path, samples=3) == done


OTHER_WORK = {
    "other settings": {"seed": 2},
    "other data": {"corpus": BTC.select(documents=BTC.documents[60:120])},
    "other version": {"version": "0.0"},
}


@pytest.mark.parametrize("reason", OTHER_WORK)
def test_a_piece_of_other_work_is_set_aside(tmp_path, monkeypatch, reason):
    options = OTHER_WORK[reason]
    with monkeypatch.context() as patch:
        patch.setattr(work_folder, "__version__", options.get("version", ga.__version__))
        ga.gamma(options.get("corpus", CORPUS), work=tmp_path / "2", samples=3, seed=options.get("seed", 1))
    done = ga.gamma(CORPUS, work=tmp_path / "1", samples=3, seed=1)
    source = pieces(tmp_path / "2")[0]
    shutil.copy(source, tmp_path / "1")
    with pytest.warns(GammaAlignWarning, match=rf"{source.name} belongs to other work \({reason}\); it is set aside"):
        assert ga.gamma(CORPUS, work=tmp_path / "1", samples=3, seed=1) == done
    assert len(set_aside(tmp_path / "1")) == 1


def test_the_same_results_are_the_same_file(tmp_path):
    store = work_folder.WorkFolder(tmp_path, WORK)
    for number in (0, 0, 1, 1, 0):
        store.save(0, "aligned", {"document": np.array([number])})
    assert len(pieces(tmp_path)) == 2


def test_a_piece_describes_its_work_its_part_and_its_range(tmp_path):
    columns = {"document": np.array([3, 4, 4]), "number": np.array([0, 7, 9]), "disorder": np.zeros(3)}
    work_folder.WorkFolder(tmp_path, WORK).save(5, "aligned", columns)
    with zipfile.ZipFile(pieces(tmp_path)[0]) as archive:
        assert json.loads(archive.read("piece.json")) == {
            "work": WORK,
            "part": 5,
            "kind": "aligned",
            "range": {"document": [3, 4], "number": [0, 9]},
            "columns": [*columns],
        }


def test_two_writers_do_not_overwrite_each_other(tmp_path):
    stores = [work_folder.WorkFolder(tmp_path, WORK) for _ in range(2)]  # as on a system without locks
    for number, store in enumerate(stores):
        store.save(0, "aligned", {"document": np.array([number])})
    assert sorted(piece["document"].item() for piece in stores[0].load(0, "aligned")) == [0, 1]


def test_pieces_from_a_copy_of_the_folder_count_once(tmp_path, monkeypatch):
    one, other = tmp_path / "one", tmp_path / "other"
    done = ga.gamma(CROWDED, work=one)
    shutil.copytree(one, other)
    for path in [*pieces(other, "aligned"), *pieces(other, "observed")]:
        path.unlink()
    monkeypatch.setattr(part_tasks, "_INLINE_COST_MAX", 0)
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

    read_bytes = type(tmp_path).read_bytes

    def read_no_piece(path):
        if path.suffix == ".npz":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(type(tmp_path), "read_bytes", read_no_piece)
    with pytest.raises(SettingsError, match=r"cannot read .*.npz: Permission denied; make it readable, or remove"):
        ga.gamma(CORPUS, work=tmp_path, samples=3)


@pytest.mark.filterwarnings("ignore::gamma_align.errors.GammaAlignWarning")
@pytest.mark.parametrize("count", [25, pytest.param(200, marks=pytest.mark.release)])
def test_a_damaged_folder_gives_the_same_result_or_is_refused(tmp_path, count):
    done = ga.gamma(CORPUS, work=tmp_path / "work", samples=3, seed=1)
    others = [tmp_path / "other seed", tmp_path / "other data"]
    ga.gamma(CORPUS, work=others[0], samples=3, seed=2)
    ga.gamma(BTC.select(documents=BTC.documents[60:120]), work=others[1], samples=3, seed=1)
    n_files = len([*(tmp_path / "work").iterdir()])
    n_refused = 0
    for seed in range(count):
        folder, draw = tmp_path / f"{seed}", random.Random(seed)  # noqa: S311  (no secrets)
        shutil.copytree(tmp_path / "work", folder)
        ways = damage(folder, others, draw)
        try:
            assert ga.gamma(CORPUS, work=folder, samples=3, seed=1) == done, (seed, ways)
            assert ga.gamma(CORPUS, work=folder, samples=3, seed=1) == done, (seed, ways)
        except SettingsError:
            n_refused += 1  # the manifest is the one of other work
        assert len([*folder.rglob("*")]) <= 2 * n_files + len(ways) + 2, (seed, ways)
        shutil.rmtree(folder)
    assert n_refused < count / 4


@pytest.mark.filterwarnings("ignore::gamma_align.errors.GammaAlignWarning")
@pytest.mark.parametrize("way", DAMAGES)
def test_each_way_of_damage_changes_a_folder_and_no_result(tmp_path, way):
    done = ga.gamma(CORPUS, work=tmp_path / "work", samples=3, seed=1)
    ga.gamma(CORPUS, work=tmp_path / "other", samples=3, seed=2)
    before = contents(tmp_path / "work")
    draw = random.Random(way)  # noqa: S311  (no secrets)
    while contents(tmp_path / "work") == before:
        DAMAGES[way](tmp_path / "work", [tmp_path / "other"], draw)
    try:
        assert ga.gamma(CORPUS, work=tmp_path / "work", samples=3, seed=1) == done
    except SettingsError as error:
        assert "holds other work" in str(error)  # noqa: PT017


def contents(folder):
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


def test_columns_are_loaded_as_they_were_saved(tmp_path):
    columns = {
        "document": np.arange(3),
        "disorder": np.array([0.1, np.nan, -0.0]),
        "lowered": np.array([True, False, True]),
        "category_k": np.zeros(0, dtype=np.int32),
    }
    work_folder.WorkFolder(tmp_path, WORK).save(4, "observed", columns)
    (loaded,) = work_folder.WorkFolder(tmp_path, WORK).load(4, "observed")
    assert [*loaded] == [*columns]
    for name, column in columns.items():
        assert loaded[name].dtype == column.dtype
        assert loaded[name].tobytes() == column.tobytes()


@pytest.mark.surfaces
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
import json, os, sys
import gamma_align as ga
from gamma_align.measures.gamma import measure
from gamma_align.work import tasks
from gamma_align.reading.work_folder import WorkFolder
measure.PART_UNITS, WorkFolder.seconds, tasks._TASK_UNITS, tasks._SHIFTED_TASK_UNITS = 100, 0.0, 300, 300
events = 0

def kill(*_):
    global events
    events += 1
    if events == n_events:
        os.kill(os.getpid(), 9)

def save_and_await_the_kill(*arguments):
    save(*arguments)
    sys.setprofile(kill)

if len(sys.argv) > 2:
    n_events, save = int(sys.argv[2]), WorkFolder.save
    WorkFolder.save = save_and_await_the_kill
corpus = ga.read({source!r}).documents_between(0, {documents})
result = ga.gamma(corpus, work=sys.argv[1], seed=3)
print(json.dumps(result.to_dict()))
"""


def resume_after_kills(folder, source, documents, kills):
    """Return the output of a program that is killed at random moments and resumed, and the output without kills.

    A moment is a number of calls and returns after the first piece of a run is saved.
    """
    command = [sys.executable, "-c", PROGRAM.format(source=str(CORPORA / source), documents=documents), str(folder)]
    draw = random.Random(5)  # noqa: S311  (moments, not secrets)
    for _ in range(kills):
        n_before = len(pieces(folder))
        killed = subprocess.run([*command, str(draw.randrange(1, 20_000))], stdout=subprocess.PIPE, check=False)
        assert (killed.returncode != 0, killed.stdout) == (True, b""), "all is done before the last kill"
        assert len(pieces(folder)) > n_before
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    corpus = ga.read(CORPORA / source).documents_between(0, documents)
    return json.loads(done.stdout), ga.gamma(corpus, seed=3).to_dict()


@pytest.mark.surfaces
@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.release)])
def test_the_result_is_the_same_after_kills(tmp_path, kills):
    resumed, expected = resume_after_kills(tmp_path, "btc_crowd", 400 if kills < 20 else 1200, kills)
    assert resumed == json.loads(json.dumps(expected))
