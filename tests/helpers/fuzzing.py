"""Files that went wrong: seeded mutations of samples, and what must come of reading any file whatever.

`reads_or_refuses` is the law; `mutated` makes files to try it on: bytes flipped, cut, doubled and spliced, tokens
replaced by hostile ones, values of JSON by values of another kind, contents of archives and packed files likewise.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import random
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
from defusedxml.ElementTree import fromstring
from places import FORMATS

import gamma_align as ga
from gamma_align import errors
from gamma_align.errors import GammaAlignError
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source
from gamma_align.reading.tables import table_formats
from gamma_align.reading.validation.validate import validate
from gamma_align.reading.write import write_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLES = FORMATS
LONGEST_MESSAGE = errors.MAX_LINE_LENGTH + 40

TOKENS = [
    *(b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1", b"-0", b"0.5", b"1e308", b"9" * 30, b"9" * 5000, b"0x1F"),
    *(b"null", b"true", b"{}", b"[]", b'""', b'"\\ud800"', b'"x"', b"[[[[[[[[", b"}", b"]", b"<x>", b"</x>", b"<!--"),
    *(
        b"&amp;",
        b"&x;",
        b"<![CDATA[",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"\t",
        b"\n",
        b"\r",
    ),
    *(
        "é\U0001f642\u2028\x85\x0b".encode(),
        b" ",
        b";",
        b"|",
        b"\\",
        b'"',
        b"'",
        b"*",
        b"_",
        b"-->",
        b"#",
        b"%s",
        b"{layer}",
    ),
]
VALUES: list[Any] = [
    *(None, True, 0, -1, 0.5, 1e308, 2**53 + 1, 10**25, "", "x", "\t\n", "1", "\U0001f642"),
    *([], {}, [[]], [None], {"": None}, [0, 1, 2, 3], ["x"], "x" * 10_000),
]
WORDS = [
    "",
    "x",
    "-1",
    "1.5",
    "NaN",
    "1e999",
    "9" * 30,
    "9" * 5000,
    " ",
    "\t\n",
    "é\U0001f642",
    "1,2",
    "#x",
    "true",
    "0",
]
HINTS: dict[str, dict[str, Any]] = {
    "inception": {"layers": "NamedEntity:value"},
    "jams": {"layers": "segment_salami_lower"},
    "elan": {"layers": "*", "annotator": "{layer}"},
    "textgrid": {"annotator": "{layer}"},
    "tei": {"layers": ["persName", "placeName", "name"]},
}
"""What reads the samples of a format that need to be told something."""
_UNITS = [
    ("d", "anna", 0, 4, "PER"),
    ("d", "anna", 11, 15, "LOC"),
    ("d", "bert", 0, 4, "PER"),
    ("d", "bert", 2, 15, "X"),
]
_ITEM_TABLES = {
    "long": (
        [
            ["item", "annotator", "category"],
            *([str(item), name, label] for name in ("anna", "bert", "cleo") for item, label in enumerate("aabbcab")),
            *(["7", "anna", "c"], ["7", "cleo", "a"], ["8", "bert", "b"]),
        ],
        "",
    ),
    "wide": (
        [
            ["item", "anna", "bert", "gpt#1", "gpt#2"],
            *([f"i{n}", *map(str, (n % 3, n % 4, n % 3, n % 5 % 3))] for n in range(12)),
            ["i12", "0", "", "2", "1"],
        ],
        "--layout wide",
    ),
    "counts": (
        [["item", "yes", "no", "maybe"], *([f"i{n}", str(n % 4), str(3 - n % 4), "1"] for n in range(8))],
        "--layout counts",
    ),
    "contingency": (
        [
            ["", "x", "y", "z"],
            *([label, *map(str, row)] for label, row in zip("xyz", ((9, 2, 1), (1, 7, 0), (0, 3, 8)), strict=True)),
        ],
        "--layout contingency",
    ),
    "sets": (
        [
            ["item", "anna", "bert"],
            *(["1", "{}", "a|b"], ["2", "a", "a"], ["3", "b|c", "c"], ["4", "a|b|c", "a|b|c"], ["5", "", "b"]),
        ],
        "--layout wide --sets |",
    ),
}
"""Tables of judgments by name: their rows, the first with the names of columns, and the options that read them."""
_TOKEN = re.compile(rb'-?\d+(?:\.\d+)?|"[^"\n]{0,200}"|\w+|[^\w\s]')


def samples() -> dict[str, list[Path]]:
    """Return the samples of each format that takes them for its own."""
    found: dict[str, list[Path]] = {name: [] for name in formats.formats()}
    for path in every_sample():
        for fmt in formats.matching_formats(Source(path, path.name).head):
            found[fmt.name].append(path)
    return found


def made(folder: Path) -> dict[str, list[Path]]:
    """Write small files in every format that is written, and archives, which mutations leave readable more often."""
    found: dict[str, list[Path]] = {}
    for fmt in formats.formats().values():
        for kind, corpus in _small().items() if fmt.write is not None else ():
            try:
                write_files(corpus, folder / fmt.name / kind, fmt)
            except GammaAlignError:
                continue
            paths = sorted(
                path for path in (folder / fmt.name / kind).rglob("*") if path.suffix.lower() in fmt.suffixes
            )
            found.setdefault(fmt.name, []).extend(paths)
    for name, table in table_formats.TABLES.items():
        path = folder / name / f"units{table.suffix}"
        path.parent.mkdir(parents=True)
        ga.write(ga.Corpus.from_records(_UNITS), path, format=name)
        found.setdefault(name, []).append(path)
    suite, lines = SAMPLES / "webanno_tsv" / "tsv3-suite", SAMPLES / "doccano" / "new_format_example.jsonl"
    tables = [
        path for path in sorted(suite.rglob("reference.tsv")) if b"NamedEntity|identifier|value" in path.read_bytes()
    ]
    project = {
        f"annotation/{at}.txt/{user}.tsv": path for at, path in enumerate(tables[:2]) for user in ("anna", "bert")
    }
    for name, contents in (("inception", project), ("doccano", {"anna.jsonl": lines, "bert.jsonl": lines})):
        path = folder / f"{name}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("exportedproject1.json", '{"source_documents": []}')
            for inside, its in contents.items():
                archive.write(its, inside)
        found.setdefault(name, []).append(path)
    return found


def item_tables(folder: Path) -> Iterator[tuple[Path, str]]:
    """Write small tables of judgments of items, of every layout and kind of file, and yield each with its options."""
    folder.mkdir(parents=True)
    for name, (rows, options) in _ITEM_TABLES.items():
        for suffix, separator in ((".csv", ","), (".tsv", "\t")):
            path = folder / f"{name}{suffix}"
            path.write_text("".join(f"{separator.join(row)}\n" for row in rows), encoding="utf-8")
            yield path, options
        with contextlib.suppress(ImportError):
            from pyarrow import parquet, table

            columns = zip(*rows[1:], strict=True)
            path = folder / f"{name}.parquet"
            parquet.write_table(table(dict(zip(rows[0], map(list, columns), strict=True))), path)
            yield path, options


def _small() -> dict[str, ga.Corpus]:
    """Return a corpus on a text and one in time, as small as has everything."""
    text = "Anna saw \U0001f642 Rome, and <Bert> & co. did not."
    shorter = [(*unit[:2], unit[2] / 8, unit[3] / 8, unit[4]) for unit in _UNITS]
    extent = np.array([[0.0, float(len(text))]])
    return {
        "text": replace(ga.Corpus.from_records(_UNITS), length_unit="char", texts=(text,), extents=extent),
        "time": replace(ga.Corpus.from_records(shorter), length_unit="s"),
    }


def readable_first(name: str, paths: list[Path]) -> list[Path]:
    """Return the files, several times those that are read as they are: what is refused is so after most changes too."""
    settings: dict[str, Any] = {"outside": "extend"}
    if name not in table_formats.TABLES:
        settings |= {"mismatch": "keep", **HINTS.get(name, {"layers": "*"})}
    read = [path for path in paths if isinstance(reads_or_refuses(path, format=name, **settings), ga.Corpus)]
    return paths + read * (4 * len(paths) // max(len(read), 1))


def every_sample() -> list[Path]:
    """Return all files of the samples."""
    return sorted(path for path in SAMPLES.rglob("*") if path.is_file())


def placed(sample: Path, folder: Path) -> Path:
    """Return a path for a changed sample, with the files beside that its folder has."""
    beside = [path for path in sample.parent.iterdir() if path.is_file() and path != sample]
    folder.mkdir()
    for path in beside if len(beside) < 40 else []:
        (folder / path.name).symlink_to(path)
    return folder / sample.name


def try_one(name: str, sample: Path, target: Path, rng: random.Random, others: list[bytes]) -> ga.Corpus | None:
    """Read a changed sample, in its format or whatever it looks like; write what comes of it.

    Parameters
    ----------
    name : str
        The format of the sample.
    sample, target : Path
        The sample, and where the changed one is put.
    rng : random.Random
        Says what is changed, and the settings.
    others : list of bytes
        Other files of the format, to splice with.
    """
    target.write_bytes(mutated(sample.read_bytes(), rng, others))
    settings = some_settings(name, rng)
    if rng.random() < 0.85:
        settings["format"] = name
    try:
        found = reads_or_refuses(target, **settings)
        if rng.random() < 0.3:
            agrees_with_validate(target, found, settings)
        if isinstance(found, GammaAlignError):
            return None
        if rng.random() < 0.3:
            writes_or_refuses(found)
    except Exception as error:
        error.add_note(f"{target} (from {sample.name}) read with {settings}")
        raise
    return found


def reads_or_refuses(path: Path, **settings: Any) -> ga.Corpus | GammaAlignError:
    """Return the corpus in a file, or the error that refuses it; any other exception is a defect, and comes through.

    A message is for people: it is not empty, and no longer than they read.
    """
    try:
        return ga.read(path, **settings)
    except GammaAlignError as error:
        message = str(error)
        assert message.strip(), "an error without a message"
        longest = max(map(len, message.split("\n")))
        assert longest < LONGEST_MESSAGE, f"a line of {longest} characters in a message: {message[:200]}…"
        return error


def agrees_with_validate(path: Path, found: ga.Corpus | GammaAlignError, settings: dict[str, Any]) -> None:
    """Look at the file as ``validate`` does: it has something to tell where, and only where, reading refuses."""
    try:
        problems = validate(path, **settings).problems
    except GammaAlignError as error:
        problems = [error]
    assert bool(problems) == isinstance(found, GammaAlignError), f"read: {found}; validate: {problems[:3]}"


def writes_or_refuses(corpus: ga.Corpus) -> None:
    """Write a corpus in every format there is; what cannot be held is refused, any other exception is a defect."""
    for fmt in formats.formats().values():
        if fmt.write is not None:
            try:
                for _ in fmt.write(corpus):
                    pass
            except GammaAlignError:
                pass


def some_settings(name: str, rng: random.Random) -> dict[str, Any]:
    """Return settings of `read`, such as lead past the first refusals."""
    if name in table_formats.TABLES:
        settings = rng.choice(
            [{}, {}, {"annotator": "anna"}, {"columns": {"document": "annotator"}}, {"labels": {"x": "y"}}]
        )
        return {**settings, "outside": rng.choice(["extend", "refuse"])}
    settings = {"outside": "extend", "mismatch": "keep"}
    if rng.random() < 0.5:
        return settings | HINTS.get(name, {"layers": "*"})
    if rng.random() < 0.7:
        settings["layers"] = "*"
    for setting, values in (
        ("annotator", ["{layer}", "anna", "{folder}"]),
        ("offsets", ["utf-16", "bytes", "code-points"]),
        ("positions", ["tokens", "characters"]),
        ("discontinuous", ["parts", "refuse"]),
        ("encoding", ["latin-1", "utf-16"]),
        ("align_text", [True]),
        ("mismatch", ["refuse"]),
        ("outside", ["refuse"]),
    ):
        if rng.random() < 0.15:
            settings[setting] = rng.choice(values)
    return settings


def mutated(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Return the file with one to four things wrong."""
    inside = _inside(data, rng, others)
    if inside is not None:
        return inside
    ways = (*_OF_BYTES, *(_OF_XML if data.lstrip(b"\xef\xbb\xbf \r\n")[:1] == b"<" else _OF_TEXT))
    for _ in range(rng.choice((1, 1, 2, 4))):
        data = rng.choice(ways)(data, rng, others)
    return data


