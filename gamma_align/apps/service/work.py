"""The work of a worker process: read the data of a request, run a command on them, and write the result as JSON.

Nothing here knows HTTP. A worker finds the functions of this module by name. They call `report` with the kind of a
message and its content.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import pickle
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from gamma_align.apps.service.going_on import work_so_far
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.refusal import HTTP, MAX_PROBLEMS, Refusal, problem_parts, refusal_for, refusal_of
from gamma_align.apps.service.settings import values_of
from gamma_align.data import Corpus, ItemTable, Json, disk_full, is_disk_full
from gamma_align.errors import GammaAlignError, InputError, Location, SettingsError, render
from gamma_align.inference import finite_or_none
from gamma_align.measures.gamma import PART_UNITS, CurrentEstimate, GammaSettings
from gamma_align.measures.unitizing import ALPHA_2004
from gamma_align.present.writers import csv_text, json_pieces
from gamma_align.reading import SeveralFormatsError, Source, contents_at, formats, items_instead
from gamma_align.reading.tables import table_formats
from gamma_align.requests import (
    Values,
    computation,
    distance_of,
    measure_settings,
    options_of,
    read_whole,
    reading_settings,
    selected,
)

if TYPE_CHECKING:
    from gamma_align.requests import Tables

Report = Callable[[str, object], None]
Progress = Callable[[int, int], None]
"""A function that is called with the numbers of samples drawn and of samples to draw."""
COMMANDS = {
    "measure": "γ, γcat and γk of each document and of the corpus; uα, |uα, cuα, (k)uα on request",
    "align": "The best alignment of each document",
    "items": "S, π, κ, K, α, AC₁ … of annotators who categorise predefined items",
    "shuffle": "Simulated annotators: a reference with errors of known kinds and size",
    "evaluate": "Annotators or systems against a reference, or F1 of every two",
    "ceiling": "How well any model can score against the annotators",
    "look": "The first look: a verdict in a sentence, values, the largest causes of disagreement",
}
"""The subcommands of the HTTP API, with the summary of their results."""
RESULT = "result.json"  # in the folder of a job: the response
MEASURED = "measured.pickle"  # in the folder of a job: the result of `measure`, from which CSV is written
SETTINGS = "settings.json"  # in the folder of a job
BODY = "body.json"  # in a folder of data: a request in JSON, instead of files
_REPORT_SECONDS = 0.25  # before the first report and between two: a client cannot read more than a few per second
_MAX_RESULT_IN_MEMORY = 64 << 10  # bytes of a result of a small request
_MIN_CACHED_UNITS = 1_000  # of a request in JSON: to read and measure fewer again takes as long as to store them


class Result(Protocol):
    """The result of a command."""

    def to_dict(self) -> dict[str, Json]:
        """Return the result, ready for JSON."""


class Data(NamedTuple):
    """The data of a request: a folder, and the name of the file or folder in it; `BODY` is a request in JSON.

    A small request in JSON is `body` instead of a file.
    """

    folder: Path
    name: str
    body: bytes | None = None

    @property
    def description(self) -> str:
        """Words for the data in a message."""
        return "the data of the request" if self.name == BODY else repr(self.name)


def run(report: Report, *, command: str, data: Data, folder: Path, limits: Limits) -> bytes | None:
    """Run a command with the settings in a folder, and write the result there as JSON (and pickled, of `measure`).

    Return a small result of a small request instead.
    """
    with naming_no_folders(folder, data.folder):
        values = _values(command, data, folder)
        progress = _GammaReports(report) if command == "measure" else _Reports(report)
        result = _compute(command, data, values, limits, progress)
        if command == "measure" and not _is_small(result, data, folder):
            _write([pickle.dumps(result, pickle.HIGHEST_PROTOCOL)], folder / MEASURED)
        pieces = (piece.encode("utf-8", "backslashreplace") for piece in json_pieces(result.to_dict(), HTTP))
        head: list[bytes] = []
        while data.body is not None and sum(map(len, head)) <= _MAX_RESULT_IN_MEMORY:
            piece = next(pieces, None)
            if piece is None:
                return b"".join(head)
            head.append(piece)
        _write(chain(head, pieces), folder / RESULT)
    return None


def _write(pieces: Iterable[bytes], file: Path) -> None:
    """Write a file. Nobody reads it before the job is done, so that it need not be written atomically."""
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        with file.open("wb") as stream:
            stream.writelines(pieces)
    except OSError as error:
        if is_disk_full(error):
            raise disk_full("the result", error) from None
        raise SettingsError(f"cannot write the result: {error.strerror or error}") from None


def _is_small(result: Any, data: Data, folder: Path) -> bool:  # noqa: ANN401  (of `measure`, which is imported by name)
    """Return whether a result of `measure` is not stored: of few units that came with the request, in JSON.

    The page measures data that were sent before. To store a small result takes a tenth of the work on it.
    """
    is_of_page = data.name != BODY or (folder / SETTINGS).exists()
    return not is_of_page and sum(result.annotators.values()) < _MIN_CACHED_UNITS


def measured_result(folder: Path, data: Data, limits: Limits) -> Any:  # noqa: ANN401  (of `measure`)
    """Return the result of `measure` in the folder of its job: as `run` stored it, or measured again if it is small."""
    file = folder / MEASURED
    if file.exists():
        return pickle.loads(file.read_bytes())  # noqa: S301  (a worker wrote this file in the folder of the service)
    return _compute("measure", data, _values("measure", data, folder), limits, lambda *_: None)


def csv_of(folder: Path, data: Data, limits: Limits) -> str:
    """Return the CSV of a result of `measure`, for spreadsheets, in which a browser opens it."""
    result = measured_result(folder, data, limits)
    from gamma_align.requests import result_rows

    return csv_text(result_rows(result), is_safe=True)


def describe(_: Report, *, data: Data, folder: Path, limits: Limits) -> dict[str, object]:
    """Return a description of data: documents with their sizes, annotators, categories, and the notes of reading."""
    with naming_no_folders(folder, data.folder):
        _check_packed(data, limits)
        corpus = corpus_of(data, _values("align", data, folder), limits)
    counts = zip(corpus.documents, corpus.n_annotators.tolist(), corpus.units_per_document.tolist(), strict=True)
    return {
        "documents": [
            {"document": name, "annotators": n_annotators, "units": n_units} for name, n_annotators, n_units in counts
        ],
        "annotators": [*corpus.annotators],
        "categories": [*corpus.categories],
        "units": corpus.n_units,
        "length_unit": corpus.length_unit,
        "has_texts": any(text is not None for text in corpus.texts or ()),
        "notes": [render(note, HTTP) for note in corpus.notes],
    }


def _values(command: str, data: Data, folder: Path) -> Values:
    """Return the values of the options of a request, from its folder or its body."""
    settings = settings_in(folder / SETTINGS) if (folder / SETTINGS).exists() else _body(data)["settings"]
    return values_of(command, settings, folder)


def settings_in(file: Path) -> dict[str, Json]:
    """Return the settings in a file of JSON."""
    return settings_of(file.read_bytes())


def settings_of(text: bytes) -> dict[str, Json]:
    """Return the settings in a text of JSON; Refusal if it is not an object."""
    settings = json_of(text)
    if not isinstance(settings, dict):
        raise Refusal("usage", "settings are an object of names and values", location={"field": "settings"})
    return settings


def json_of(text: bytes) -> object:
    """Return the value of a text in JSON; Refusal if it is none."""
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Refusal("usage", f"the request is not JSON: {error}", "send an object, UTF-8") from None
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


@lru_cache(maxsize=1)  # a request is parsed once, for its settings and for its units
def _body(data: Data) -> dict[str, Json]:
    """Return a checked request in JSON; for files, a request with empty settings."""
    if data.name != BODY:
        return {"settings": {}}
    from gamma_align.apps.service.body import checked

    return checked((data.folder / data.name).read_bytes() if data.body is None else data.body)


def _check_settings(command: str, values: Values) -> None:
    """Refuse wrong settings before data are read."""
    if command == "items":
        distance_of(values)
    elif command not in ("shuffle", "ceiling"):
        GammaSettings.of(**measure_settings(values))


def _check_packed(data: Data, limits: Limits) -> None:
    """Refuse archives and Parquet files whose unpacked size exceeds the limit, before they are unpacked."""
    if data.name == BODY:
        return
    path = data.folder / data.name
    files = path.rglob("*") if path.is_dir() else [path]
    for file in files:
        if file.is_file() and zipfile.is_zipfile(file):
            # The reader of the archive reports damage.
            with contextlib.suppress(zipfile.BadZipFile, NotImplementedError), zipfile.ZipFile(file) as archive:
                _check(sum(info.file_size for info in archive.infolist()), limits.unpacked, "bytes in the archive")
        elif file.suffix.lower() == ".parquet" and file.is_file():
            _check_parquet(file, limits)


def _check_parquet(file: Path, limits: Limits) -> None:
    """Refuse a Parquet file with too many rows or unpacked bytes; the reader reports damaged ones."""
    try:
        from pyarrow import ArrowInvalid, parquet

        metadata = parquet.read_metadata(file)
    # The reader of tables reports these problems.
    except (ImportError, OSError, ArrowInvalid):
        return
    groups = (metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
    _check(sum(groups), limits.unpacked, "bytes in the table")
    _check(metadata.num_rows, limits.units, "rows in the table")


def _compute(command: str, data: Data, values: Values, limits: Limits, progress: Progress) -> Result:
    """Return the result of a command."""
    has_older_alpha = command == "measure" and ALPHA_2004 in values["coefficients"]
    compute = computation("older_alpha" if has_older_alpha else command)
    _check_settings(command, values)
    _check_packed(data, limits)
    if command == "items":
        items: Result = compute(_tables(data, values, limits), values)
        return items
    if command == "look":
        look: Result = compute(_units_or_items(data, values, limits), values, progress)
        return look
    corpus = None
    if command != "shuffle" or values["synthetic"] is None or data.name != BODY:
        corpus = selected(corpus_of(data, values, limits), values)
    if command == "shuffle":
        _check_copies(values["synthetic"] if corpus is None else corpus.n_units, values, limits)
    with contextlib.ExitStack() as stack:
        # Intermediate values of a corpus of several parts cannot be reported.
        is_one_part = corpus is not None and corpus.n_units + len(corpus) <= PART_UNITS
        if command == "measure" and not has_older_alpha and data.name != BODY and is_one_part:
            work = work_so_far(data.folder / f".{_name_of(values)}.work")
            values = {**values, "work": stack.enter_context(work)}
        result: Result = compute(corpus, values, progress)
    return result


def _check_copies(n_units: int, values: Values, limits: Limits) -> None:
    """Refuse simulated annotators with too many units in all."""
    copies = values["annotators"] * values["repetitions"] * len(values["magnitude"])
    _check(n_units * copies, limits.units, "units to be made")


def _units_or_items(data: Data, values: Values, limits: Limits) -> Corpus | ItemTable:
    """Return the corpus in the data, or the table of items if nothing tells of units, as the command does."""
    if data.name == BODY and _body(data)["units"] is None and _body(data)["judgments"] is not None:
        return _tables(data, {named.name: named.default() for named in options_of("items")}, limits).items
    try:
        return selected(corpus_of(data, values, limits), values)
    except Refusal:
        if data.name == BODY or reading_settings(values):
            raise
        with contextlib.chdir(data.folder):
            table = items_instead([data.name])
        if table is None:
            raise
    _check(table.judgments.size, limits.units, "judgments")
    return table


def _tables(data: Data, values: Values, limits: Limits) -> Tables:
    """Return the table of items of a request, or of its files."""
    from gamma_align.requests import Tables, read_tables

    if data.name == BODY:
        from gamma_align.apps.service.body import item_table

        try:
            tables = Tables(item_table(_body(data), values), None)
        finally:
            _body.cache_clear()  # it may be large
    else:
        with contextlib.chdir(data.folder):
            tables = read_tables(data.name, values)
    _check(tables.items.judgments.size, limits.units, "judgments")
    return tables


def corpus_of(data: Data, values: Values, limits: Limits) -> Corpus:
    """Return the corpus in the data, read as the values say, and cache it in the folder of the data."""
    settings = {
        **reading_settings(values),
        "outside": values["outside"],
        "trim": values["trim"],
        "width": values["width"],
    }
    cache = data.folder / f".{_name_of(settings)}.corpus"  # `safe_name` allows no file of a request to begin with "."
    # A cached corpus has passed the checks below.
    if data.body is None and cache.exists():
        corpus: Corpus = pickle.loads(cache.read_bytes())  # noqa: S301  (a worker wrote this file)
        return corpus
    corpus = _read(data, values)
    _check(corpus.n_units, limits.units, "units")
    _check(int(np.max(corpus.n_annotators, initial=0)), limits.annotators, "annotators of a document")
    if data.body is not None or (data.name == BODY and corpus.n_units < _MIN_CACHED_UNITS):
        return corpus
    temporary = cache.with_suffix(".new")
    try:
        temporary.write_bytes(pickle.dumps(corpus, pickle.HIGHEST_PROTOCOL))
    except OSError as error:
        temporary.unlink(missing_ok=True)
        if is_disk_full(error):  # the work can do without the cache
            return corpus
        raise
    # Another worker may read the cache at any moment, so it appears in full.
    temporary.replace(cache)
    return corpus


def _name_of(settings: Mapping[str, object]) -> str:
    """Return a name that is the same for the same settings."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _read(data: Data, values: Values) -> Corpus:
    """Read the corpus in the data, a request in JSON or files."""
    if data.name == BODY:
        from gamma_align.apps.service import body

        try:
            return body.corpus_of(_body(data), values)
        finally:
            _body.cache_clear()  # it may be large
    with contextlib.chdir(data.folder):
        try:
            return read_whole([data.name], values, data.name)
        except SeveralFormatsError as error:
            if any(path.parent != Path(data.name) for path in error.paths):  # a folder that was sent stays one corpus
                raise
            names = [path.name for path in error.paths]
        except InputError as error:
            raise _refusal_with_all_problems(data, values, error) from None
    # As on the command line, several paths are one corpus.
    with contextlib.chdir(data.folder / data.name):
        return read_whole(names, values)


