"""Data classes: few can be changed, and none compares arrays by `==` of its fields."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re

import pytest

import gamma_align

MUTABLE = {
    "alignment.pricing.Budget": "the remaining work",
    "apps.service.jobs.Job": "a job that is running",
    "apps.service.pool.Call": "a call that a worker does",
    "apps.service.service.Draft": "a page that is being built",
    "apps.service.store.Kept": "a result and when it was last used",
    "compat.pygamma.results.GammaResults": "as in pygamma-agreement",
    "insight.consensus.settling._Content": "content that changes from round to round",
    "kernels.plain.choice._Part": "a search",
    "kernels.plain.pricing._Model": "a search",
    "kernels.plain.pricing._Pricer": "a search",
    "kernels.plain.turns._PairSums": "sums",
    "present.page.page.View": "a page that is being built",
    "present.page.sections.Sections": "a page that is being built",
    "reading.contents.Contents": "a file that is being read",
    "reading.formats.bioc._Collection": "a file that is being read",
    "reading.formats.elan.times.Annotation": "a file that is being read",
    "reading.intake.forms.Units": "a file that is being read",
    "reading.intake.trees._Tables": "a file that is being read",
    "reading.formats.elan.times.Tier": "a file that is being read",
    "reading.formats.glozz._GlozzFile": "a file that is being read",
    "reading.formats.tei._Document": "a file that is being read",
    "reading.formats.webanno.reading._Unit": "a file that is being read",
    "reading.marks.gather.Gathered": "files that are being read",
    "reading.sorting._Tables": "files that are being read",
}


@pytest.fixture(scope="module")
def classes() -> dict[str, type]:
    """Return all data classes of the package, by module and name."""
    classes = {}
    for info in pkgutil.walk_packages(gamma_align.__path__, "gamma_align."):
        if info.name.endswith(".__main__"):
            continue
        for name, value in vars(importlib.import_module(info.name)).items():
            if inspect.isclass(value) and value.__module__ == info.name and dataclasses.is_dataclass(value):
                classes[f"{info.name.partition('.')[2]}.{name}"] = value
    return classes


def test_all_mutable_classes_are_listed(classes):
    assert {name for name, value in classes.items() if not value.__dataclass_params__.frozen} == MUTABLE.keys()


def bases_with(name: str, value: type) -> list[type]:
    """Return the bases that define a special method by hand."""
    return [base for base in value.__mro__[1:-1] if name in vars(base) and is_by_hand(vars(base)[name])]


def is_by_hand(method: object) -> bool:
    """Return whether a method is in a file of the package; generated methods are not."""
    return "gamma_align" in getattr(method, "__code__", is_by_hand.__code__).co_filename.partition("tests")[0]


@pytest.mark.parametrize("name", ["__eq__", "__hash__", "__repr__"])
def test_class_keeps_the_equality_the_hash_and_the_text_of_its_bases(classes, name):
    for value in classes.values():
        for base in bases_with(name, value)[:1]:
            assert getattr(value, name) is getattr(base, name) or is_by_hand(getattr(value, name)), value


def has_arrays(field: dataclasses.Field) -> bool:
    return re.search(r"Array\b", str(field.type)) is not None


def test_frozen_class_does_not_compare_arrays_by_their_truth(classes):
    for value in classes.values():
        parameters = value.__dataclass_params__
        if parameters.frozen and any(has_arrays(field) for field in dataclasses.fields(value)):
            assert not parameters.eq or is_by_hand(value.__eq__), value
