"""The notebooks among the examples run, and show values, tables and the picture of an alignment."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient
from places import ROOT

EXAMPLES = ROOT / "docs" / "examples"


def outputs_of(name):
    """Run a notebook, and return the outputs of its cells."""
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "the notebook is kept without its outputs"
    client = NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(ROOT)}})
    client.execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def html_in(outputs):
    shown = [output.get("data", {}) for output in outputs]
    return [data["text/html"] for data in shown if "text/html" in data]


@pytest.mark.filterwarnings("ignore")  # those of Jupyter's own packages
def test_the_notebook_on_models_runs():
    outputs = outputs_of("model_as_annotator.ipynb")
    printed = "".join(output.get("text", "") for output in outputs)
    assert "'Paris' (LOC) is not found" in printed
    assert "0 of 28 people pass in the model's place" in printed
    assert "ω = 0.11 (fails), ρ = 0.77" in printed
    assert "calderon-etal-2025-alt-test" in printed
    assert sum("<table" in page for page in html_in(outputs)) >= 3


@pytest.mark.release
@pytest.mark.filterwarnings("ignore")  # those of Jupyter's own packages
def test_the_notebook_runs():
    html = html_in(outputs_of("agreement.ipynb"))
    assert any("<svg" in page for page in html)
    assert sum("<table" in page for page in html) >= 3
