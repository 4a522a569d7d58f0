"""The reference names every public name, and nothing else."""

import re

from places import ROOT

import gamma_align as ga

TEXT = (ROOT / "docs" / "look_up" / "reference.md").read_text(encoding="utf-8")


def test_every_public_name_is_in_the_reference():
    named = re.findall(r"^\.\. auto(?:class|function|module):: gamma_align\.(\w+)", TEXT, re.MULTILINE)
    assert sorted(named) == sorted(set(ga.__all__) - {"__version__"})
