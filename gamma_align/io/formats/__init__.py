"""The formats of annotation tools, a module each, and their registry.

To add a format, write a module with a `FORMAT` and name it in `MODULES`; a package of your own names its `FORMAT` in
the entry-point group ``gamma_align.formats``. Short examples: `htk` has lines, `lighttag` JSON, `glozz` XML and a
writer.

* The module's docstring is what ``gamma-align convert --about NAME`` prints: the format's conventions and traps.
* What every module needs is imported from here. `gamma_align.io.files` opens files, and refuses what is damaged:
  `line_files.numbered`, `json_files.document`, `xml_files.root`. A format of JSON records, one a text, derives from
  `gamma_align.io.marks.records.RecordFile`.
* A reader fills `Marks`: `unit` adds a unit; `annotated` says that somebody saw the document, which counts where nobody
  marked a unit; `problem` says what is wrong with a row, and reading goes on; `note` says what was taken otherwise than
  written.
* The document, annotator or layer that a file does not name is left out: its path or the user says it.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from gamma_align.errors import GammaAlignError, SettingsError
from gamma_align.io.files.sources import Head, Source
from gamma_align.io.marks.choices import Choices
from gamma_align.io.marks.marks import Marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gamma_align.data.corpus import Corpus

__all__ = ["Choices", "FileFormat", "Head", "Marks", "Source", "by_name", "claiming", "formats"]

GROUP = "gamma_align.formats"

# fmt: off
MODULES: tuple[str, ...] = (
    "tables.table_formats", "formats.argilla", "formats.audacity", "formats.brat", "formats.catma",
    "formats.conll.reading", "formats.doccano", "formats.elan.eaf", "formats.factgenie", "formats.glozz", "formats.htk",
    "formats.jams", "formats.jsonl", "formats.labelstudio", "formats.lighttag", "formats.mqm", "formats.ner",
    "formats.prodigy", "formats.rttm", "formats.spacy", "formats.tei", "formats.textgrid", "formats.uima.cas_json",
    "formats.uima.cas_xmi", "formats.uima.inception", "formats.webanno.reading",
)
# fmt: on
"""Modules of `gamma_align.io` that hold a `FORMAT`, or `FORMATS`."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One format of an annotation tool.

    Attributes
    ----------
    name : str
        Its name in ``format=``.
    description : str
        What it is, for messages.
    suffixes : tuple of str
        Suffixes of its files, lower case, with the point; the first is that of files written.
    matches : callable
        Head of a file → whether the file is of this format. It never raises, and never takes a file of another.
    read : callable
        (source, choices) → the `Marks` of the file, or of each file in it. Raises `InputError` for a file that cannot
        be read on; what is wrong with one row is a problem of the `Marks`.
    declares : tuple of str
        Which of "annotator" and "document" its files name; the path says the others.
    write : callable or None
        corpus → (path below the folder, bytes) of each file; paths have no ``.`` or ``..``. Raises `InputError` for
        what the format cannot hold.
    beside : tuple of str
        Suffixes of files that lie beside its files and are not read by themselves.
    extra : str or None
        The optional extra of this package (``pip install 'gamma-align[extra]'``) that it needs, if any.
    options : dict of str to str, or None
        Each option of the format (``options={…}``, ``--option``) and what it is; other options are refused. ``None``
        for an archive, whose options are those of the formats in it.
    anonymous : callable or None
        Head of a file → whether it names no annotator, though files of the format may: then their folders do.
    general : bool
        Whether it stands back where another format matches a file.
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

    def declared(self, head: Head) -> tuple[str, ...]:  # noqa: ARG002  (tables say by their header)
        """Return which of "annotator" and "document" a file of the format names, by its beginning."""
        return self.declares

    def marks(self, source: Source, choices: Choices) -> list[Marks]:
        """Return the marks of a file, or of each file in it."""
        strange = [] if self.options is None else [name for name in choices.options if name not in self.options]
        if self.options is not None and strange:
            known = "; ".join(f"{name!r}: {what}" for name, what in self.options.items()) or "none"
            raise SettingsError(f"{self.name} has no option {strange[0]!r}; its options are {known}")
        return list(self.read(source, choices))


@cache
def formats() -> dict[str, FileFormat]:
    """Return the formats by name, ours and those that installed packages bring."""
    ours: list[FileFormat] = []
    for module in MODULES:
        holder = import_module(f"gamma_align.io.{module}")
        ours += getattr(holder, "FORMATS", None) or (holder.FORMAT,)
    ours.sort(key=lambda fmt: "" if hasattr(fmt, "read_table") else fmt.name)  # tables first
    found = {fmt.name: fmt for fmt in ours}
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        try:
            theirs = entry.load()
        except Exception as error:
            raise GammaAlignError(f"the format {entry.name!r} of {entry.value} cannot be loaded: {error}") from error
        if not isinstance(theirs, FileFormat) or theirs.name in found:
            raise GammaAlignError(f"the entry point {entry.name!r} ({entry.value}) is no new FileFormat")
        found[theirs.name] = theirs
    return found


def by_name(name: str) -> FileFormat:
    """Return the format called `name`."""
    if name not in formats():
        raise SettingsError(f"format must be one of {', '.join(map(repr, formats()))}, not {name!r}")
    return formats()[name]


def claiming(head: Head) -> list[FileFormat]:
    """Return the formats that take a file with this beginning for theirs; one, if all is well."""
    matching = [fmt for fmt in formats().values() if fmt.matches(head)]
    return [fmt for fmt in matching if not fmt.general] or matching
