"""Write one document of a corpus as a corpus of its own: ``python one_document.py FOLDER CORPUS NUMBER``."""

from __future__ import annotations

import sys

import gamma_align as ga
from gamma_align.reading.write import write


def main(place: str, source: str, number: int) -> None:
    write(ga.read(source).documents_between(number, number + 1), place, format="parquet")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