def _refusal_with_all_problems(data: Data, values: Values, error: InputError) -> Refusal:
    """Return the refusal of a file with all its problems. The file is read once more to list them."""
    if error.proposals:
        return refusal_of(error)
    source = Source(Path(data.name), data.name)
    is_file = Path(data.name).is_file()
    if is_file and table_formats.by_suffix(source.path) is None and not formats.matching_formats(source.head):
        return refusal_for("unknown_format", error.problem._replace(location=Location(data.name)))
    problems = []
    with contextlib.suppress(GammaAlignError):
        contents = contents_at(data.name, outside=values["outside"], **reading_settings(values))
        problems = contents.sorted_problems()
    if not problems:
        return refusal_of(error)
    n_others = len(problems) - 1
    listed = tuple(map(problem_parts, problems[:MAX_PROBLEMS])) if n_others else ()
    refusal = refusal_for("invalid_input", problems[0], n_others=n_others, problems=listed)
    refusal.asks = refusal_of(error).asks or refusal.asks
    return refusal


def _check(count: int, limit: int, noun: str) -> None:
    """Refuse a count above a limit; `noun` names in the message what is counted."""
    if count > limit:
        raise Refusal(
            "too_large", f"there are {count:,} {noun}, and the service takes {limit:,}", "use the command line for them"
        )


