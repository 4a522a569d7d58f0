"""Templates are compiled once, and again if they change."""

from __future__ import annotations

import sys

import jinja2
import pytest

from gamma_align.present.page.environment import KeptTemplates


@pytest.fixture
def render(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def render(directory=tmp_path / "kept", text=None, **templates):
        """Return the text of a template in a new environment, as a new process has it; `text` is its new source."""
        if text is not None:
            (tmp_path / "greeting.html").write_text(text)
        loader = jinja2.FileSystemLoader(tmp_path)
        environment = jinja2.Environment(loader=loader, autoescape=True, bytecode_cache=KeptTemplates(directory))
        return environment.get_template("greeting.html").render(**templates)

    return render


def test_a_compiled_template_is_kept(render, tmp_path, monkeypatch):
    assert render(text="Hello {{ name }}", name="Ann") == "Hello Ann"
    assert len([*(tmp_path / "kept").iterdir()]) == 1
    with monkeypatch.context() as patch:
        patch.setattr(jinja2.Environment, "_parse", lambda *_, **__: pytest.fail("compiled again"))
        assert render(name="Bob") == "Hello Bob"
    assert render(text="Bye {{ name }}", name="Bob") == "Bye Bob"


def test_nothing_is_kept_if_python_keeps_nothing(render, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert render(text="Hello") == "Hello"
    assert not (tmp_path / "kept").exists()


def test_a_folder_that_cannot_be_written_is_no_error(render, tmp_path):
    assert render(tmp_path / "missing" / "kept", text="Hello") == "Hello"
