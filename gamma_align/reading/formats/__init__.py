"""The formats of annotation tools, a module each, and their registry.

To add a format, write a module with a `FORMAT` and name it in `MODULES`; a package of your own names its `FORMAT` in
the entry-point group ``gamma_align.formats``. Short examples: `htk` has lines, `lighttag` JSON, `glozz` XML and a
writer.

* ``gamma-align convert --about NAME`` prints the module's docstring: the conventions and traps of the format.
* Every module imports from here. `gamma_align.reading.files` opens files and refuses damaged ones:
  `line_files.numbered`,
  `json_files.document`, `xml_files.root`. A format of JSON records, one for each text, derives its reader from
  `gamma_align.reading.marks.records.RecordFile`.
* A reader fills `Marks`: `unit` adds a unit; `annotated` records that an annotator saw the document, even without
  marking a unit; `problem` reports an invalid row, its cause and its cure, and reading goes on; `note` reports an
  assumption. Causes name no option; a cure refers to options as `gamma_align.errors.Set`.
* A document, annotator or layer that the file does not name stays ``None``: the path or the user names it.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from gamma_align.errors import GammaAlignError, Location, SettingsError
from gamma_align.reading.files.sources import Head, Source
from gamma_align.reading.marks.choices import FORMAT_OPTIONS, Choices
from gamma_align.reading.marks.marks import Marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gamma_align.data import Corpus

__all__ = ["Choices", "FileFormat", "Head", "Marks", "Source", "by_name", "formats", "matching_formats"]

GROUP = "gamma_align.formats"
"""The entry-point group in which an installed package names its `FORMAT`."""

# fmt: off
MODULES: tuple[str, ...] = (
    "tables.table_formats", "tables.spreadsheets", "formats.answers", "formats.argilla", "formats.audacity",
    "formats.bioc", "formats.boris", "formats.brat", "formats.catma", "formats.conll.reading", "formats.declared",
    "formats.doccano", "formats.edf", "formats.elan.eaf", "formats.factgenie", "formats.glozz", "formats.htk",
    "formats.hypnogram", "formats.jams", "formats.jsonl", "formats.labelstudio", "formats.lighttag",
    "formats.marked_texts", "formats.mqm", "formats.ner", "formats.potato", "formats.prodigy", "formats.pubtator",
    "formats.qualcoder", "formats.refi_qda", "formats.rttm", "formats.spacy", "formats.subtitles", "formats.tei",
    "formats.textgrid", "formats.timelines", "formats.uima.cas_json", "formats.uima.cas_xmi",
    "formats.uima.inception", "formats.webanno.reading",
)
# fmt: on
"""Modules of `gamma_align.reading` that hold a `FORMAT`, or `FORMATS`."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One format of an annotation tool.

    Attributes
    ----------
    name : str
        The value of ``format=`` that selects it.
    description : str
        The name of the format in messages.
    suffixes : tuple of str
        Suffixes of its files, lower case, with the point; files are written with the first.
    matches : callable
        Head of a file → whether the file has this format. It never raises, and never accepts a file of another format.
    read : callable
        (source, choices) → the `Marks` of the file, or of each file in it. Raises `InputError` if the file cannot be
        read to its end; an invalid row is a problem of the `Marks`.
    declares : tuple of str
        "annotator" or "document" or both, if its files name them; otherwise the path does.
    write : callable or None
        corpus → (path below the folder, bytes) of each file; paths have no ``.`` or ``..``. Raises `InputError` for a
        corpus that the format cannot hold.
    beside : tuple of str
        Suffixes of companion files in the same folder, which are not read by themselves.
    extra : str or None
        The optional extra of this package (``pip install 'gamma-align[extra]'``) that it needs, if any.
    options : dict of str to str, or None
        Each option of the format (``options={…}``) with its meaning; other options are refused. ``None`` for an
        archive, which passes options on to the formats in it.
    anonymous : callable or None
        Head of a file → whether it names no annotator although files of the format can: then folders are annotators.
    general : bool
        Whether any other format that matches a file takes precedence.
    text_is_extent : bool
        Whether it writes the text of each document beside the units, and reads the whole text as the extent.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    matches: Callable[[Head], bool]
    read: Callable[[Source, Choices], Iterable[Marks]]
    _: KW_ONLY
    declares: tuple[str, ...] = ()
    write: Callable[[Corpus], Iterator[tuple[str, bytes]]] | None = None
    beside: tuple[str, ...] = ()
    extra: str | None = None
    options: Mapping[str, str] | None = field(default_factory=dict, hash=False)
    anonymous: Callable[[Head], bool] | None = None
    general: bool = False
    text_is_extent: bool = False

    def declared(self, _head: Head, /) -> tuple[str, ...]:
        """Return whether a file names "annotator", "document" or both; in tables and CoNLL files the header decides."""
        return self.declares

    def marks(self, source: Source, choices: Choices) -> list[Marks]:
        """Return the marks of a file, or of each file in it; raise a `SettingsError` for an unknown option."""
        if self.options is not None:
            _check_options(self.name, self.options, choices)
        return list(self.read(source, choices))


def _check_options(name: str, options: Mapping[str, str], choices: Choices) -> None:
    """Raise a `SettingsError` if the choices have an option that the format does not have."""
    unknown = [option for option in choices.options if option not in options]
    if unknown:
        listing = "; ".join(f"{option!r}: {meaning}" for option, meaning in options.items()) or "none"
        raise SettingsError(f"{name} has no option {unknown[0]!r}; its options are {listing}", location=FORMAT_OPTIONS)


@cache
def formats() -> dict[str, FileFormat]:
    """Return the formats by name: first the formats of this package, then of installed packages."""
    builtin: list[FileFormat] = []
    for module in MODULES:
        module_content = import_module(f"gamma_align.reading.{module}")
        builtin += getattr(module_content, "FORMATS", None) or (module_content.FORMAT,)
    builtin.sort(key=lambda fmt: "" if hasattr(fmt, "read_table") else fmt.name)  # tables first
    registry = {fmt.name: fmt for fmt in builtin}
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        try:
            external = entry.load()
        except Exception as error:
            raise GammaAlignError(f"the format {entry.name!r} of {entry.value} cannot be loaded: {error}") from error
        if not isinstance(external, FileFormat) or external.name in registry:
            raise GammaAlignError(f"the entry point {entry.name!r} ({entry.value}) is no new FileFormat")
        registry[external.name] = external
    return registry


def by_name(name: str, option: str = "format") -> FileFormat:
    """Return the format called `name`; raise a `SettingsError` that names `option` if there is none."""
    if name not in formats():
        raise SettingsError(
            f"format must be one of {', '.join(map(repr, formats()))}, not {name!r}",
            location=Location.for_option(option),
        )
    return formats()[name]


def matching_formats(head: Head) -> list[FileFormat]:
    """Return the formats that match a file with this beginning.

    None if the file is unknown, several if it is ambiguous; general formats count only if no other one matches.
    """
    matching = [fmt for fmt in formats().values() if fmt.matches(head)]
    return [fmt for fmt in matching if not fmt.general] or matching
