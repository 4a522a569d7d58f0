"""A folder of exports: the newest version of each document, whatever arrives, changes, is half-written or goes."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from command_line import IN_A_CALL, run

import gamma_align as ga
from gamma_align.apps.follow.exports import Exports
from gamma_align.work import part_tasks

HEADER = "document,annotator,start,end,category\n"


def write(path, documents, moment, shift=0):
    """Write an export of these documents that changed at this moment."""
    rows = []
    for name in documents:
        size = 4 + int(name[1:]) % 3
        for annotator in range(3):
            bounds = [(10 * unit + annotator, 10 * unit + 5 + (annotator * unit) % 4 + shift) for unit in range(size)]
            rows += [f"{name},a{annotator},{start},{end},{'xy'[start % 2]}" for start, end in bounds]
    path.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")
    os.utime(path, (moment, moment))
    return path


def ends(corpus, document):
    return corpus.select(documents=document).end.tolist()


def names(*numbers):
    return [f"d{number:02}" for number in numbers]


@pytest.fixture
def exports(tmp_path):
    return Exports(tmp_path, ga.read, lambda: None)


def test_of_a_document_the_export_that_changed_last_counts(tmp_path, exports):
    write(tmp_path / "b.csv", names(1, 2), 100)
    first = exports.newest()
    assert first.corpus.documents == ("d01", "d02")
    assert first.moment == "1970-01-01 00:01:40"
    newer = write(tmp_path / "a.csv", names(2, 3), 200, shift=2)
    second = exports.newest()
    assert second.corpus.documents == ("d01", "d02", "d03")
    assert ends(second.corpus, "d02") == ends(ga.read(newer), "d02") != ends(first.corpus, "d02")
    assert ends(second.corpus, "d01") == ends(first.corpus, "d01")
    newer.unlink()
    assert ends(exports.newest().corpus, "d02") == ends(first.corpus, "d02")


def test_one_export_is_the_corpus_that_is_in_it(tmp_path, exports):
    write(tmp_path / "old.csv", names(1, 2), 100)
    last = write(tmp_path / "new.csv", names(1, 2, 3), 200)
    found = exports.newest().corpus
    assert (found.notes, found.documents) == (ga.read(last).notes, ga.read(last).documents)


def test_a_half_written_export_is_waited_for_and_its_last_state_counts(tmp_path, exports):
    path = write(tmp_path / "export.csv", names(1, 2), 100)
    before = exports.newest().corpus
    whole = write(tmp_path / "whole.csv", names(1, 2, 3), 200).read_text()
    (tmp_path / "whole.csv").unlink()
    path.write_text(whole[: len(whole) - 9])  # ends in the middle of a row
    waiting = exports.newest()
    assert waiting.corpus.documents == before.documents
    assert "export.csv" in waiting.waiting[0]
    assert "again when it changes" in waiting.waiting[0]
    path.write_text(whole)
    done = exports.newest()
    assert (done.corpus.documents, done.waiting) == (("d01", "d02", "d03"), ())


def test_an_export_that_still_grows_is_not_read(tmp_path):
    path = tmp_path / "export.csv"
    grown = [names(1, 2), names(1, 2, 3)]
    reads = []

    def read(one):
        reads.append(one)
        return ga.read(one)

    def grow():
        if grown:
            write(path, grown.pop(0), 300 - len(grown))

    write(path, names(1), 100)
    exports = Exports(tmp_path, read, grow)
    for _ in range(2):
        waiting = exports.newest()
        assert waiting.corpus is None
        assert "still being written" in waiting.waiting[0]
    assert reads == []
    assert exports.newest().corpus.documents == ("d01", "d02", "d03")


def test_an_export_of_which_no_document_counts_is_not_read_again(tmp_path):
    exports = Exports(tmp_path, ga.read, lambda: None)
    write(tmp_path / "one.csv", names(1, 2), 100)
    write(tmp_path / "two.csv", names(1, 2, 3), 200, shift=1)
    write(tmp_path / "three.csv", names(4), 300)
    first = exports.newest()
    reads = []

    def read(path):
        reads.append(path.name)
        return ga.read(path)

    later = Exports(tmp_path, read, lambda: None, remembered=json.loads(json.dumps(exports.memory)))
    again = later.newest()
    assert sorted(reads) == ["three.csv", "two.csv"]
    assert (again.corpus.documents, again.moment) == (first.corpus.documents, first.moment)
    assert ends(again.corpus, "d01") == ends(first.corpus, "d01")
    (tmp_path / "two.csv").unlink()
    older = later.newest()
    assert older.corpus.documents == ("d01", "d02", "d04")
    assert ends(older.corpus, "d01") == ends(ga.read(tmp_path / "one.csv"), "d01")


def test_an_export_that_was_read_before_and_is_broken_now_is_waited_for(tmp_path):
    exports = Exports(tmp_path, ga.read, lambda: None)
    write(tmp_path / "one.csv", names(1, 2), 100)
    path = write(tmp_path / "two.csv", names(2, 3), 200)
    exports.newest()
    later = Exports(tmp_path, ga.read, lambda: None, remembered=exports.memory)
    path.write_text(HEADER + "d02,a0,5")
    version = later.newest()
    assert version.corpus.documents == ("d01", "d02")
    assert "two.csv" in version.waiting[0]


def test_unfinished_files_and_hidden_ones_are_no_exports(tmp_path, exports):
    for name in (".export.csv", "export.csv.part", "export.tmp"):
        write(tmp_path / name, names(1), 100)
    assert exports.newest().corpus is None


def test_an_export_may_be_a_folder(tmp_path, exports):
    ga.write(ga.read(write(tmp_path / "one.csv", names(1, 2), 100)), tmp_path / "2026-01")
    (tmp_path / "one.csv").unlink()
    assert exports.newest().corpus.documents == ("d01", "d02")


@pytest.fixture
def counted(monkeypatch):
    """The documents that are aligned."""
    aligned = Counter()
    align = part_tasks.align_documents

    def count(task, *arguments, **settings):
        aligned.update(task.corpus.documents[index] for index in task.in_corpus.tolist())
        return align(task, *arguments, **settings)

    monkeypatch.setattr(part_tasks, "align_documents", count)
    return aligned


def test_thirty_exports_one_by_one_end_with_the_bytes_of_measure_on_the_last(tmp_path, counted):
    folder = tmp_path / "exports"
    folder.mkdir()
    output = tmp_path / "newest.json"
    looks = []
    for day in range(30):
        last = write(folder / f"day{day:02}.csv", names(*range(2 + day // 2)), 1000 * day + 1000)
        arguments = ["--once", "--work", tmp_path / "work", "--samples", 5, "-o", output, "--json", "--quiet"]
        done = run("follow", folder, *arguments)
        assert done.returncode == 0, done.stderr
        looks.append(done.stdout.splitlines())
    assert set(counted.values()) == {1}
    assert len(counted) == 16
    assert output.read_text() == run("measure", last, "--samples", 5, "--json").stdout
    history = [json.loads(line) for line in looks[-1]]
    assert [look["documents"] for look in history] == [2 + number for number in range(15)]
    assert [look["new"] for look in history] == [2, *[1] * 14]
    assert {look["redone"] + look["gone"] for look in history} == {0}


def test_a_look_says_what_is_new_redone_and_gone(tmp_path):
    folder = tmp_path / "exports"
    folder.mkdir()
    base = ["follow", folder, "--once", "--work", tmp_path / "work", "--samples", 3, "--quiet"]
    write(folder / "one.csv", names(1, 2, 3), 1000)
    assert "3 new" in run(*base).stdout
    write(folder / "one.csv", names(1, 3, 4), 2000)
    write(folder / "two.csv", names(3), 3000, shift=1)
    lines = run(*base).stdout.splitlines()
    assert len(lines) == 2
    assert "1 new, 1 redone, 1 gone" in lines[1]
    assert run(*base).stdout.splitlines() == lines


def test_what_the_command_writes_is_no_export(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "one.csv", names(1, 2, 3), 1000)
    for _ in range(2):
        done = run("follow", ".", "--once", "--samples", 3, "-o", "newest.json")
        assert done.returncode == 0
        assert "waiting" not in done.stderr
    assert len(done.stdout.splitlines()) == 1


def test_a_threshold_has_its_exit_code(tmp_path):
    folder = tmp_path / "exports"
    folder.mkdir()
    base = ["follow", folder, "--once", "--work", tmp_path / "work", "--samples", 3]
    assert run(*base).returncode == 4
    write(folder / "one.csv", names(1, 2, 3), 1000)
    assert run(*base, "--fail-under", "gamma=0.99").returncode == 1
    assert run(*base, "--fail-under", "gamma=-5").returncode == 0
    other = run("follow", folder, "--once", "--work", tmp_path / "work", "--samples", 4)
    assert other.returncode == 2
    assert "samples 3 there, 4 now" in other.stderr


def test_what_is_waited_for_is_said_once(tmp_path, monkeypatch):
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "one.csv").write_text(HEADER + "d,a0,0,4,x\n", encoding="utf-8")
    sleeps = []

    def sleep(seconds):
        sleeps.append(seconds)
        if sleeps.count(7.0) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", sleep)
    done = run("follow", folder, "--work", tmp_path / "work", "--samples", 3, "--every", 7)
    assert done.stderr.count("no document has two annotators yet") == 1


def write_with_a_cause(path, moment):
    """Write an export in which one annotator has another label."""
    write(path, names(*range(1, 9)), moment)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = [f"{line[:-1]}z" if ",a2," in line and line.endswith("x") else line for line in lines]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(path, (moment, moment))


def test_causes_that_came_and_went_are_said_in_one_run_and_in_several(tmp_path, monkeypatch):
    folder = tmp_path / "exports"
    folder.mkdir()
    one = folder / "one.csv"
    write(one, names(*range(1, 9)), 1000)
    sleeps = []

    def sleep(seconds):
        sleeps.append(seconds)
        if len(sleeps) == 2:
            write_with_a_cause(one, 2000)
        elif len(sleeps) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", sleep)
    arguments = ["--causes", "--json", "--work", tmp_path / "work", "--samples", 3, "--quiet", "--every", 7]
    done = run("follow", folder, *arguments)
    assert done.returncode == 130
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["came"], first["went"]) == (None, None)
    assert any("z" in title for title in second["came"])
    assert 7.0 in sleeps

    def once(*more):
        arguments = ["--once", "--json", "--work", tmp_path / "others", "--samples", 3, "--quiet"]
        return [*map(json.loads, run("follow", folder, *arguments, *more).stdout.splitlines())]

    write(one, names(*range(1, 9)), 1000)
    once()
    assert len(once("--causes")) == 1  # nothing has changed; from here on, causes are known
    write_with_a_cause(one, 2000)
    assert once("--causes")[-1] == second
    write(one, names(*range(1, 9)), 3000)
    third = once("--causes")[-1]
    assert (third["went"], third["came"]) == (second["came"], second["went"])


def test_what_cannot_be_followed_is_refused(tmp_path):
    assert run("follow", tmp_path / "none", "--once").returncode == 2
    assert run("follow", tmp_path, "--once", "--sampler", "documents").returncode == 2
    assert "projects/12" in run("follow", "https://labels.example.org/", "--once").stderr
    shutil.rmtree(Path("gamma-align-follow"), ignore_errors=True)


@pytest.mark.surfaces
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path):
    folder = tmp_path / "exports"
    folder.mkdir()
    last = write(folder / "one.csv", names(*range(6)), 1000)
    arguments = ["follow", folder, "--work", tmp_path / "work", "--samples", 5, "-o", tmp_path / "newest.json"]
    program = [sys.executable, "-c", IN_A_CALL.format(file="part_samples.py"), *map(str, arguments), "--once"]
    stopped = subprocess.run(program, capture_output=True, text=True, check=False)
    assert stopped.returncode == 130, stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert [*(tmp_path / "work").glob("*-aligned-*.npz")]
    assert not (tmp_path / "newest.json").exists()
    assert run(*arguments, "--once").returncode == 0
    assert (tmp_path / "newest.json").read_text() == run("measure", last, "--samples", 5, "--json").stdout
