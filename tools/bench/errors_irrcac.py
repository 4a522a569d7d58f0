"""irrCAC's standard errors of the tables in a file; the part of `errors_items.py` that runs in irrCAC's environment.

Prints JSON: for each of our names of a coefficient, the error on each table, null where irrCAC has none.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
from irrCAC.raw import CAC

THEIRS = {"ac1": "gwet", "pi": "fleiss", "kappa-conger": "conger", "s": "bp", "alpha": "krippendorff"}


def main() -> int:
    tables = np.load(sys.argv[1])
    categories = np.unique(tables[~np.isnan(tables)]).tolist()
    errors: dict[str, list[float | None]] = {name: [] for name in THEIRS}
    for one in tables:
        cac = CAC(pd.DataFrame(one), categories=categories, digits=12)
        for name, theirs in THEIRS.items():
            try:
                error = float(getattr(cac, theirs)()["est"]["se"])
            except (ZeroDivisionError, ValueError):
                error = np.nan
            errors[name].append(error if np.isfinite(error) else None)
    print(json.dumps(errors))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
