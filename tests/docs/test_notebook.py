"""The notebook among the examples runs, and shows values, tables and the picture of an alignment."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient
from places import ROOT

NOTEBOOK = ROOT / "docs" / "examples" / "agreement.ipynb"


@pytest.mark.scheduled
@pytest.mark.filterwarnings("ignore")  # those of Jupyter's own packages
def test_the_notebook_runs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "the notebook is kept without its outputs"
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(ROOT)}})
    client.execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    html = [data["text/html"] for data in shown if "text/html" in data]
    assert any("<svg" in page for page in html)
    assert sum("<table" in page for page in html) >= 3
