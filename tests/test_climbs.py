"""Nothing climbs at run time: no package calls a later one that it was not given, while the main things run."""

from __future__ import annotations

import contextlib
import json
import sys

import pytest
from layers import ORDER, PACKAGE
from places import CORPORA

import gamma_align as ga
from gamma_align.apps.cli import main

PATH = str(CORPORA / "pygamma" / "AlexPaulSuzan.csv")
LEVEL = {name: level for level, name in enumerate(ORDER)}
BUILT = {"__init__", "__new__", "<module>"}


def package_of_code(code):
    """Return the package of a code object, None if it is not ours or at the top, where public names are looked up."""
    name = code.co_filename
    if not name.startswith(f"{PACKAGE}/"):
        return None
    package = name[len(str(PACKAGE)) + 1 :].partition("/")[0].removesuffix(".py")
    return package if package in LEVEL else None


def is_given(code):
    """Return whether code that runs was given to its caller: a method of an object, or a function inside another.

    A module that begins, a class that is created, or a function of a module was looked up instead.
    """
    return "." in code.co_qualname and code.co_name not in BUILT


@contextlib.contextmanager
def climbs():
    """Yield the (caller, callee) in which an earlier package calls, creates or imports what is in a later one."""
    found = set()

    def trace(frame, event, _):
        if event != "call":
            return
        callee = package_of_code(frame.f_code)
        if callee is None or is_given(frame.f_code):
            return
        below = frame.f_back
        while below is not None and package_of_code(below.f_code) is None:
            if not below.f_code.co_filename.startswith("<frozen importlib"):
                return  # another library, such as functools, calls what it was given
            below = below.f_back
        if below is None or LEVEL[callee] <= LEVEL[package_of_code(below.f_code)]:
            return
        later = below
        while later is not None and package_of_code(later.f_code) != callee:
            later = later.f_back
        if later is None:  # else the later package has given a function of its own, such as one that shows progress
            names = (f"{f.f_globals['__name__']}.{f.f_code.co_qualname}" for f in (below, frame))
            found.add(tuple(names))

    sys.setprofile(trace)
    try:
        yield found
    finally:
        sys.setprofile(None)


def look_up_later():
    from gamma_align.present.printed import result_text

    return result_text


def test_the_trace_sees_a_climb():
    # as if a module of `measures` looked the function up
    code = "def climb():\n    return look_up()(ga.Value(0.5))\n"
    named = {"__name__": "gamma_align.measures.climbing", "look_up": look_up_later, "ga": ga}
    exec(compile(code, f"{PACKAGE}/measures/climbing.py", "exec"), named)  # noqa: S102
    with climbs() as found:
        named["climb"]()
    assert ("gamma_align.measures.climbing.climb", "gamma_align.present.printed.result_text") in found


def serve_request(tmp_path):
    from gamma_align.apps.service.limits import Limits
    from gamma_align.apps.service.work import BODY, Data, run

    rows = [line.split(",") for line in (CORPORA / "pygamma" / "AlexPaulSuzan.csv").read_text().splitlines()]
    units = [{"annotator": row[0], "category": row[1], "start": float(row[2]), "end": float(row[3])} for row in rows]
    body = json.dumps({"units": units, "settings": {"samples": 3}}).encode()
    answer = run(lambda *_: None, command="measure", data=Data(tmp_path, BODY, body), folder=tmp_path, limits=Limits())
    assert json.loads(answer)["documents"]


RUNS = {
    "gamma": lambda _: ga.gamma(PATH, samples=3),
    "print": lambda _: str(ga.gamma(PATH, samples=3)),
    "notebook": lambda _: ga.align(PATH)._repr_html_(),
    "unitizing": lambda _: ga.unitizing_alpha(PATH),
    "items": lambda _: ga.item_agreement(CORPORA / "items" / "dreem_dodh_epochs.parquet", coefficients=["alpha"]),
    "report": lambda _: ga.html_report(PATH, samples=3).html,
    "validate": lambda _: str(ga.validate(PATH)),
    "measure": lambda _: main(["measure", PATH, "--samples", "3", "--quiet"]),
    "request": serve_request,
}


@pytest.mark.parametrize("run", RUNS)
def test_nothing_climbs(run, tmp_path):
    with climbs() as found:
        RUNS[run](tmp_path)
    assert found == set()
