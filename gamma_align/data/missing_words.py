"""Words in place of a missing judgment or category, such as NA.

Conventions
-----------
* `WORDS` mean "missing", because R, pandas and databases write them for missing values; a note counts them.
* Other words, such as "none" or "-", may mean "missing" or be categories, and so may `WORDS` in a table that also has
  blank cells, or in which all judgments of an item are such a word: the user decides.
* The user's words mean "missing", besides `WORDS`. If "" is among them, `WORDS` are categories.
* A number such as 999, -1 or 9 far from a rating scale of all other judgments, or among texts, may mean "missing"
  (`CODES`), because surveys write it so: the user decides.
* Declared categories are categories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from gamma_align.columns import FloatArray, IntArray
from gamma_align.data.item_labels import Cells, exact_number, label_name, parse_number
from gamma_align.data.profiles import MAX_SCALE_RANGE
from gamma_align.data.tables import cells_of
from gamma_align.data.wording import counted
from gamma_align.errors import Cure, InputError, Location, Note, Set

WORDS = ("NA", "NaN", "nan", "<NA>", "N/A", "#N/A", "null", "NULL")
_DOUBTFUL_WORDS = frozenset(
    [
        *(
            "none",
            "na",
            "nan",
            "<na>",
            "n/a",
            "#n/a",
            "n.a.",
            "null",
            "nil",
            "-",
            "--",
            "–",
            "?",
            ".",
            "nat",
            "#nv",
            "n.d.",
        ),
        *(
            "missing",
            "not available",
            "no answer",
            "no data",
            "k.a.",
            "k. a.",
            "keine angabe",
            "fehlend",
            "fehlt",
            "leer",
        ),
        *("s/d", "sin dato", "sin datos", "manquant", "nsp", "mancante", "onbekend", "ontbreekt", "brak", "нет данных"),
    ]
)
"""Words in lower case that may mean "missing"."""
CODES = (9, 77, 88, 97, 98, 99, 777, 888, 998, 999, 9999, -1, -7, -8, -9, -77, -88, -99, -999, -9999)
"""Numbers that may mean "missing"."""
_MIN_GAP = 3  # between the highest point of a scale and a code
_MIN_POINTS = 2  # of a scale
_MIN_POINTS_BESIDE_TEXT = 3


@dataclass(frozen=True, slots=True)
class MissingWords:
    """The words that mean "missing" in a table.

    `given` are the user's words, `categories` the texts of declared categories, and `noun` is what is missing:
    "judgment" or "category".
    """

    given: tuple[str, ...] = ()
    categories: frozenset[str] = frozenset()
    noun: str = "judgment"

    @classmethod
    def of(cls, na: Sequence[str] | str, categories: Sequence[object] = (), noun: str = "judgment") -> MissingWords:
        """Return the words from the option `na`, which may be one word, and the declared categories."""
        return cls((na,) if isinstance(na, str) else tuple(na), frozenset(map(str, categories)), noun)

    @property
    def known(self) -> frozenset[str]:
        """All words that mean "missing"."""
        return frozenset(self.given) - {""} | frozenset(self._assumed)

    @property
    def _assumed(self) -> frozenset[str]:
        """The words that mean "missing" unless the user decides."""
        return frozenset() if "" in self.given else frozenset(WORDS) - self.categories - set(self.given)

    def may_be_missing(self, text: str) -> bool:
        """Return whether a text means "missing", or may mean it."""
        return text in self.known or ("" not in self.given and self._is_doubtful(text))

    def without(self, cells: Cells) -> Cells:
        """Return the cells with None in place of the words that mean "missing"."""
        known = self.known
        numbers = {_number_of(word) for word in self.given} - {None}
        if not known:
            return cells
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiub":
            is_word = np.isin(cells, [float(number) for number in numbers if number is not None])
            return np.where(is_word, np.nan, cells) if is_word.any() else cells
        cells = [None if isinstance(cell, str) and cell.strip() in known else cell for cell in cells_of(cells)]
        return [None if _number_of(cell) in numbers else cell for cell in cells] if numbers else cells

    def check_codes(self, values: FloatArray, counts: IntArray, origin: str) -> None:
        """Raise InputError if numbers may mean "missing": all other judgments are on a rating scale far from them.

        `counts` are the numbers of judgments with each of the values.
        """
        is_code = np.isin(values, CODES) & ("" not in self.given)
        scale = values[~is_code]
        if not is_code.any() or len(scale) < _MIN_POINTS or (scale != np.floor(scale)).any():
            return
        low = int(scale.min())
        high = int(scale.max())
        # A number below 0 belongs to a scale such as -1, 0, 1.
        is_below = (values < 0) & (low >= 0) & ((-values > high) | (low > 0) | (high >= _MIN_GAP))
        is_code &= is_below | (values >= high + _MIN_GAP)
        if not is_code.any() or high - low > MAX_SCALE_RANGE:
            return
        codes = list(map(label_name, values[is_code]))
        shown = _counted(codes, Counter(dict(zip(codes, counts[is_code].tolist(), strict=True))))
        raise InputError(
            f"{shown} may mean a missing {self.noun} or be a category (the others are {low} to {high})",
            Cure(
                "if it is missing, set {}; if it is a category, set {}",
                Set("na", [*self.given, *codes]),
                Set("categories", list(map(label_name, values))),
            ),
            Location(origin),
        )

    def check_text(self, keys: Sequence[str], counts: IntArray, origin: str) -> None:
        """Raise InputError if one text stands among the numbers of a rating scale, or numbers of `CODES` among texts.

        Each may mean "missing". `counts` are the numbers of judgments with each of the texts `keys`.
        """
        numbers = {key: number for key in keys if (number := _number_of(key)) is not None}
        texts = [key for key in keys if key not in numbers]
        if "" in self.given:
            return
        points = {*numbers.values()}
        is_scale = len(points) >= _MIN_POINTS_BESIDE_TEXT and max(points) - min(points) <= MAX_SCALE_RANGE
        if len(texts) == 1 and is_scale and all(number == int(number) for number in points):
            doubtful, others = texts, "numbers"
        elif numbers and len(texts) >= _MIN_POINTS and points <= {*CODES}:
            doubtful, others = [*numbers], "texts"
        else:
            return
        shown = _counted(doubtful, Counter(dict(zip(keys, counts.tolist(), strict=True))))
        raise InputError(
            f"{shown} may mean a missing {self.noun} or be a category (all others are {others})",
            Cure(
                "if it is missing, set {}; if it is a category, set {}",
                Set("na", [*self.given, *doubtful]),
                Set("categories", list(keys)),
            ),
            Location(origin),
        )

    def decide(self, counts: Counter[str], origin: str, doubt: str = "") -> tuple[str, ...]:
        """Return a note on the words that are taken as missing without the user's decision, if there are any.

        `counts` are the numbers of cells with each text without blanks at its edge; `doubt` is a reason why `WORDS`
        may be categories.

        Raises
        ------
        InputError
            If words may or may not mean "missing".
        """
        assumed = [word for word in counts if word in self._assumed]
        doubtful = [] if "" in self.given else [word for word in counts if self._is_doubtful(word)]
        if doubt:
            doubtful = [*assumed, *doubtful]
        if doubtful:
            reason = f" ({doubt})" if doubt and assumed else ""
            raise InputError(
                f"{_counted(doubtful, counts)} may mean a missing {self.noun} or be a category{reason}",
                Cure(
                    "if it is missing, set {}; if it is a category, set {}",
                    Set("na", [*self.given, *doubtful]),
                    Set("na", [*self.given, ""]),
                ),
                Location(origin),
            )
        if not assumed:
            return ()
        n_cells = sum(counts[word] for word in assumed)
        cause = (
            f"{origin}: {_counted(assumed, counts)} {'means' if n_cells == 1 else 'mean'} a missing {self.noun}, "
            "as R and pandas write it"
        )
        return (Note(cause, Cure("if it is a category, set {}", Set("na", [*self.given, ""]))),)

    def _is_doubtful(self, word: str) -> bool:
        return word.casefold() in _DOUBTFUL_WORDS and word not in self.known and word not in self.categories


def _number_of(cell: object) -> Decimal | None:
    return parse_number(cell) if isinstance(cell, str) else exact_number(cell)


def count_texts(cells: Iterable[object]) -> Counter[str]:
    """Return the number of cells with each text, without blanks at its edge."""
    counts = Counter[str]()
    for text, count in Counter(cell for cell in cells if isinstance(cell, str)).items():
        counts[text.strip()] += count
    return counts


def _counted(words: Sequence[str], counts: Counter[str]) -> str:
    """Return words with their numbers of cells: "'none' (21 cells) and '-' (1 cell)"."""
    return " and ".join(f"{word!r} ({counted(counts[word], 'cell')})" for word in words)
