"""Each file has a licence, and REUSE.toml, the tables of the corpora and the package's metadata agree on it."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch

import pytest
from places import ROOT

ANNOTATIONS = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = {"CC BY 4.0": "CC-BY-4.0", "CC BY-SA 4.0": "CC-BY-SA-4.0", "CC0 1.0": "CC0-1.0"}  # as the tables write them
NAMES |= {name: name for name in ("MIT", "Apache-2.0", "BSD-3-Clause")}


def licences_of(path):
    """Return the licences of a file: those of the last entry of REUSE.toml that it matches."""
    found = None
    for entry in ANNOTATIONS:
        patterns = entry["path"] if isinstance(entry["path"], list) else [entry["path"]]
        if any(fnmatch(path, pattern) for pattern in patterns):
            found = entry["SPDX-License-Identifier"]
    return set(found.split(" AND "))


def rows(page, column):
    """Yield the name and the cell of a column of each row of the tables of a page that have this column."""
    columns = []
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells or column in cells:
            columns = cells
        elif column in columns and not set(line) <= set("|-: "):
            yield cells[0], cells[columns.index(column)]


def table_licences():
    """Yield the folder and the licences that the tables state."""
    pages = {"corpora": "corpora/README.md", "corpora/formats": "corpora/formats/README.md"}
    pages["gamma_align/apps/service/examples"] = "gamma_align/apps/service/examples/README.md"
    for folder, page in pages.items():
        for name, text in rows(page, "licence"):
            if (ROOT / folder / name).is_dir():
                yield f"{folder}/{name}", text


@pytest.mark.parametrize(("folder", "text"), list(table_licences()))
def test_a_folder_has_the_licences_of_its_row(folder, text):
    stated = {spdx for name, spdx in NAMES.items() if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w.])", text)}
    assert stated or text == "made for this project"
    for path in (ROOT / folder).rglob("*"):
        if path.is_file():
            assert licences_of(path.relative_to(ROOT).as_posix()) == (stated or {"MIT"}), path


def test_each_folder_of_data_has_a_row():
    listed = {folder for folder, _ in table_licences()}
    folders = [*(ROOT / "corpora").iterdir(), *(ROOT / "corpora/formats").iterdir()]
    names = {path.relative_to(ROOT).as_posix() for path in folders if path.is_dir()}
    # pygamma and items are described below the table; formats has a page of its own
    assert names - listed == {"corpora/pygamma", "corpora/items", "corpora/formats"}


def test_the_metadata_of_the_package_name_the_licences_of_what_is_installed():
    stated = set(PROJECT["license"].split(" AND "))
    paths = [path for path in (ROOT / "gamma_align").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {licence for path in paths for licence in licences_of(path.relative_to(ROOT).as_posix())} == stated
    texts = {"LICENSE": "MIT"} | {f"LICENSES/{name}.txt": name for name in stated - {"MIT"}}
    assert set(PROJECT["license-files"]) == {*texts}


def test_the_texts_of_all_licences_are_here():
    used = {name for entry in ANNOTATIONS for name in entry["SPDX-License-Identifier"].split(" AND ")}
    assert {path.stem for path in (ROOT / "LICENSES").iterdir()} == used