@contextlib.contextmanager
def naming_no_folders(*folders: Path) -> Iterator[None]:
    """Remove the folders of this machine from messages."""
    try:
        yield
    except Exception as error:
        refusal = refusal_of(error)
        # The log needs the traceback of a bug, which a new exception would not have.
        if refusal.code == "failed":
            raise
        for folder in folders:
            refusal.message = refusal.message.replace(f"{folder}/", "")
            refusal.cure = refusal.cure and refusal.cure.replace(f"{folder}/", "")
        raise refusal from None


class _Reports:
    """Report progress a few times a second, and at the end."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._last_progress = time.monotonic()
        self._documents: dict[str, list[int]] = {}

    def __call__(self, done: int, total: int) -> None:
        time_now = time.monotonic()
        if time_now - self._last_progress >= _REPORT_SECONDS or done >= total:
            self._last_progress = time_now
            self._report("progress", {"samples": [done, max(done, total)], **self._documents})


class _GammaReports(_Reports):
    """Report progress, and the current estimate of γ."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._last_estimate = time.monotonic()

    def partial(self, so_far: Callable[[], CurrentEstimate]) -> None:
        """Report the current estimate, a few times a second."""
        time_now = time.monotonic()
        if time_now - self._last_estimate < _REPORT_SECONDS:
            return
        self._last_estimate = time_now
        current = so_far()
        gamma = {
            "value": finite_or_none(current.gamma.value),
            "low": finite_or_none(current.gamma.low),
            "high": finite_or_none(current.gamma.high),
            "reason": current.gamma.reason,
            "no_interval": current.gamma.no_interval,
            "precise": False,
        }
        self._documents = {"documents": [current.n_sampled, current.n_measurable]}
        values = {"observed": finite_or_none(current.observed), "gamma_of_documents": dict(current.gamma_by_document)}
        self._report("partial", {"gamma": gamma, **values, **self._documents})
