"""What a worker process does: read the data of a request, run a command on it, and write its JSON.

Nothing here knows HTTP. The functions stand at the top of the module, so that a worker finds them by name; `report` is
called with a kind of message and what it says.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import pickle
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamma_align.apps.cli._arguments import reading_settings
from gamma_align.apps.cli._corpus import read_whole, selected
from gamma_align.apps.cli._measure import distance_of, measure_settings
from gamma_align.apps.cli._output import json_pieces
from gamma_align.apps.service.going_on import work_so_far
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.refusal import HTTP, PROBLEMS, Refusal, problem_parts, refusal_for, refusal_of
from gamma_align.apps.service.settings import arguments_of
from gamma_align.data.corpus import Corpus
from gamma_align.errors import GammaAlignError, InputError, Location, SettingsError, render
from gamma_align.inference.values import finite_or_none
from gamma_align.measures.gamma.gamma_settings import GammaSettings
from gamma_align.measures.gamma.measure import PART_UNITS
from gamma_align.measures.gamma.part_work import CurrentEstimate
from gamma_align.reading import formats
from gamma_align.reading.files.sources import Source
from gamma_align.reading.read import contents_at
from gamma_align.reading.tables import table_formats

if TYPE_CHECKING:
    import argparse

Report = Callable[[str, Any], None]
COMMANDS = {
    "measure": "γ, γcat and γk of each document and of the corpus; uα, |uα, cuα, (k)uα on request",
    "align": "The best alignment of each document",
    "items": "S, π, κ, K, α, AC₁ … of annotators who categorise predefined items",
    "shuffle": "Simulated annotators: a reference with errors of known kinds and size",
    "evaluate": "Annotators or systems against a reference, or F1 of every two",
}
"""The subcommands that are served, and what each gives."""
RESULT, MEASURED = "result.json", "measured.pickle"
SETTINGS = "settings.json"
BODY = "body.json"
_OFTEN = 0.25


class Data(NamedTuple):
    """The data of a request: their folder, and what in it is read; ``body.json`` is a request in JSON."""

    folder: Path
    name: str


def run(report: Report, *, command: str, data: Data, folder: Path, limits: Limits) -> None:
    """Run a command with the settings in the folder, and write its JSON there; of a measure, what CSV is made from."""
    with naming_no_folders(folder, data.folder):
        arguments = _arguments(command, data, folder)
        progress = _Watched(report) if command == "measure" else _Throttled(report)
        result = _computed(command, data, arguments, limits, progress)
        _write(
            (piece.encode("utf-8", "backslashreplace") for piece in json_pieces(result.to_dict(), HTTP)),
            folder / RESULT,
        )
        if command == "measure":
            _write([pickle.dumps(result, pickle.HIGHEST_PROTOCOL)], folder / MEASURED)


def _write(pieces: Iterable[bytes], file: Path) -> None:
    """Write a file that nobody looks at before the job is done, and no service after this one."""
    try:
        with file.open("wb") as stream:
            stream.writelines(pieces)
    except OSError as error:
        raise SettingsError(f"cannot write the result: {error.strerror or error}") from None


def csv_of(measured: Path) -> str:
    """Return the CSV of a result that `run` has kept."""
    result = pickle.loads(measured.read_bytes())  # noqa: S301  (a worker wrote it, in a folder of ours)
    return "".join(import_module("gamma_align.apps.cli.measure").result_csv(result))


def describe(report: Report, *, data: Data, folder: Path, limits: Limits) -> dict[str, Any]:  # noqa: ARG001
    """Return what is in data: names and sizes of documents, annotators, categories, and the notes of reading."""
    with naming_no_folders(folder, data.folder):
        _check_packed(data, limits)
        corpus = corpus_of(data, _arguments("align", data, folder), limits)
    counts = zip(corpus.documents, corpus.n_annotators.tolist(), corpus.units_per_document.tolist(), strict=True)
    return {
        "documents": [{"document": name, "annotators": people, "units": units} for name, people, units in counts],
        "annotators": [*corpus.annotators],
        "categories": [*corpus.categories],
        "units": corpus.n_units,
        "length_unit": corpus.length_unit,
        "has_texts": any(text is not None for text in corpus.texts or ()),
        "notes": [render(note, HTTP) for note in corpus.notes],
    }


def _arguments(command: str, data: Data, folder: Path) -> argparse.Namespace:
    settings = settings_in(folder / SETTINGS) if (folder / SETTINGS).exists() else _body(data)["settings"]
    return arguments_of(command, settings, [data.name], folder)


def settings_in(file: Path) -> dict[str, Any]:
    """Return the settings in a file of JSON."""
    return settings_of(file.read_bytes())


def settings_of(text: bytes) -> dict[str, Any]:
    """Return the settings that a text in JSON says."""
    settings = json_of(text)
    if not isinstance(settings, dict):
        raise Refusal("usage", "settings are an object of names and values", where={"field": "settings"})
    return settings


def json_of(text: bytes) -> Any:  # noqa: ANN401  (any JSON)
    """Return what a text in JSON says."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Refusal("usage", f"the request is not JSON: {error}", "send an object, UTF-8") from None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _body(data: Data) -> dict[str, Any]:
    """Return a request in JSON, checked; there are settings in any case."""
    if data.name != BODY:
        return {"settings": {}}
    from gamma_align.apps.service.body import checked

    return checked((data.folder / data.name).read_bytes())


