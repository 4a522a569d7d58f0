"""factgenie: JSON Lines, one generated text and annotator group in each line.

Conventions
-----------
* The annotator is ``annotator_group``; campaigns of models have none, and their annotator is the file.
* A document is ``dataset|split|setup_id|example_idx``.
* ``type`` is a number: its name stands in ``annotation_span_categories`` of the ``config.yaml`` (or ``metadata.json``)
  beside the file, or is given by ``options={"labels": …}``. Without either, the numbers are the categories.
* A unit ends at ``start + len(text)``, with the length counted in the unit of ``offsets=``.
* The texts are not in the file; ``options={"outputs": path}`` names a JSON Lines file of outputs, which has them.

References
----------
https://github.com/ufal/factgenie , https://github.com/llm-span-annotators/span-annotation
"""

from __future__ import annotations

import re
from itertools import dropwhile
from typing import ClassVar

from gamma_align.errors import Cure, Entry, Note, Where
from gamma_align.reading.files import json_files
from gamma_align.reading.files.json_files import FaultError, as_problem, get, need, shape
from gamma_align.reading.files.sources import split_lines
from gamma_align.reading.formats import Choices, FileFormat, Head, Source
from gamma_align.reading.marks import records

_OPTION_HELP = {
    "labels": "names of the categories: a list, a mapping of their numbers, or the path of a JSON file",
    "outputs": "the path of a JSON Lines file with the texts that were annotated",
}
# Together these keys name a text.
_DOCUMENT_KEYS = ("dataset", "split", "setup_id", "example_idx")
_CONFIG_NAMES = ("config.yaml", "metadata.json")
_YAML_BLOCK = "annotation_span_categories:"
_YAML_NAME = re.compile(r" *+(?:- )?name:\s*+(.*)")
_YAML_SCALAR = re.compile(r"[^\s'\"#&*!|>%@`{\[,:?-][^#:]*|'([^']*)'|\"([^\"\\]*)\"")


def _matches(head: Head) -> bool:
    return {*_DOCUMENT_KEYS, "annotations[]"} <= shape(head)


class _FactgenieFile(records.RecordFile):
    """The texts of one campaign's file."""

    NOTES: ClassVar = {
        "unnamed": Note(
            "{} units have the number of their category, which no config.yaml beside the file names",
            Cure("list the names with {}", Entry("options", "labels")),
        ),
        "without text": Note(
            "the texts are not in the file, and offsets are not checked against them",
            Cure("name the file that has them with {}", Entry("options", "outputs")),
        ),
    }

    def __init__(self, source: Source, choices: Choices) -> None:
        super().__init__(source, choices)
        self.labels = records.names(choices, "labels", source) or self._config()
        self.texts = _outputs(source, choices)
        self.counts["without text"] = not self.texts

    def take(self, location: Where, record: dict[str, object]) -> None:
        """Add the units of one annotator in one text."""
        document = "|".join(records.name(record.get(key), f"{key!r} of the record") for key in _DOCUMENT_KEYS)
        group = record.get("annotator_group")
        annotator = self.annotator(document, None if group is None else records.name(group, "'annotator_group'"))
        self.marks.annotated(document, annotator)
        if document in self.texts:
            self.marks.texts[document, None] = self.texts[document]
        for item in get(record, "annotations", list):
            with as_problem(self.marks, location):
                unit = need(item, dict, "an annotation")
                start = get(unit, "start", int, "the annotation")
                text = get(unit, "text", str, "the annotation")
                end = start + self._length(text)
                label = self._category(unit.get("type"))
                self.marks.unit(
                    start, end, label, location=location, document=document, annotator=annotator, surface=text
                )

    def _length(self, text: str) -> int:
        if self.choices.offsets == "utf-16":
            return len(text.encode("utf-16-le")) // 2
        return len(text.encode()) if self.choices.offsets == "bytes" else len(text)

    def _category(self, value: object) -> str:
        number = records.name(value, "'type' of the annotation")
        if self.labels and isinstance(value, int) and number not in self.labels:
            raise FaultError(
                f"'type' of the annotation is {number}, and there are names for {', '.join(self.labels)}",
                Cure("correct it, or give all names with {}", Entry("options", "labels")),
            )
        self.counts["unnamed"] += not self.labels and isinstance(value, int)
        return self.labels.get(number, number)

    def _config(self) -> dict[str, str]:
        """Return the names of the categories that the campaign's configuration has, by their numbers."""
        for config in filter(None, map(self.source.beside, _CONFIG_NAMES)):
            labels = _in_json(config) if config.suffix == ".json" else _in_yaml(config.text())
            if labels:
                return {str(number): label for number, label in enumerate(labels)}
            self.marks.notes.append(f"{config.name}: no names of categories that can be read in it")
        return {}


def _in_yaml(text: str) -> list[str]:
    """Return the names in the block of categories, a list of mappings; none if it is written in another way."""
    labels: list[str] = []
    items = 0
    from_block = list(dropwhile(lambda line: line.rstrip() != _YAML_BLOCK, split_lines(text)))
    for line in from_block[1:]:
        if line[:1] not in ("", "-", " "):
            break
        items += line.lstrip().startswith("- ")
        named = _YAML_NAME.fullmatch(line.rstrip())
        if named:
            plain = _YAML_SCALAR.fullmatch(named.group(1))
            if plain is None:
                return []
            labels.append(next((part for part in plain.groups() if part is not None), plain.group()))
    # An item without a name would shift the numbers of the following names.
    return labels if len(labels) == items else []


def _in_json(config: Source) -> list[str]:
    value = json_files.document(config)
    if isinstance(value, dict):
        value = value.get("config", value)  # in metadata.json, the configuration may be below this key
    categories = value.get("annotation_span_categories") if isinstance(value, dict) else None
    items = categories if isinstance(categories, list) else []
    labels = [item.get("name") if isinstance(item, dict) else None for item in items]
    return [str(label) for label in labels] if all(isinstance(label, str) for label in labels) else []


def _outputs(source: Source, choices: Choices) -> dict[str, str]:
    """Return the texts that were annotated, by document."""
    path = choices.options.get("outputs")
    texts: dict[str, str] = {}
    if path is None:
        return texts
    for _, value in records.records(records.beside(source, str(path), "outputs")):
        text = value.get("output") if isinstance(value, dict) else None
        if isinstance(value, dict) and isinstance(text, str):
            texts["|".join(str(value.get(key)) for key in _DOCUMENT_KEYS)] = text
    return texts


# `declares` lacks the annotator: campaigns of models name none, and their annotator is the file.
FORMAT = FileFormat(
    "factgenie",
    "factgenie's JSON Lines",
    (".jsonl",),
    _matches,
    _FactgenieFile,
    declares=("document",),
    beside=(".yaml", ".json"),
    options=_OPTION_HELP,
)
