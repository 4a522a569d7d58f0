"""The lines of docs/do/engines.md for other engines run, and give what one process gives."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from places import CORPORA, ROOT

import gamma_align as ga

COMPARED = """
import json
print(json.dumps(result.to_dict()))
"""


@pytest.fixture(scope="module")
def engines():
    """Return the lines of units, of items, and those of each engine, by the package that they import."""
    page = (ROOT / "docs" / "do" / "engines.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```py\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    units, items = (index for index, block in enumerate(blocks) if "def statistics" in block)
    imported = [re.search(r"^(?:from|import) (\w+)", block, re.MULTILINE)[1] for block in blocks[units + 1 : items]]
    engines = dict(zip(imported, blocks[units + 1 : items], strict=True))
    return {"units": blocks[units], "items": blocks[items], **engines}


def result_of(lines, folder):
    """Return what a program of these lines prints, run in a folder."""
    program = folder / "program.py"
    program.write_text(lines + COMPARED, encoding="utf-8")
    variables = {**os.environ, "PYSPARK_PYTHON": sys.executable, "RAY_USAGE_STATS_ENABLED": "0"}
    run = subprocess.run(
        [sys.executable, program], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert not run.returncode, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def plain(result):
    return json.loads(json.dumps(result.to_dict()))


ENGINES = ["pyspark", "ray", "dask"]


def skip_without(engine):
    pytest.importorskip("dask.dataframe" if engine == "dask" else engine)
    if engine == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_gives_the_same(tmp_path, engines, engine):
    skip_without(engine)
    (tmp_path / "news").mkdir()
    corpus = ga.Corpus.from_columns(ga.read(CORPORA / "btc_crowd").to_tables().units)
    ga.write(corpus, tmp_path / "news" / "units.parquet")
    found = result_of(f"{engines['units']}\n{engines[engine]}", tmp_path)
    assert found == plain(ga.gamma(corpus, samples=30, seed=7))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_gives_the_same_of_items(tmp_path, engines, engine):
    skip_without(engine)
    (tmp_path / "news").mkdir()
    items = ga.read_items(CORPORA / "items" / "dreem_dodh_epochs.parquet")
    columns = zip(*items.to_records()[:20_000], strict=True)
    table = pa.table(dict(zip(("item", "annotator", "category"), columns, strict=True)))
    pq.write_table(table, tmp_path / "news" / "units.parquet")
    lines = engines["items"] + engines[engine].replace('"document"', '"item"')
    wanted = ga.item_agreement(
        ga.ItemTable.from_frame(table), coefficients=["alpha", "kappa"], interval="bootstrap", seed=7
    )
    assert result_of(lines, tmp_path) == plain(wanted)
