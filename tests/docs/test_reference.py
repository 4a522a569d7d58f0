"""Every public name has a page of the reference, and nothing else has."""

import re

from places import ROOT

import gamma_align as ga

PAGE = ROOT / "docs" / "look_up" / "python" / "index.md"


def test_every_public_name_is_in_a_table_of_the_index():
    tables = re.findall(
        r"^\.\. autosummary::\n(?:   :.*\n)+\n((?:   \w+\n)+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted("".join(tables).split()) == sorted(set(ga.__all__) - {"__version__", "distances"})
