"""Files that mean harm, and reading them all in all formats: run by itself, where memory and time are bounded.

``python hostile_files.py FOLDER [SIZE]`` prints a line of JSON for each reading that did not end in a corpus or a
refusal, took too long, or told what is in another file. Nesting and lists are of SIZE, 50,000 if not given; lines have
20 times as many characters, and a million at most.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
import zipfile
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))  # which is left out where PYTHONSAFEPATH is set

from fuzzing import reads_or_refuses

from gamma_align.reading import formats

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY = 3 << 30
"""Bytes of address space that reading may take; libraries map about one GB before anything is read."""

LOOPS = 100
"""CPU time that one reading may take, in loops of ten million: a million elements in one another take half of it, and
what is quadratic would not end."""

_DEEP = int(sys.argv[2]) if len(sys.argv) > 2 else 50_000
_LONG = min(20 * _DEEP, 1_000_000)
_XML = b'<?xml version="1.0"?>'


def _entities() -> bytes:
    levels = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' for at in range(1, 12))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">{levels}]><x><y a="&l11;">&l11;</y></x>'.encode()


def _external(secret: Path) -> bytes:
    return f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]><x><y>&e;</y></x>'.encode()


def _deep_xml(name: bytes) -> bytes:
    return _XML + b"<%b>" % name * _DEEP + b"</%b>" % name * _DEEP


def contents(secret: Path) -> dict[str, bytes]:
    """Return hostile files by what they are."""
    return {
        "empty": b"",
        "a byte": b"\x00",
        "zeros": bytes(_LONG),
        "a line end": b"\n",
        "a million line ends": b"\n" * _DEEP,
        "carriage returns": b"\r" * _DEEP,
        "marks only": b"\xef\xbb\xbf",
        "mark of UTF-16": b"\xff\xfe",
        "half of UTF-16": b"\xff\xfea\x00b",
        "no UTF-8": b"\xff\xfe\xfd" * 1000,
        "surrogates": b"\xed\xa0\x80\xed\xb0\x80",
        "binary": bytes(range(256)) * 100,
        "a picture": b"\x89PNG\r\n\x1a\n" + bytes(1000),
        "a long line": b"a" * _LONG,
        "a long number": b"9" * _LONG,
        "numbers": b"1\t1e999\tnan\n-1\t99999999999999999999\t1\n" * 1000,
        "a line of tabs": b"\t" * _LONG,
        "a line of blanks": b" " * _LONG,
        "a line of quotes": b'"' * (_DEEP + 1),
        "a line of bars": b"|" * _LONG,
        "a line of escapes": b"\\" * (_DEEP + 1),
        "an open quote": b'a,"' + b"b,c\n" * 2 * _DEEP,
        "a long cell": b'annotator,start,end\n"' + b"x" * _LONG + b'",1,2\n',
        "many columns": b",".join(b"c%d" % at for at in range(_DEEP)) + b"\n",
        "deep lists": b"[" * _DEEP,
        "deep lists, closed": b"[" * _DEEP + b"]" * _DEEP,
        "deep objects": b'{"a":' * _DEEP + b"1" + b"}" * _DEEP,
        "wide list": b"[" + b"[]," * _DEEP + b"[]]",
        "no numbers": b'[{"start": NaN, "end": Infinity, "text": "a"}]',
        "huge numbers": b'[{"start": 1e999, "end": ' + b"9" * 2 * _DEEP + b"}]",
        "half characters": b'[{"text": "\\ud800", "label": [[0, 1, "\\udc00"]]}]',
        "keys twice": b'{"annotations": [], "annotations": {}}',
        "deep elements": _deep_xml(b"a"),
        "deep elements of TEI": _deep_xml(b"div").replace(b"<div>", b'<TEI xmlns="http://www.tei-c.org/ns/1.0">', 1),
        "deep tiers": _XML + b"<ANNOTATION_DOCUMENT>" + b"<TIER>" * _DEEP,
        "deep units": _XML + b"<annotations>" + b"<unit>" * _DEEP,
        "deep CAS": _XML + b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI">' + b"<a>" * _DEEP,
        "many attributes": _XML + b"<a " + b" ".join(b'a%d="1"' % at for at in range(2 * _DEEP)) + b"/>",
        "entities": _entities(),
        "an entity of many": b'<!DOCTYPE x [<!ENTITY a "'
        + b"a" * 2 * _DEEP
        + b'">]><x>'
        + b"&a;" * 2 * _DEEP
        + b"</x>",
        "an external entity": _external(secret),
        "an external DTD": f'<!DOCTYPE x SYSTEM "{secret.as_uri()}"><x/>'.encode(),
        "a parameter entity": f'<!DOCTYPE x [<!ENTITY % p SYSTEM "{secret.as_uri()}"> %p;]><x/>'.encode(),
        "a strange encoding": b'<?xml version="1.0" encoding="utf-7"?><x/>',
        "a TextGrid of many": b'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n999999999999\n',
        "a TextGrid of quotes": b'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0 1 <exists> 1 "'
        + b'""' * _DEEP,
        "a long TSV": b"#FORMAT=WebAnno TSV 3.3\n#T_SP=" + b"a|" * 2 * _DEEP + b"\n\n\n#Text=" + b"a" * _LONG + b"\n",
        "a long unit": b"T1\tx " + b"0 1;" * 4 * _DEEP + b"0 1\tx\n",
        "long turns": b"SPEAKER " + b"f " * 4 * _DEEP + b"\n",
    }


def archives(folder: Path) -> None:
    """Write archives that mean harm."""
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("all.jsonl", bytes(200 << 20))
    inner = (folder / "bomb.zip").read_bytes()
    with zipfile.ZipFile(folder / "nested.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("exportedproject.json", "{}")
        archive.writestr("annotation/d1.txt/anna.zip", inner)
    with zipfile.ZipFile(folder / "traversal.zip", "w") as archive:
        archive.writestr("../../evil.jsonl", '{"text": "a", "label": []}')
    with zipfile.ZipFile(folder / "many.zip", "w") as archive:
        for at in range(3000):
            archive.writestr(f"{at}.jsonl", "")
    (folder / "none.zip").write_bytes(b"PK\5\6" + bytes(18))
    (folder / "cut.zip").write_bytes(inner[: len(inner) // 2])


def written(folder: Path) -> list[Path]:
    """Write all hostile files; return them."""
    secret = folder / "secret.txt"
    secret.write_text("the secret")
    for name, data in contents(secret).items():
        (folder / f"{name}.bin").write_bytes(data)
    archives(folder)
    return sorted(path for path in folder.iterdir() if path != secret)


def main(folder: Path) -> None:
    """Read all of them in all formats, and as what they look like under the names of all."""
    import resource  # not on Windows

    files = written(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("error")
    suffixes = sorted({suffix for fmt in formats.formats().values() for suffix in fmt.suffixes})
    for file in files:
        for name in formats.formats():
            _try(partial(reads_or_refuses, file, format=name), file.stem, f"format {name}")
        for suffix in suffixes:
            named = file.rename(file.with_suffix(suffix))
            _try(partial(reads_or_refuses, named), file.stem, f"named {suffix}")
            named.rename(file)


@cache
def _longest() -> float:
    """Return the CPU time a reading may take on this machine."""
    before = time.process_time()
    sum(range(10_000_000))
    return LOOPS * (time.process_time() - before)


def _try(read: Callable[[], object], name: str, how: str) -> None:
    before = time.process_time()
    try:
        told = str(read())
    except BaseException as error:  # noqa: BLE001  (any at all is what is looked for)
        _tell(name, how, f"{type(error).__name__}: {error}"[:300])
    else:
        if "the secret" in told:
            _tell(name, how, told)
    taken = time.process_time() - before
    if taken > _longest():
        _tell(name, how, f"took {taken:.1f} s")


def _tell(*what: str) -> None:
    sys.stdout.write(f"{json.dumps(what)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
