"""Names that columns and keys have in the languages of annotators, by their roles.

`words.json` has them by role and language, and `item_words.json` those that only tables of items have. Beside roles
`words.json` has the units of measure that may stand behind a name ("Beginn (s)"), the prepositions, which mean a role
less surely than a noun, and the last words of names that describe a document or category instead of naming it
("label_color"). A word in a longer name tells a role less surely.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_OF_A_RECORD = frozenset(["email", "id", "name", "title"])
_RECORDS = frozenset(["annotator", "category", "document"])
_ENDINGS = frozenset(["id", "ids", "name", "names"])
_MIN_PLURAL = 4  # letters: "bus" is no plural

SURE = 2
"""What `fits` returns for a usual name."""


@cache
def usual_names() -> dict[str, frozenset[str]]:
    """Return the usual names of each role, in all languages, and the other words, by kind."""
    return _names_in("words.json")


@cache
def _usual_of_items() -> dict[str, frozenset[str]]:
    """Return the usual names of columns that only tables of items have, by kind."""
    return _names_in("item_words.json")


def _names_in(file: str) -> dict[str, frozenset[str]]:
    # Tables with our names, and all other formats, do without.
    import json
    from importlib.resources import files

    content: dict[str, dict[str, str]] = json.loads(files(__package__).joinpath(file).read_text(encoding="utf-8"))
    return {role: frozenset(map(without_accents, " ".join(names.values()).split())) for role, names in content.items()}


def without_accents(name: str) -> str:
    """Return a name in lower case without accents, its words joined by underscores: "Début (s)" is "debut_s"."""
    letters = unicodedata.normalize("NFKD", name.strip()).replace("ß", "ss")
    letters = "".join(letter for letter in letters if not unicodedata.combining(letter))
    letters = unicodedata.normalize("NFC", letters)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", letters)
    return re.sub(r"[\W_]+", "_", words.casefold()).strip("_")


@cache
def fits(name: str, role: str) -> int:
    """Return how well a name tells a role: 3 for our name, 2 for a usual one, 1 for a usual word in it, 0 otherwise."""
    usual = usual_names().get(role) or _usual_of_items()[role]
    prepositions = usual_names()["preposition"]
    words = without_accents(last_key(name))
    if words == role:
        return 3
    if words in _OF_A_RECORD and role in _RECORDS and not (role == "category" and words == "id"):
        around = _key_around(name)  # a name in the records of "coders" is that of a coder
        return min(SURE, fits(around, role)) if around else 0
    bare = without_measure(name)
    for form in (words, bare):
        singular = form.removesuffix("s") if len(form) > _MIN_PLURAL else form
        if form in usual or singular in usual:
            return 1 if form in prepositions else SURE
    parts = [part for part in bare.split("_") if part not in _ENDINGS]
    if bare.split("_")[-1] in usual_names()["description"] and role in ("document", "annotator", "category"):
        return 0
    # The word for a bound is the first or the last: "time_start", "start_of_unit".
    meant = {parts[0], parts[-1]} if parts and role in ("start", "end", "duration") else {*parts}
    return int(bool(meant & (usual - prepositions)))


def last_key(name: str) -> str:
    """Return the last key of a path: "[].spans[].start" is "start"."""
    return re.split(r"[\[\]{}.@#→]+(?=[^\[\]{}.@#→]+$)", name)[-1] if re.search(r"\[\]|\{\}", name) else name


def _key_around(name: str) -> str:
    """Return the key of the records that have the last key of a path, "" in a table: "users" of "[].users[].name"."""
    keys = [key for key in re.split(r"[\[\]{}.@#→]+", name) if key]
    return keys[-2] if len(keys) > 1 and not name[0].isalnum() else ""


def measure_of(name: str) -> str:
    """Return the unit of measure behind a name, "s" for seconds in any language, "" if there is none."""
    words = without_accents(last_key(name))
    measure = words.removeprefix(without_measure(name)).strip("_")
    return "s" if measure in usual_names()["second"] else measure


def without_measure(name: str) -> str:
    """Return the words of a name without the unit of measure behind it: "beginn" of "Beginn (s)"."""
    words = without_accents(last_key(name))
    for measure in sorted(usual_names()["measure"], key=len, reverse=True):
        if words.endswith(f"_{measure}"):
            return words.removesuffix(f"_{measure}")
    return words


def rest_of_name(name: str, role: str) -> str:
    """Return the words of a name besides those of a role, which both bounds of a unit share: "char" of "start_char"."""
    usual = usual_names()[role]
    words = without_accents(last_key(name))
    other = usual | usual_names()["preposition"]
    return "" if words in usual else "_".join(word for word in words.split("_") if word not in other)
