"""Ctrl-C and SIGTERM are clean at any moment: their own exit code, one line, no traceback, no file half written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from ast import literal_eval

import pytest
from command_line import IN_A_CALL, command

pytestmark = pytest.mark.surfaces

LINE = "gamma-align: error: interrupted\n"
ENDED = {"SIGTERM": (143, "gamma-align: error: terminated\n")}
ROWS = "document,annotator,start,end,category\nd,Ann,0,10,x\nd,Ann,12,20,y\nd,Bob,1,10,x\n"

# forks before anything is imported, once for each number in the first argument: the child is interrupted at the import
# of that number, by an exception or by the signal itself
AT_IMPORTS = """
import importlib.machinery, importlib.util, os, signal, sys  # the first two are what an editable install takes

def stop_at(number, how):
    class Finder:
        count = 0

        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if name not in ("gamma_align", "gamma_align.apps", "gamma_align.apps.cli"):
                cls.count += 1
                if cls.count == number and how == "exception":
                    raise KeyboardInterrupt
                if cls.count == number:
                    os.kill(os.getpid(), getattr(signal, how))

    sys.meta_path.insert(0, Finder)
    return Finder

def outcome(number, how, arguments):
    read, write = os.pipe()
    if child := os.fork():
        os.close(write)
        with open(read, encoding="utf-8") as stream:
            text = stream.read()
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text
    os.dup2(write, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.close(write)
    sys.argv[1:] = arguments
    finder = stop_at(number, how)
    from gamma_align.apps.cli import program
    code = program()
    if not number:
        print(finder.count, file=sys.stderr)
    sys.exit(code)

if __name__ == "__main__":
    numbers, how, *arguments = sys.argv[1:]
    print([outcome(int(number), how, arguments) for number in numbers.split(",")])
"""


def at_imports(numbers, how, arguments):
    """Return exit code and stderr for an interrupt at the import of each number; of 0, the number of imports."""
    program = [sys.executable, "-c", AT_IMPORTS, ",".join(map(str, numbers)), how, *map(str, arguments)]
    return literal_eval(subprocess.run(program, capture_output=True, text=True, check=True).stdout)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("subcommand", "how"),
    # an exception alone, which compiled modules make another one of, has to pass through Python's modules only
    [
        ("--help", "exception"),
        ("--help", "SIGINT"),
        ("measure", "SIGINT"),
        ("convert", "SIGINT"),
        ("measure", "SIGTERM"),
    ],
)
def test_at_imports_from_the_first_to_the_last(corpus, tmp_path, subcommand, how):
    output = tmp_path / ("out.jsonl" if subcommand == "convert" else "out.json")
    arguments = {
        "--help": ["--help"],
        "measure": ["measure", corpus, "--samples", 5, "-o", output],
        "convert": ["convert", corpus, output],
    }[subcommand]
    ((code, text),) = at_imports([0], how, arguments)
    assert code == 0
    total = int(text.split()[-1])
    output.unlink(missing_ok=True)
    few = {*range(1, 5), *range(5, total, max(total // 8, 1)), total}
    assert at_imports(sorted(few), how, arguments) == [ENDED.get(how, (130, LINE))] * len(few)
    assert sorted(path.name for path in tmp_path.iterdir()) in (["units.csv"], [output.name, "units.csv"])


@pytest.mark.parametrize("file", ["cli/_messages.py", "files/atomic.py", "present/units_text.py", "chance/draws.py"])
def test_while_at_work_and_while_results_are_written(corpus, tmp_path, file):
    program = [sys.executable, "-c", IN_A_CALL.format(file=file)]
    arguments = ["measure", str(corpus), "--samples", "5", "-o", str(tmp_path / "out.txt")]
    done = subprocess.run([*program, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", LINE)
    assert [path.name for path in tmp_path.iterdir()] == ["units.csv"]


ELSEWHERE = """
import atexit, os, signal, sys
from gamma_align.apps.cli import program
from gamma_align.requests import corpus
import gamma_align as ga

def interrupt(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)
    return ga.Corpus.from_records([("d", "Ann", 0, 1, "x"), ("d", "Bob", 0, 1, "x")])

class InACallback:
    def __del__(self):
        interrupt()

def read(*_, **__):
    thing = InACallback()
    del thing

{how}
sys.exit(program())
"""


@pytest.mark.parametrize("how", ["atexit.register(interrupt)", "corpus.read = read"])
def test_while_the_interpreter_ends_and_in_callbacks(corpus, how):
    program = [sys.executable, "-c", ELSEWHERE.format(how=how), "convert", str(corpus), str(corpus.parent / "o.jsonl")]
    done = subprocess.run([*program, "--quiet"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", LINE)


def test_where_the_shell_has_it_ignored_it_stays_so(corpus):
    program = [sys.executable, "-c", ELSEWHERE.format(how="corpus.read = interrupt"), *command("align", corpus)[3:]]
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = subprocess.run(program, capture_output=True, text=True, check=False)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_bug_has_its_own_exit_code_and_the_words_to_report_it(corpus):
    how = "corpus.read = lambda *_, **__: 1 / 0"
    program = [sys.executable, "-c", ELSEWHERE.format(how=how), *command("measure", corpus)[3:]]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert done.stderr.count("\n") == 1
    assert "ZeroDivisionError: division by zero" in done.stderr
    assert "GAMMA_ALIGN_TRACEBACK=1" in done.stderr
    env = {**os.environ, "GAMMA_ALIGN_TRACEBACK": "1"}
    traced = subprocess.run(program, capture_output=True, text=True, check=False, env=env)
    assert traced.returncode == 70
    assert traced.stderr.startswith("Traceback")
    assert traced.stderr.endswith(done.stderr)
