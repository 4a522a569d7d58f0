"""What the package offers: names that are there, documented, with examples that run."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import pytest

import gamma_align as ga

ROOT = Path(__file__).parents[1]
NAMES = [name for name in ga.__all__ if name not in ("__version__", "distances")]
WITHOUT_EXAMPLES = {
    name
    for name in NAMES
    if isinstance(getattr(ga, name), type) and issubclass(getattr(ga, name), (Exception, Warning))
}
"""Errors: a sentence when each is raised is enough."""


def members(item):
    """Return the public functions, methods and properties of a class, by name."""
    own = {name: member for name, member in vars(item).items() if not name.startswith("_")}
    functions = {name: getattr(member, "__func__", getattr(member, "fget", member)) for name, member in own.items()}
    return {name: function for name, function in functions.items() if inspect.isfunction(function)}


def docstrings(item):
    """Return the docstrings of a public name and of its public methods, by name."""
    methods = members(item) if isinstance(item, type) else {}
    return {"": item.__doc__, **{f".{name}": function.__doc__ for name, function in methods.items()}}


def run_examples(name, text):
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    example = parser.get_doctest(text, {"ga": ga}, f"ga.{name}", None, 0)
    output = []
    assert runner.run(example, out=output.append).failed == 0, "".join(output)


def test_public_names_are_sorted_and_there():
    assert list(ga.__all__) == sorted(ga.__all__)
    assert dir(ga) == list(ga.__all__)
    assert [name for name in ga.__all__ if not hasattr(ga, name)] == []


@pytest.mark.parametrize("name", [name for name in ga.distances.__all__ if name[0].isupper()])
def test_distances_have_examples_that_run(name):
    text = inspect.getdoc(getattr(ga.distances, name)) or ""
    if name not in ("AnyDistance", "Distance", "NAMES", "TAXONOMY_NAMES"):
        assert "\nExamples\n" in text
        run_examples(f"distances.{name}", text)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ga.no_such_name


def test_public_names_are_what_the_design_promises():
    promised = {"Alignment", "Continuum", "Corpus", "Dissimilarity", "GammaResult", "Matrix", "Nominal", "Value"}
    promised |= {"ItemTable", "ItemResult", "ItemCoefficient", "item_agreement", "krippendorff_alpha", "read_items"}
    promised |= {"InputError", "SettingsError", "SolverError", "MissingExtraError", "GammaAlignError"}
    assert promised | {"GammaAlignWarning", "align", "gamma", "read", "__version__"} <= set(ga.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_public_names_are_documented(name):
    item = getattr(ga, name)
    assert item.__doc__
    assert not item.__doc__.startswith(f"{name}(")  # dataclasses write that themselves
    assert [member for member, text in docstrings(item).items() if not text] == []


def test_what_needs_no_example_is_listed():
    bare = {name for name in NAMES if "\nExamples\n" not in inspect.cleandoc(getattr(ga, name).__doc__)}
    assert bare == WITHOUT_EXAMPLES


@pytest.mark.parametrize("name", NAMES)
def test_examples_run(name, monkeypatch):
    if name == "from_spacy":
        pytest.importorskip("spacy")  # no wheels for every Python
    monkeypatch.chdir(ROOT)
    for member, text in docstrings(getattr(ga, name)).items():
        run_examples(f"{name}{member}", text or "")
