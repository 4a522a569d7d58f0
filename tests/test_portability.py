"""What differs on Windows and macOS, simulated here. docs/look_up/systems.md lists what users notice."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import command
from places import CORPORA, ROOT

import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.reading import write
from gamma_align.reading.files import archives, locks

CSV = CORPORA / "pygamma" / "AlexPaulSuzan.csv"
SOURCES = sorted((ROOT / "gamma_align").rglob("*.py"))
POSIX_MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"}
POSIX_FUNCTIONS = (
    r"os\.(?:fork|kill|killpg|geteuid|getuid|setsid|uname|sched_getaffinity|sysconf|pidfd_open|mkfifo|chown)\b"
)


class TestConsole:
    @pytest.mark.surfaces
    @pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii", "utf-16"])
    def test_a_console_of_another_encoding_gets_utf_8(self, encoding):
        environment = {
            **os.environ,
            "PYTHONIOENCODING": encoding,
            "PYTHONUTF8": "0",
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            command("measure", CSV, "--samples", "2"), env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "γ|docs:1" in done.stdout.decode("utf-8")
        missing = subprocess.run(command("measure", "ñ.csv"), env=environment, capture_output=True, check=False)
        assert missing.returncode == 3
        assert "ñ.csv" in missing.stderr.decode("utf-8")

    @pytest.mark.parametrize("arguments", [["--csv"], ["--json"], []], ids=str)
    def test_lines_end_as_on_other_systems(self, arguments, monkeypatch):
        written = {}
        for newline in ("\n", "\r\n"):  # the second is the default of Windows
            stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline=newline)
            monkeypatch.setattr(sys, "stdout", stream)
            assert main(["measure", str(CSV), "--samples", "2", "--quiet", *arguments]) == 0
            stream.flush()
            written[newline] = stream.buffer.getvalue()
        assert written["\n"] == written["\r\n"]
        assert b"\r" not in written["\n"]


class TestFileNames:
    @pytest.mark.parametrize(
        "name", ["a:b", "what?", "CON", "nul.txt", "lpt1.ann", "end.", "end ", 'q"', "tab\t", "COM¹"]
    )
    def test_names_that_windows_reserves_are_known(self, name):
        assert write.is_reserved_on_windows(name)

    @pytest.mark.parametrize("name", ["console", "nulls.txt", "communication", ".hidden", "a b", "é", "COM10", "lpt"])
    def test_other_names_are_allowed(self, name):
        assert not write.is_reserved_on_windows(name)

    @pytest.mark.skipif(sys.version_info < (3, 13), reason="ntpath.isreserved is new in Python 3.13")
    @pytest.mark.parametrize("name", ["CON", "nul.txt", "end.", "COM¹", "console", "COM10", "a b", "tab\t", "NUL .txt"])
    def test_reserved_names_are_those_of_python(self, name):
        import ntpath

        assert write.is_reserved_on_windows(name) == ntpath.isreserved(name)

    @pytest.mark.parametrize("name", ["..\\out.ann", "C:\\out.ann", "\\out.ann", "a\\..\\..\\out.ann", "C:out.ann"])
    def test_members_of_archives_with_paths_of_windows_stay_inside(self, name):
        path = PureWindowsPath(name)
        assert path.root or path.drive or ".." in path.parts
        with pytest.raises(ga.InputError, match="leads out of the archive"):
            archives._check_name(name, "a.zip")


class TestLocks:
    def test_windows_locks_with_its_own_function(self, tmp_path, monkeypatch):
        held = set()

        def locking(descriptor, mode, length):
            assert (mode, length) == (2, 1)
            inode = os.fstat(descriptor).st_ino
            if inode in held:
                raise PermissionError(13, "Permission denied")
            held.add(inode)

        monkeypatch.setitem(sys.modules, "fcntl", None)
        monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))
        with (tmp_path / "lock").open("wb") as one, (tmp_path / "lock").open("wb") as two:
            assert locks.locked(one) is True
            assert locks.locked(two) is False

    def test_a_system_without_locks_says_so(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "fcntl", None)
        monkeypatch.setitem(sys.modules, "msvcrt", None)
        with (tmp_path / "lock").open("wb") as file:
            assert locks.locked(file) is None


class TestProcesses:
    # Spawned processes import the modules anew, on macOS and Windows always.
    WITHOUT_POSIX = f"""
import importlib.abc, os, signal, sys

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in {POSIX_MODULES!r}:
            raise ModuleNotFoundError(name)

import joblib, numpy, ortools, scipy.optimize  # these choose their own code for the system: it is ours that is tested
for name in ("register_at_fork", "sched_getaffinity", "sysconf", "getuid", "geteuid"):
    delattr(os, name)
