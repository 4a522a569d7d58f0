"""The address of the repository is written by one command into each file that needs it, and replaces the one before."""

from __future__ import annotations

import importlib.util
import re
import tomllib

import pytest
from places import ROOT

spec = importlib.util.spec_from_file_location("home", ROOT / "tools" / "release" / "home.py")
home = importlib.util.module_from_spec(spec)
spec.loader.exec_module(home)

HOME = "https://code.example/people/gamma_align"


@pytest.fixture(scope="module")
def texts():
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in home.WRITERS}


def test_each_file_has_the_address(texts):
    written = {name: write(texts[name], HOME) for name, write in home.WRITERS.items()}
    assert tomllib.loads(written["pyproject.toml"])["project"]["urls"] == {"Source": HOME}
    assert f"repository-code: {HOME}\n" in written["CITATION.cff"]
    links = re.findall(r"\]\(([^)\s]+)\)", written["README.md"])
    assert f"{HOME}/raw/HEAD/docs/pictures/front.svg" in links
    assert [link for link in links if not link.startswith((f"{HOME}/blob/HEAD/", f"{HOME}/raw/HEAD/"))] == []


def test_another_address_replaces_it(texts):
    for name, write in home.WRITERS.items():
        once = write(texts[name], HOME)
        assert write(write(texts[name], "https://old.example/a/b"), HOME) == once
        assert write(once, HOME) == once
