"""On pages that explain, the first use of a term is a link to the glossary."""

import pytest
import terms
from places import ROOT

PAGES = {page.relative_to(ROOT).as_posix(): page for page in terms.pages()}


@pytest.mark.parametrize("name", PAGES)
def test_the_first_use_of_a_term_is_linked(name):
    found = terms.unlinked(PAGES[name].read_text(encoding="utf-8"))
    assert [use.term for use in found] == [], "run tools/docs/terms.py"


def test_terms_are_in_the_glossary():
    glossary = (ROOT / "docs" / "look_up" / "glossary.md").read_text(encoding="utf-8").splitlines()
    assert [term for term in terms.TERMS if term not in glossary] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The disorder is .5.", ["disorder"]),
        ("The expected disorder is 1.", ["expected disorder"]),
        ("The {term}`disorder` is .5, a small disorder.", []),
        ("A disorder. The {term}`disorder` is .5.", ["disorder"]),
        ("{term}`Disorders <disorder>` add up.", []),
        ("# The disorder\n\n`disorder`, $\\delta$ and [disorder](x.md)", []),
        ("```text\ndisorder\n```\n", []),
        ("- A list:\n\n  ```python\n  disorder = 1\n  ```\n", []),
        ("Unitary alignments", ["unitary alignment"]),
        ("interval-valued", []),
    ],
)
def test_first_uses_are_found(text, found):
    assert [use.term for use in terms.unlinked(text)] == found
    assert terms.unlinked(terms.with_links(text)) == []


def test_forms_are_kept():
    assert terms.with_links("Two Alignments.") == "Two {term}`Alignments <alignment>`."
