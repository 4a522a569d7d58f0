"""The package works in a program frozen by PyInstaller, and from a zip archive."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from layers import PACKAGE

pytestmark = pytest.mark.release

PROGRAM = """
import sys
import gamma_align as ga
from gamma_align.apps.cli import main
from gamma_align.present.bibliography import bibtex

units = [("d", "ann", 0, 4, "x"), ("d", "bob", 1, 4, "x"), ("d", "cy", 6, 9, "y")]
result = ga.gamma(units, samples=20)
assert len(ga.html_report(units, samples=5).html) > 10_000
assert "mathet" in bibtex()
print(ga.__file__)
sys.exit(main(["--version"]))
"""
# Packages that PyInstaller would collect because they are in the environment: the program does not use them.
UNUSED = ("IPython", "dask", "distributed", "matplotlib", "pandas", "polars", "pyarrow", "pytest", "spacy", "sphinx")


def test_a_frozen_program_runs(tmp_path):
    pytest.importorskip("PyInstaller")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    folders = [option for name in ("dist", "work", "spec") for option in (f"--{name}path", tmp_path / name)]
    excluded = [f"--exclude-module={name}" for name in UNUSED]
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level=ERROR", *folders, *excluded]
    subprocess.run([*command, "--collect-all=gamma_align", program], check=True)
    done = subprocess.run([tmp_path / "dist" / "program" / "program"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "(compiled kernels)" in done.stdout


def test_the_package_is_imported_from_a_zip_with_its_kernels_beside_it(tmp_path):
    archive = tmp_path / "gamma_align.zip"
    kernels = tmp_path / "gamma_align" / "kernels"
    kernels.mkdir(parents=True)
    compiled = importlib.util.find_spec("gamma_align.kernels._native")
    shutil.copy(compiled.origin, kernels)
    with zipfile.ZipFile(archive, "w") as packed:
        for path in PACKAGE.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("_native."):
                packed.write(path, Path("gamma_align", path.relative_to(PACKAGE)))
    # Without `site`, no editable installation comes before the archive.
    others = {str(Path(importlib.util.find_spec(name).origin).parents[1]) for name in ("numpy", "scipy", "jinja2")}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(archive), *sorted(others)])}
    command = [sys.executable, "-S", "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    path, version, _ = done.stdout.splitlines()
    assert path.startswith(str(archive))
    assert "(compiled kernels)" in version
