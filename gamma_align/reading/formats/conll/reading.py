"""CoNLL and tables of tokens: a token in each row, its tags in columns; IOB1, IOB2, BIOES, BILOU, BMES or bare tags.

Conventions
-----------
* Cells are separated by tabs, by commas or semicolons (CSV, with quotes), or by blanks. Comments begin with ``#``,
  except in CSV, which has none; rows of several tokens (``1-2``) and of none (``1.1``), as in CoNLL-U, are left out. A
  first row of names (``TOKEN NE-COARSE-LIT``; ``Token,Tag``) is a header.
* A sentence ends with a blank line, or if the cell in a column of sentences (``Sentence #``, ``sent_id``) changes; no
  unit continues in the next sentence. Bounds count the tokens of a document. A document begins with ``# newdoc`` (named
  by its id or number), ``# document_id = …``, ``#begin document (…)`` or ``-DOCSTART-`` (named by its number, if there
  are several); or it consists of the rows with one name in a column of documents (``doc_id``); or it is the file. A
  column of annotators (``coder``) repeats the tokens for each. An empty cell in these columns continues the row above.
* Columns of document, annotator, sentence, token and category have usual names, or are named with
  ``columns={"token": "Wort", "category": "Tag"}`` (or by their numbers from 1). Without names the tokens are in the
  first column, or in the second if the first has numbers of tokens or sentences.
* A column is of tags if its cells are tags. ``_`` and ``-`` are no tags, nor are empty cells if a header names
  tokens and tags; they are counted in the notes. If there are several columns of tags, each is a layer, named by its
  name or number: choose with ``layers=``, or make each an annotator with ``annotator="{layer}"``, or name them with
  ``options={"annotators": {"anna": 3, "ben": 4}}``.
* Tags may be features in a column (``name=B-PER|SpaceAfter=No``), as in the last one of CoNLL-U. Categories alone
  (PER, O) are tags too: as long as one is repeated it is one unit. Lists of tokens and tags in the cells of a row, as
  data frames write them, are a sentence.
* Tags may also be written ``PER-B``, ``PER_I``, ``B:PER``, ``BPER``, ``b-per``, ``BEGIN-PER``, ``<B-PER>`` or
  ``__label__B-PER``: this is recognised if one category has a beginning and an inside, or if all tags of a column have
  a place in a unit. If only another file shows that categories are tags, name the scheme.
* Mentions in brackets (``(3``, ``3)``), as LitBank has them in the last column, are units without category, or with
  their chains as categories (``options={"chains": True}``).
* CoNLL-2012 (OntoNotes), with a varying number of columns of arguments, has two layers: ``entities``, in brackets
  (``(ORG*``, ``*)``), which are read by default, and ``coreference``, the mentions, read on request (``layers=``).
* A unit that begins or ends without the tag required by the scheme is read as in conlleval, and counted in the notes
  with the scheme, which is recognised by the tags or named by ``options={"scheme": "iob2"}``.
* ``?`` is a token that was not shown to the annotator. An annotator without any token of a document did not annotate
  it.
* The tokens of all annotators have to be the same; otherwise an error shows the first difference.

References
----------
https://www.clips.uantwerpen.be/conll2003/ner/; https://conll.cemantix.org/2012/data.html;
https://universaldependencies.org/format.html; the readers of crowd-sourced answers: Rodrigues, Pereira & Ribeiro 2014,
Sequence labeling with multiple annotators; HIPE: https://github.com/hipe-eval/HIPE-2022-data; LitBank:
https://github.com/dbamman/litbank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from gamma_align.data import few, has_bounds, number_of, usual
from gamma_align.errors import Cure, Entry, InputError, Location
from gamma_align.reading.files.json_files import shown
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.formats.conll.columns import (
    BEGIN,
    LOOKED_AT,
    UNSEEN,
    VOID,
    Shape,
    is_header,
    is_of_2012,
    kind_of,
    named_as,
    names_of_tags,
    recognise_shape,
    tagged_features,
)
from gamma_align.reading.formats.conll.rows import Row, is_table, mark_of, rows, rows_of
from gamma_align.reading.marks.marks import WordedMarks, Words
from gamma_align.reading.marks.tags import SCHEME_HELP, Decoded, Decoder, MentionDecoder, chosen_scheme

_OPTION_HELP = {
    "columns": "your names, or numbers, of the columns of document, annotator, sentence, token, category",
    "annotators": "annotator to the column of their tags, by number from 1 or name",
    "scheme": SCHEME_HELP,
    "chains": "whether the chain of a mention is its category",
}
_CONLL_SUFFIXES = (".conll", ".iob", ".iob2", ".bio", ".bioes", ".bilou", ".conllu")
_TABLE_SUFFIXES = (".csv", ".tsv")
_DOCUMENT_COMMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=(?P<new>.*))?\s*|#\s*(?:\w+:)?document_id\s*=(?P<id>.*)")
_MIN_WIDTH = 2  # columns: a token and a tag
_MAX_UNSEEN_NOTES = 5
_WEBANNO_BEGINNING = "#FORMAT=WebAnno"


def _first_rows(head: Head) -> tuple[list[list[str]], list[str], str | None]:
    """Return the cells of the first tokens, the names of their columns (or none), and the separator of cells."""
    mark = mark_of(head.lines, head.suffix)
    table = [row.cells for row in islice((row for row in rows_of(head.lines, mark) if row.is_token), LOOKED_AT)]
    names = table.pop(0) if table and is_header(table) else []
    return table, names, mark


def _matches(head: Head) -> bool:
    if head.text.startswith(_WEBANNO_BEGINNING):
        return False
    table, names, mark = _first_rows(head)
    begun = any(map(BEGIN.fullmatch, head.lines))
    if begun and table and is_of_2012(table):
        return True
    width = len(names or table[0]) if table else 0
    if width < _MIN_WIDTH or any(len(row) != width for row in table) or _is_of_units(head, table, names, mark):
        return False
    columns = dict(enumerate(map(list, zip(*table, strict=True))))
    tokens = usual(names, "token")
    tag_names = names_of_tags(names)
    # Tokens such as "I" and "S" look like tags.
    del columns[names.index(tokens[0]) if tokens else 0]
    for index, column in columns.items():
        named = bool(names) and names[index] in tag_names
        if _proves_conll([cell or "O" for cell in column] if named else column, head, begun=begun):
            return True
    return False


def _is_of_units(head: Head, table: list[list[str]], names: list[str], mark: str | None) -> bool:
    """Whether the file is a table of units: columns are named as bounds, or the last two hold numbers."""
    if names:
        return head.suffix in _TABLE_SUFFIXES and has_bounds(names)
    cells = chain.from_iterable(row[-2:] for row in table)
    return is_table(mark) and all(number_of(cell) is not None for cell in cells)


def _proves_conll(column: list[str], head: Head, *, begun: bool) -> bool:
    """Return whether a column proves that a file is CoNLL; a column of words such as I and S does not."""
    if tagged_features(column):
        return True
    kind = kind_of(column)
    cells = set(column)
    if head.suffix in _CONLL_SUFFIXES:
        return kind is not None and cells != {UNSEEN}
    if kind == "mentions":
        return begun
    if kind == "bare" and (4 * column.count("O") < len(column) or head.suffix == ".rttm"):
        return False
    return kind is not None and "O" in cells and len(cells - {UNSEEN, *VOID}) > 1


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    chosen_scheme(choices.options)
    return (_ConllFile(source, recognise_shape(source, choices), choices).read(),)


class _ConllFile:
    """The documents of a file, one after the other, each of one annotator."""

    def __init__(self, source: Source, shape: Shape, choices: Choices) -> None:
        self._source = source
        self._shape = shape
        self._marks = WordedMarks(source.name)
        chains = bool(choices.options.get("chains"))
        scheme = choices.options.get("scheme")
        self._decoders = [tags.decoder(scheme, chains=chains) for tags in shape.tags]
        self._names: dict[str | None, int] = {}
        self._unseen: Counter[str] = Counter()
        self._void = 0
        self._started = 0
        self._begin_document(None, None)

    def _begin_document(self, document: str | None, annotator: str | None) -> None:
        """Reset what is collected for one document."""
        self._document = document
        self._annotator = annotator
        self._sentence = ""
        self._sentences: Counter[str] = Counter()  # how often each begins
        self._words = Words([], [])
        self._units: list[list[Decoded]] = [[] for _ in self._shape.tags]
        self._shown = [0 for _ in self._shape.tags]

    def read(self) -> WordedMarks:
        """Return the marks of the file, with the problems and notes of the decoders."""
        for row in self._rows():
            if row.is_blank:
                self._end_sentence()
            elif row.is_break:
                self._start_next_document(row.number, "", named=False)
            elif (document := _DOCUMENT_COMMENT.fullmatch(row.comment) or BEGIN.fullmatch(row.comment)) is not None:
                parts = document.groupdict()
                if parts.get("id") is None or parts["id"].strip() != self._document:  # which sentences may repeat
                    # A document of a single part has the number 0, which is not in its name.
                    part = f" {int(parts['part'])}" if int(parts.get("part") or 0) else ""
                    self._start_next_document(
                        row.number, (parts["new"] or parts.get("id") or "").strip() + part, named=True
                    )
            elif self._shape.is_token(row):
                self._add_token(row)
        self._end_document()
        for decoder in self._decoders:
            for problem in decoder.problems:
                self._marks.problem(*problem)
        self._note(self._marks)
        return self._marks

    def _rows(self) -> Iterator[Row]:
        """Yield the rows; if columns name documents or annotators, the rows of each pair together."""
        all_rows = rows(self._source, self._shape.mark)
        if self._shape.roles.keys().isdisjoint(("document", "annotator")):
            yield from all_rows
            return
        groups: dict[tuple[str, ...], list[Row]] = {}
        key: tuple[str, ...] = ("", "")
        for row in all_rows:
            if row.is_break or BEGIN.fullmatch(row.comment) or _DOCUMENT_COMMENT.fullmatch(row.comment):
                self._refuse_begin(row)
                continue
            if self._shape.is_whole(row.cells) and self._shape.is_token(row):
                cells = (self._shape.cell(row, role) for role in ("document", "annotator"))
                key = tuple(cell or before for cell, before in zip(cells, key, strict=True))
            groups.setdefault(key, []).append(row)
        for (document, annotator), group in groups.items():
            self._end_document()
            self._begin_document(document or None, annotator or None)
            yield from group

    def _refuse_begin(self, row: Row) -> None:
        """Refuse a line that begins a document, if there is a column of annotators but none of documents."""
        if "document" not in self._shape.roles:
            raise InputError(
                "a document begins, and a column says the annotator",
                Cure("say the document in a column too, and name it with {}", Entry("columns", "document")),
                Location(self._source.name, row.number),
            )

    def _start_next_document(self, number: int, name: str, *, named: bool) -> None:
        """End the current document and begin the next, numbered if it has no name; report a name used before."""
        self._end_document()
        self._started += 1
        # A single break without a name begins the only document of the file, which the path names.
        is_whole_file = not named and self._shape.breaks == 1 and not self._names
        document = None if is_whole_file else name or str(self._started)
        if self._names.get(document):
            self._marks.problem(
                number, f"document {document!r} begins here and in line {self._names[document]}", "rename one"
            )
        self._begin_document(document, None)
        self._names[document] = number

    def _add_token(self, row: Row) -> None:
        """Add the token of a row and pass its tags to the decoders; report a row with missing or extra cells."""
        shape = self._shape
        number = row.number
        cells = row.cells
        if not shape.is_whole(cells):
            requirement = "a token has at least" if shape.ragged else "the first token has"
            self._marks.problem(
                number, f"{len(cells)} cells, but {requirement} {shape.width}: {shown(' '.join(cells))}", "correct it"
            )
            return
        sentence = shape.cell(row, "sentence") or self._sentence
        if sentence != self._sentence:
            self._end_sentence()
            self._sentence = sentence
            self._sentences[sentence] += 1
        token = len(self._words.tokens)
        self._words.tokens.append(cells[shape.token])
        self._words.lines.append(number)
        for index, (tags, decoder) in enumerate(zip(shape.tags, self._decoders, strict=True)):
            self._units[index] += decoder.tag(token, self._tag_or_outside(tags.tag(cells), index), number)

    def _tag_or_outside(self, tag: str, index: int) -> str:
        """Return the tag of a cell in the column of tags `index`, or O for a cell without one; count both."""
        if tag == UNSEEN:
            return "O"
        self._shown[index] += 1
        if tag not in VOID:
            return tag
        self._void += self._shape.tags[index].kind in ("tags", "bare")
        return "O"

    def _end_sentence(self) -> None:
        """End the units that are open in each column of tags."""
        for units, decoder in zip(self._units, self._decoders, strict=True):
            units.extend(decoder.end(len(self._words.tokens)))

    def _end_document(self) -> None:
        """Add the units of the document, if it has tokens."""
        self._end_sentence()
        length = len(self._words.tokens)
        if not length:
            return
        self._check_order(length)
        self._names.setdefault(self._document, 0)
        self._marks.words[self._document, self._annotator] = self._words
        self._marks.extents[self._document] = (0.0, float(length))
        for tags, units, seen in zip(self._shape.tags, self._units, self._shown, strict=True):
            # An annotator without any shown token did not annotate the document.
            if not seen:
                continue
            if seen < length:
                self._unseen[tags.annotator or tags.layer or ""] += length - seen
            annotator = tags.annotator or self._annotator
            about = {"document": self._document, "annotator": annotator, "layer": tags.layer}
            self._marks.annotated(**about)
            for start, end, category, line in units:
                self._marks.unit(start, end, category, location=line, **about)

    def _check_order(self, length: int) -> None:
        """Refuse shuffled rows: most rows begin a sentence, and sentences begin more than once."""
        n_begun = self._sentences.total()
        # More than half of the tokens begin a sentence, and more than a tenth of these repeat a sentence.
        if 2 * n_begun > length and 10 * len(self._sentences) < 9 * n_begun:
            sentence, count = self._sentences.most_common(1)[0]
            raise InputError(
                f"the tokens of a sentence are apart: sentence {sentence!r} begins {count} times, with others between",
                "bring the rows into the order of the text",
                Location(self._source.name),
            )

    def _note(self, marks: WordedMarks) -> None:
        """Note the columns and scheme that were recognised, and the units that were repaired."""
        schemes = " or ".join(dict.fromkeys(filter(None, (decoder.describe() for decoder in self._decoders))))
        columns = [tags.description for tags in self._shape.tags]
        numbers = f"column{'s' if len(columns) > 1 else ''} {few(columns)}"
        roles = "".join(
            f", {role}s in column {self._shape.roles[role] + 1}"
            for role in ("sentence", "document", "annotator")
            if role in self._shape.roles
        )
        cures = [decoder.cure for decoder in self._decoders if isinstance(decoder, MentionDecoder)]
        columns_note = f"tokens are in column {self._shape.token + 1}, tags in {numbers}{roles}: {schemes or 'O alone'}"
        marks.note(columns_note, next(iter(cures), None))
        for tags, decoder in zip(self._shape.tags, self._decoders, strict=True):
            if tags.notation is not None and isinstance(decoder, Decoder):
                marks.add_notation(tags.notation, decoder.scheme())
        if self._shape.note is not None:
            marks.note(self._shape.note.cause, self._shape.note.cure)
        if self._shape.header is not None:
            marks.note(f"line {self._shape.header} names the columns")
        if self._void:
            marks.note(f"{self._void} cells that are empty, '_' or '-' in columns of tags are taken as O")
        repaired = sum(decoder.repaired() for decoder in self._decoders)
        if repaired:
            marks.note(f"{repaired} units begin or end without the tag for it, and are taken as conlleval takes them")
        for name, count in islice(self._unseen.items(), _MAX_UNSEEN_NOTES):
            marks.note(f"{count} tokens that {name!r} was not shown are in documents with others")


class _Format(FileFormat):
    """CoNLL; a file names documents and annotators if it has columns of them."""

    __slots__ = ()

    def declared(self, head: Head) -> tuple[str, ...]:
        _, names, _ = _first_rows(head)
        return tuple(role for role in ("annotator", "document") if named_as(names, role))


# `_Format.declared` replaces `declares`: it depends on the columns of the file.
FORMAT = _Format(
    "conll",
    "CoNLL or a table with tags of tokens (IOB, BIOES)",
    (*_CONLL_SUFFIXES, ".txt", *_TABLE_SUFFIXES),
    _matches,
    _read,
    options=_OPTION_HELP,
)
