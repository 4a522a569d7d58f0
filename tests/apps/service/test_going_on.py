"""A measurement that was cancelled goes on from what it did."""

import numpy as np
import pytest
from places import CORPORA

import gamma_align as ga
from gamma_align.api.gamma import gamma
from gamma_align.apps.service import going_on
from gamma_align.apps.service.going_on import WorkSoFar, work_so_far
from gamma_align.chance import draws
from gamma_align.reading.work_folder import WorkFolder
from gamma_align.work import part_tasks, tasks

CORPUS = ga.read(CORPORA / "btc_crowd").documents_between(0, 60)
PIECE = {"document": np.arange(3), "disorder": np.array([0.1, np.nan, 2.0])}


class EnoughError(Exception):
    """Ends a measurement."""


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(WorkSoFar, "seconds", 0.0)


def loaded(work, kind="aligned"):
    return [{name: column.tolist() for name, column in piece.items()} for piece in work.load(0, kind)]


@pytest.mark.usefixtures("at_once")
def test_pieces_are_read_as_they_were_written_until_the_end(tmp_path):
    with work_so_far(tmp_path / "work") as work:
        for count in (3, 2, 1):
            work.save(0, "aligned", {name: column[:count] for name, column in PIECE.items()})
        work.save(0, "observed", {"document": np.arange(1)})
        by_length = sorted(loaded(work), key=lambda piece: -len(piece["document"]))
        assert [piece["document"] for piece in by_length] == [[0, 1, 2], [0, 1], [0]]
        assert by_length[0]["disorder"] == pytest.approx([0.1, np.nan, 2.0], nan_ok=True)
        assert loaded(work, "observed") == [{"document": [0]}]
        assert loaded(work, "paired") == []
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["lock"]


def test_what_takes_no_time_is_not_written(tmp_path):
    with work_so_far(tmp_path / "work") as work:
        work.save(0, "aligned", PIECE)
        assert loaded(work) == []


def test_two_do_not_write_into_one_folder(tmp_path):
    with work_so_far(tmp_path) as one, work_so_far(tmp_path) as other:
        assert (one is None, other) == (False, None)
    with work_so_far(tmp_path) as work:
        assert work is not None


@pytest.mark.usefixtures("at_once")
def test_a_worker_that_was_ended_while_it_wrote_leaves_whole_pieces(tmp_path):
    WorkSoFar(WorkFolder(tmp_path, {"request": tmp_path.name})).save(0, "aligned", PIECE)
    (tmp_path / ".000000-aligned-00ff.npz.00ff.tmp").write_bytes(b"PK")
    with work_so_far(tmp_path) as work:
        work.save(0, "aligned", PIECE | {"document": np.arange(3, 6)})
        assert sorted(piece["document"] for piece in loaded(work)) == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.usefixtures("at_once")
@pytest.mark.filterwarnings("ignore::gamma_align.errors.GammaAlignWarning")
def test_a_damaged_piece_is_removed_and_computed_again(tmp_path):
    store = WorkFolder(tmp_path, {"request": tmp_path.name})
    for first in range(2):
        store.save(0, "aligned", PIECE | {"document": np.arange(3) + first})
    damaged = min(tmp_path.glob("*.npz"))
    damaged.write_bytes(damaged.read_bytes()[:-9])
    with work_so_far(tmp_path) as work:
        assert len(loaded(work)) == 1
        assert not damaged.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


@pytest.mark.usefixtures("at_once")
def test_a_folder_has_so_much_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(going_on, "_MAX_BYTES", 100)
    with work_so_far(tmp_path) as work:
        for first in range(5):
            work.save(0, "aligned", PIECE | {"document": np.arange(3) + first})  # 48 bytes
        assert len(loaded(work)) == 2


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("settings", [{"samples": 20}, {"precision": 0.01}], ids=str)
def test_the_same_comes_out_and_nothing_is_done_again(tmp_path, monkeypatch, settings):
    drawn, align_samples = [], draws.align_samples

    def counting(task, sampler=None):
        if most and sum(drawn) > most[0]:
            raise EnoughError
        drawn.append(len(task.document))
        return align_samples(task, sampler)

    monkeypatch.setattr(part_tasks, "align_samples", counting)
    monkeypatch.setattr(tasks, "_TASK_UNITS", 100)
    monkeypatch.setattr(tasks, "_SHIFTED_TASK_UNITS", 100)
    most = [300]
    with pytest.raises(EnoughError), work_so_far(tmp_path) as work:
        gamma(CORPUS, work=work, **settings)
    before = sum(drawn)
    assert before > 300
    del most[:], drawn[:]
    with work_so_far(tmp_path) as work:
        result = gamma(CORPUS, work=work, **settings)
    went_on = sum(drawn)
    del drawn[:]
    assert ga.gamma(CORPUS, **settings) == result
    assert before + went_on == sum(drawn)
