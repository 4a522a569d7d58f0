"""Make ``items.json``: ``PYTHONPATH=tools/reproduction python tests/golden/make_items.py FOLDER``.

FOLDER holds ``coefficient_oracle.json``: values of coefficients from papers and other programs (see README.md). Here
are those of predefined items, each table once, as runs of equal rows: ``[times, row]``. Printed values and tables that
``tools/reproduction`` has are in its own table, and not here.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

from examples import data

HERE = Path(__file__).parent
EXAMPLES = data()


def tables(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return tables and values of the entries that are not about unitizing."""
    by_id = {entry["id"]: entry for entry in entries}
    found: dict[str, Any] = {"tables": {}, "values": []}
    known = dict(EXAMPLES.tables)
    for entry in entries:
        data = _data(entry, by_id)
        if data["type"] == "units" or is_example(entry):
            continue
        value = {key: entry[key] for key in ("id", "source", "kind", "coefficient", "params", "expected", "tolerance")}
        if entry["note"]:
            value["note"] = entry["note"]
        if data["type"] == "matrix":
            value["table"] = _table(data["rows"], entry["id"].split(".")[0], known)
            value["sets"] = data.get("values") == "sets"
        else:
            value["data"] = data
        found["values"].append(value)
    found["tables"] = {name: runs for name, runs in known.items() if name not in EXAMPLES.tables}
    return found


def is_example(entry: dict[str, Any]) -> bool:
    """Return whether a printed value is, whole or in parts, one of the worked examples."""
    name = entry["id"]
    names = [example["id"] for example in EXAMPLES.examples]
    return entry["kind"] == "published" and any(f"{one}.".startswith(f"{name}.") for one in names)


def _data(entry: dict[str, Any], by_id: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = entry["data"]
    return _data(by_id[data["same_as"]], by_id) if "same_as" in data else data


def _table(rows: list[Any], name: str, known: dict[str, Any]) -> str:
    """Return the name of a table, put among those known if it is new."""
    runs = [[len(list(some)), row] for row, some in itertools.groupby(rows)]
    for number in itertools.count(1):
        tried = name if number == 1 else f"{name}_{number}"
        if known.setdefault(tried, runs) == runs:
            return tried
    raise AssertionError


def main() -> None:
    """Write the file, a table or value a line."""
    entries = json.loads((Path(sys.argv[1]) / "coefficient_oracle.json").read_text(encoding="utf-8"))
    found = tables(entries)
    lines = ["{", '"tables": {']
    lines += _separated(f"{json.dumps(name)}: {json.dumps(runs)}" for name, runs in found["tables"].items())
    lines += ["},", '"values": [']
    lines += _separated(json.dumps(value, ensure_ascii=False) for value in found["values"])
    (HERE / "items.json").write_text("\n".join([*lines, "]", "}", ""]), encoding="utf-8")


def _separated(parts: Any) -> list[str]:
    listed = list(parts)
    return [part + ("," if at < len(listed) - 1 else "") for at, part in enumerate(listed)]


if __name__ == "__main__":
    main()
