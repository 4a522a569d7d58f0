"""The lines of docs/large.md for other engines run, and give what one process gives."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from places import CORPORA, ROOT

import gamma_align as ga

COMPARED = """
import json
print(json.dumps(result.to_dict()))
"""


@pytest.fixture(scope="module")
def engines():
    """Return the lines that follow those that all engines share, by the package that they import."""
    blocks = re.findall(
        r"^```py\n(.*?)^```", (ROOT / "docs" / "large.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    shared = next(index for index, block in enumerate(blocks) if "def statistics" in block)
    imported = [re.search(r"^(?:from|import) (\w+)", block, re.MULTILINE)[1] for block in blocks[shared + 1 :]]
    return {name: f"{blocks[shared]}\n{block}" for name, block in zip(imported, blocks[shared + 1 :], strict=True)}


@pytest.mark.parametrize("engine", ["pyspark", "ray", "dask"])
def test_an_engine_gives_the_same(tmp_path, engines, engine):
    pytest.importorskip("dask.dataframe" if engine == "dask" else engine)
    if engine == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    (tmp_path / "news").mkdir()
    corpus = ga.Corpus.from_columns(ga.read(CORPORA / "btc_crowd").to_tables().units)
    ga.write(corpus, tmp_path / "news" / "units.parquet")
    program = tmp_path / "program.py"
    program.write_text(engines[engine] + COMPARED, encoding="utf-8")
    variables = {**os.environ, "PYSPARK_PYTHON": sys.executable, "RAY_USAGE_STATS_ENABLED": "0"}
    run = subprocess.run(
        [sys.executable, program], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
    )
    assert not run.returncode, run.stderr
    alone = ga.gamma(corpus, samples=30, seed=7)
    assert json.loads(run.stdout.splitlines()[-1]) == json.loads(json.dumps(alone.to_dict()))