def _check_settings(command: str, arguments: argparse.Namespace) -> None:
    """Refuse wrong settings before anything is read."""
    if command == "items":
        distance_of(arguments)
    elif command != "shuffle":
        GammaSettings.of(**measure_settings(arguments))


def _check_packed(data: Data, limits: Limits) -> None:
    """Refuse archives and Parquet files that unpack to more than there may be, before they are unpacked."""
    path = data.folder / data.name
    for file in path.rglob("*") if path.is_dir() else [path]:
        if file.is_file() and zipfile.is_zipfile(file):
            with contextlib.suppress(zipfile.BadZipFile, NotImplementedError), zipfile.ZipFile(file) as archive:
                _check(sum(info.file_size for info in archive.infolist()), limits.unpacked, "bytes in the archive")
        elif file.suffix.lower() == ".parquet" and file.is_file():
            _check_parquet(file, limits)


def _check_parquet(file: Path, limits: Limits) -> None:
    try:
        from pyarrow import ArrowInvalid, parquet

        metadata = parquet.read_metadata(file)
    except (ImportError, OSError, ArrowInvalid):
        return
    groups = (metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
    _check(sum(groups), limits.unpacked, "bytes in the table")
    _check(metadata.num_rows, limits.units, "rows in the table")


def _computed(
    command: str, data: Data, arguments: argparse.Namespace, limits: Limits, progress: Callable[[int, int], None]
) -> Any:  # noqa: ANN401  (a result of any command)
    module: Any = import_module(f"gamma_align.apps.cli.{command}")
    _check_settings(command, arguments)
    _check_packed(data, limits)
    if command == "items":
        return module.compute(_tables(module, data, arguments, limits), arguments)
    if command == "shuffle" and arguments.synthetic is not None and data.name == BODY:
        _check_copies(arguments.synthetic, arguments, limits)
        return module.compute(None, arguments, progress)
    corpus = selected(corpus_of(data, arguments, limits), arguments)
    in_one_part = corpus.n_units + len(corpus) <= PART_UNITS  # several could not be watched
    if command == "measure" and data.name != BODY and in_one_part:
        with work_so_far(data.folder / f".{_name_of(vars(arguments))}.work") as arguments.work:
            return module.compute(corpus, arguments, progress)
    if command == "shuffle":
        _check_copies(corpus.n_units, arguments, limits)
    return module.compute(corpus, arguments, progress)


def _check_copies(units: int, arguments: argparse.Namespace, limits: Limits) -> None:
    copies = arguments.annotators * arguments.repetitions * len(arguments.magnitude)
    _check(units * copies, limits.units, "units to be made")


def _tables(module: Any, data: Data, arguments: argparse.Namespace, limits: Limits) -> Any:  # noqa: ANN401
    if data.name == BODY:
        from gamma_align.apps.service.body import item_table

        tables = module.Tables(item_table(_body(data), arguments), None)
    else:
        with contextlib.chdir(data.folder):
            tables = module.read_tables(arguments)
    _check(tables.items.judgments.size, limits.units, "judgments")
    return tables


def corpus_of(data: Data, arguments: argparse.Namespace, limits: Limits) -> Corpus:
    """Return the corpus in the data, read as the arguments say, from where it was put when it was first read."""
    how = {**reading_settings(arguments), "outside": arguments.outside, "trim": arguments.trim}
    kept = data.folder / f".{_name_of(how)}.corpus"  # no file of a request begins so
    if kept.exists():
        corpus: Corpus = pickle.loads(kept.read_bytes())  # noqa: S301  (a worker wrote it, in a folder of ours)
        return corpus
    corpus = _read(data, arguments)
    _check(corpus.n_units, limits.units, "units")
    _check(int(np.max(corpus.n_annotators, initial=0)), limits.annotators, "annotators of a document")
    temporary = kept.with_suffix(".new")
    temporary.write_bytes(pickle.dumps(corpus, pickle.HIGHEST_PROTOCOL))
    temporary.replace(kept)
    return corpus


def _name_of(settings: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _read(data: Data, arguments: argparse.Namespace) -> Corpus:
    if data.name == BODY:
        from gamma_align.apps.service.body import corpus as in_body

        return in_body(_body(data), arguments)
    with contextlib.chdir(data.folder):
        try:
            return read_whole(arguments)
        except InputError as error:
            raise _every_problem(data, arguments, error) from None


def _every_problem(data: Data, arguments: argparse.Namespace, error: InputError) -> Refusal:
    """Return the refusal of a file with all its problems: it is read once more, to list them."""
    source = Source(Path(data.name), data.name)
    is_file = Path(data.name).is_file()
    if is_file and table_formats.by_suffix(source.path) is None and not formats.claiming(source.head):
        return refusal_for("unknown_format", error.problem._replace(location=Location(data.name)))
    problems = []
    with contextlib.suppress(GammaAlignError):
        contents = contents_at(data.name, outside=arguments.outside, **reading_settings(arguments))
        problems = contents.sorted_problems()
    if not problems:
        return refusal_of(error)
    more = len(problems) - 1
    listed = tuple(map(problem_parts, problems[:PROBLEMS])) if more else ()
    return refusal_for("invalid_input", problems[0], more=more, problems=listed)


def _check(count: int, limit: int, what: str) -> None:
    if count > limit:
        raise Refusal(
            "too_large", f"there are {count:,} {what}, and the service takes {limit:,}", "use the command line for them"
        )


@contextlib.contextmanager
def naming_no_folders(*folders: Path) -> Iterator[None]:
    """Take the folders of the machine out of messages."""
    try:
        yield
    except Exception as error:
        refusal = refusal_of(error)
        if refusal.code == "failed":
            raise
        for folder in folders:
            refusal.message = refusal.message.replace(f"{folder}/", "")
            refusal.cure = refusal.cure and refusal.cure.replace(f"{folder}/", "")
        raise refusal from None


class _Throttled:
    """Progress, reported a few times a second, and at the end."""

    def __init__(self, report: Report) -> None:
        self._report, self._last = report, 0.0
        self._more: dict[str, list[int]] = {}

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last >= _OFTEN or done >= total:
            self._last = now
            self._report("progress", {"samples": [done, max(done, total)], **self._more})


class _Watched(_Throttled):
    """The same with what is known of γ so far."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self._told = -math.inf

    def partial(self, so_far: Callable[[], CurrentEstimate]) -> None:
        """Report it, a few times a second."""
        now = time.monotonic()
        if now - self._told < _OFTEN:
            return
        self._told = now
        known = so_far()
        gamma = {
            "value": finite_or_none(known.gamma.value),
            "low": finite_or_none(known.gamma.low),
            "high": finite_or_none(known.gamma.high),
            "reason": known.gamma.reason,
            "no_interval": known.gamma.no_interval,
            "precise": False,
        }
        self._more = {"documents": [known.n_sampled, known.n_measurable]}
        observed, each = finite_or_none(known.observed), dict(known.gamma_by_document)
        self._report("partial", {"gamma": gamma, "observed": observed, "gamma_of_documents": each, **self._more})