for name in ("pthread_sigmask", "SIGKILL", "SIGHUP", "SIG_BLOCK"):
    delattr(signal, name)
sys.platform = "win32"
for name in {POSIX_MODULES!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Finder())
import ctypes
ctypes.CDLL = None  # `CDLL(None)` is a TypeError on Windows
from gamma_align.apps.cli import main
sys.exit(main(sys.argv[1:]))
"""

    @pytest.mark.surfaces
    def test_without_functions_of_posix_the_commands_work(self, tmp_path):
        for arguments in (
            ["measure", CSV, "--samples", "3", "--work", tmp_path / "work"],
            ["align", CSV],
            ["validate", CSV],
        ):
            done = subprocess.run(
                [sys.executable, "-c", self.WITHOUT_POSIX, *map(str, arguments)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr

    def test_modules_of_posix_are_imported_in_functions_that_can_do_without(self):
        for path in SOURCES:
            for line in path.read_text(encoding="utf-8").splitlines():
                imported = re.match(r"(?:import|from) (\w+)", line)
                assert imported is None or imported[1] not in POSIX_MODULES, path

    def test_functions_of_posix_are_used_where_they_are_asked_for(self):
        used = {path.name for path in SOURCES if re.search(POSIX_FUNCTIONS, path.read_text(encoding="utf-8"))}
        assert used == {"resources.py"}  # `hasattr` stands before each


class TestTheTests:
    NAMES = {"SIGKILL", "SIGHUP", "SIGALRM", "SIGUSR1", "pthread_sigmask", "alarm"} | {
        *("fork", "killpg", "getuid", "geteuid", "mkfifo", "setsid", "uname")
    }

    @staticmethod
    def code_at_import(nodes):
        """Yield the nodes of the code that runs if a module is imported, with decorators and defaults of functions."""
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                yield from TestTheTests.code_at_import(node.body)
            elif isinstance(node, ast.FunctionDef):
                yield from chain.from_iterable(map(ast.walk, (*node.decorator_list, *node.args.defaults)))
            else:
                yield from ast.walk(node)

    def test_modules_of_tests_can_be_imported_without_posix(self):
        """Otherwise pytest on Windows reports errors instead of tests that are skipped."""
        for path in sorted((ROOT / "tests").rglob("*.py")):
            for node in self.code_at_import(ast.parse(path.read_text(encoding="utf-8")).body):
                used = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
                used |= {node.module} if isinstance(node, ast.ImportFrom) else set()
                assert not used & POSIX_MODULES, path
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    assert node.value.id not in ("os", "signal") or node.attr not in self.NAMES, path


class TestNumbers:
    def test_kernels_use_types_of_fixed_width(self):
        sources = ROOT / "gamma_align" / "kernels" / "src"
        for path in sorted([*sources.glob("*.hpp"), *sources.glob("*.cpp")]):
            code = re.sub(r"//.*|/\*.*?\*/|\"[^\"]*\"", "", path.read_text(encoding="utf-8"))
            assert not re.search(r"\b(?:long|short|ssize_t|wchar_t|__int128|__builtin_\w+|M_PI)\b", code), path

    def test_arrays_of_integers_have_64_bits(self):
        corpus = ga.read(CSV)
        for name in ("annotator", "category", "unit_document"):
            assert getattr(corpus, name).dtype == np.int64


ENCODINGS = """
import sys, warnings
warnings.filterwarnings("error", category=EncodingWarning, module=r"gamma_align\\.")
from gamma_align.apps.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.surfaces
@pytest.mark.parametrize(
    "arguments", [["report", CSV, "--samples", "2", "-o", "{}/r.html"], ["convert", CSV, "{}/units.jsonl"]]
)
def test_texts_name_their_encoding(arguments, tmp_path):
    """Otherwise Python takes that of the system, which is no UTF-8 on Windows."""
    filled = [str(argument).replace("{}", str(tmp_path)) for argument in arguments]
    program = [sys.executable, "-X", "warn_default_encoding", "-c", ENCODINGS, *filled]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.surfaces
def test_no_path_of_the_repository_is_refused_by_other_systems():
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    paths = [Path(name) for name in names.split("\0") if name]
    if not paths:
        pytest.skip("this is no checkout")
    assert [path for path in paths if any(map(write.is_reserved_on_windows, path.parts))] == []
    folded = {path.as_posix().casefold() for path in paths}
    assert len(folded) == len(paths)
    assert max(len(path.as_posix()) for path in paths) < 200  # of the 260 of Windows, for the folder of the checkout