def _inside(data: bytes, rng: random.Random, others: list[bytes]) -> bytes | None:
    """Return what is packed with something wrong inside, half of the time; ``None`` for what is not packed."""
    if rng.random() < 0.4:
        return None
    try:
        if data.startswith(b"PK\3\4"):
            return _zip(data, rng, others)
        if data[:1] == b"\x78":
            return zlib.compress(mutated(zlib.decompress(data), rng, []))
    except Exception:  # noqa: BLE001  (changed before, and damaged in any way)
        return None
    return None


def _zip(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        contents = [(info.filename, archive.read(info)) for info in archive.infolist()]
    at = rng.randrange(len(contents))
    name, its = contents[at]
    if rng.random() < 0.2:
        contents[at] = (rng.choice([name + "x", "../" + name, contents[0][0], "a/b/c/d"]), its)
    elif rng.random() < 0.1:
        del contents[at]
    else:
        contents[at] = (name, mutated(its, rng, others))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, its in dict(contents).items():
            archive.writestr(name, its)
    return packed.getvalue()


def _block(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + int(2 ** rng.uniform(0, 10)))


def _flip(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _delete(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    start, end = _block(data, rng)
    return data[:start] + data[end:]


def _truncate(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _insert(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(TOKENS) + data[at:]


def _double(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    start, end = _block(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 1, 50)) + data[end:]


def _double_line(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    at = rng.randrange(len(lines) + 1)
    return b"".join(lines[:at] + lines[at : at + 1] * 2 + lines[at + 1 :])


def _drop_line(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    at = rng.randrange(len(lines) + 1)
    return b"".join(lines[:at] + lines[at + 1 :])


def _splice(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    other = rng.choice([data, *others])
    start, end = _block(other, rng)
    at = rng.randrange(len(data) + 1)
    return data[:at] + other[start:end] + data[rng.choice((at, min(len(data), at + end - start))) :]


def _token(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    start = rng.randrange(len(data) + 1)
    match = _TOKEN.search(data, start)
    if match is None:
        return data
    return data[: match.start()] + rng.choice(TOKENS) + data[match.end() :]


def _value(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    """Replace, drop or double one value of JSON, in one line where each line is JSON."""
    try:
        return json.dumps(_in_value(json.loads(data), rng)).encode()
    except (ValueError, RecursionError):
        pass
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    at = rng.randrange(len(lines))
    try:
        lines[at] = json.dumps(_in_value(json.loads(lines[at]), rng)).encode() + b"\n"
    except (ValueError, RecursionError):
        return _token(data, rng, [])
    return b"".join(lines)


def _element(data: bytes, rng: random.Random, _: list[bytes]) -> bytes:
    """Change, drop or double one element of XML or one of its attributes, so that it is well formed still."""
    try:
        root = fromstring(data)
    except (ET.ParseError, ValueError, LookupError):
        return _token(data, rng, [])
    above = [(parent, at) for parent in root.iter() for at in range(len(parent))]
    parent, at = rng.choice(above) if above else (root, None)
    what = rng.choice(("attribute", "attribute", "attribute", "text", "drop", "double", "move"))
    its = root if at is None else parent[at]
    if what == "attribute" and its.attrib:
        key = rng.choice(list(its.attrib))
        its.set(key, rng.choice([*WORDS, *rng.choice(above or [(root, 0)])[0].attrib.values()]))
        if rng.random() < 0.3:
            del its.attrib[key]
    elif what == "text":
        its.text = rng.choice(WORDS)
    elif at is not None and what == "drop":
        del parent[at]
    elif at is not None:
        other = parent if what == "double" else rng.choice(above)[0]
        other.append(copy.deepcopy(its))
    return ET.tostring(root, rng.choice(("utf-8", "utf-8", "utf-16", "iso-8859-1")))


def _in_value(value: Any, rng: random.Random) -> Any:
    """Return the value with one place in it changed, any depth alike."""
    places = list(_places(value))
    if not places:
        return rng.choice(VALUES)
    holder, key = rng.choice(places)
    what = rng.random()
    if what < 0.6:
        holder[key] = rng.choice(VALUES)
    elif what < 0.8:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(key, holder[key])
    else:
        other, its = rng.choice(places)
        if its in (other if isinstance(other, dict) else range(len(other))):
            holder[key] = json.loads(json.dumps(other[its]))
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict | list):
            for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
                yield holder, key
                waiting.append(holder[key])


_Way = Callable[[bytes, random.Random, list[bytes]], bytes]
_OF_BYTES: tuple[_Way, ...] = (_flip, _delete, _truncate, _insert, _double, _double_line, _drop_line, _splice)
_OF_TEXT: tuple[_Way, ...] = (_token, _token, _token, _token, _value, _value, _value, _value)
_OF_XML: tuple[_Way, ...] = (_token, _token, *(_element,) * 8)
