"""Make ``unitizing.json``: ``python tests/golden/make_unitizing.py FOLDER``, FOLDER with ``coefficient_oracle.json``.

It takes over every entry on units, of the unitizing family and the older αU, but for the printed values and continua
that ``gamma-align reproduce examples`` has in its own table.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from make_items import EXAMPLES, is_example

HERE = Path(__file__).parent
COEFFICIENTS = (
    *("u_alpha", "bar_u_alpha", "cu_alpha", "ku_alpha", "cu_coverage", "ku_coverage", "Do_cu"),
    *("alpha_U", "alpha_U_category_Do", "alpha_U_category_alpha"),
)


def table(entries: list[dict]) -> dict:
    """Return the continua, each once, and the entries that name them."""
    by_id = {entry["id"]: entry for entry in entries}
    continua: dict[str, dict] = dict(EXAMPLES.continua)
    kept = []
    for entry in entries:
        if entry["coefficient"] in COEFFICIENTS and not is_example(entry):
            source = by_id[entry["data"].get("same_as", entry["id"])]["data"]
            continuum = {name: source[name] for name in ("start", "length", "observers")}
            names = [name for name, other in continua.items() if other == continuum]
            name = names[0] if names else _name(entry["id"], continua)
            continua[name] = continuum
            kept.append({**entry, "data": name})
    own = {name: continuum for name, continuum in continua.items() if name not in EXAMPLES.continua}
    return {"continua": own, "entries": kept}


def _name(identifier: str, taken: dict[str, dict]) -> str:
    """Return a short name for the continuum of an entry, or its whole id where another has the short one."""
    short = identifier.split(".", 1)[0]
    return identifier if short in taken else short


if __name__ == "__main__":
    oracle = json.loads((Path(sys.argv[1]) / "coefficient_oracle.json").read_text(encoding="utf-8"))
    text = json.dumps(table(oracle), ensure_ascii=False, indent=1)
    (HERE / "unitizing.json").write_text(text + "\n", encoding="utf-8")
