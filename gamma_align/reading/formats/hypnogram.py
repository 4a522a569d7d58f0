"""Hypnograms as text: the stage of one epoch in each line; a file is of one night and one scorer.

Conventions
-----------
* Bounds count epochs, from 0. ``options={"epoch": 30}`` gives the length of an epoch in seconds, and times are seconds
  then; γ does not depend on it.
* Successive epochs with the same stage are one unit, and the stage, as it is written, is its category.
* ``?``, ``-``, ``U``, ``unscored``, ``unknown`` and ``not scored`` are epochs that were not scored. ``-1`` and ``9``
  mean that in some programs and a stage in others: with ``options={"unscored": "-1"}`` they are not scored.
* The extent is the whole file. A first line such as ``stage`` is a header, lines that begin with ``#`` are comments.
* A file is recognised by its first lines if all are names of stages (``W``, ``N1``, ``S2``, ``REM``, ``Sleep stage 3``
  …), or small whole numbers in a file with the suffix ``.hyp``, ``.stages`` or a name with "hypno" or "stage" in it.

References
----------
Iber et al. 2007, The AASM Manual for the Scoring of Sleep and Associated Events; Rechtschaffen & Kales 1968.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from gamma_align.errors import Cure, InputError, Location, Set, SettingsError
from gamma_align.reading.files.line_files import numbered
from gamma_align.reading.formats import Choices, FileFormat, Head, Marks, Source
from gamma_align.reading.marks import seconds
from gamma_align.reading.marks.choices import FORMAT_OPTIONS
from gamma_align.reading.marks.stages import Scored, Stages

_STAGE_NAMES = re.compile(
    r"(?:sleep[ _-]?stage[ _-]?|stage[ _-]?)?"
    r"(?:w|wake|wach|awake|s?[0-4]|n[1-4r]|nrem[ _-]?[1-4]?|r|rem|m|mt|mvt|movement(?: time)?"
    r"|art|artefact|artifact|[?u-]|unscored|unknown|not scored)",
    re.IGNORECASE,
)
_STAGE_CODE = re.compile(r"-?\d")  # of a stage, in files that say so by their names
_UNSCORED_NAME = re.compile(
    r"(?:sleep[ _-]?stage[ _-]?|stage[ _-]?)?(?:[?u-]|unscored|unknown|not scored)", re.IGNORECASE
)
_AMBIGUOUS_CODES = ("-1", "9")
_HEADER_LINE = re.compile(
    r"\W*(?:sleep[ _-]?)?(?:stages?|hypnogram|hypno|score|scoring|label|epochs?)\W*", re.IGNORECASE
)
_FILE_NAME = re.compile(r"hypno|stage|scor", re.IGNORECASE)
_OWN_SUFFIXES = (".hyp", ".stages")
_READ_SUFFIXES = (".txt", ".csv", ".tsv", *_OWN_SUFFIXES)
_RECOGNISED_LINES = 200  # enough to tell the format
_MIN_LINES = 4  # fewer words may be anything
_COMMENT_MARK = "#"
_OPTION_HELP = {"epoch": "seconds of an epoch", "unscored": "a code of epochs that were not scored, such as -1"}


def _matches(head: Head) -> bool:
    if head.suffix not in _READ_SUFFIXES:
        return False
    lines = [line.strip() for line in head.lines[:_RECOGNISED_LINES] if line.strip()]
    stages = [line for line in lines if not line.startswith(_COMMENT_MARK)]
    if stages and _HEADER_LINE.fullmatch(stages[0]):
        del stages[0]
    if len(stages) < _MIN_LINES:
        return False
    if all(map(_STAGE_CODE.fullmatch, stages)):
        name = head.name.rpartition("/")[2]
        return head.suffix in _OWN_SUFFIXES or _FILE_NAME.search(name) is not None
    return all(map(_STAGE_NAMES.fullmatch, stages)) and len(set(stages)) > 1


def _read(source: Source, choices: Choices) -> Iterable[Marks]:
    epoch, unscored = _options(choices)
    marks = Marks(source.name, length_unit="s" if epoch is not None else "epoch")
    stages = Stages(marks, layer=None)
    step = Decimal(1) if epoch is None else epoch
    count = 0
    n_comments = 0
    for number, line in numbered(source):
        stage = line.strip()
        if not stage:
            continue
        if stage.startswith(_COMMENT_MARK):
            n_comments += 1
            continue
        if not count and _HEADER_LINE.fullmatch(stage):
            continue
        if not _STAGE_NAMES.fullmatch(stage) and not _STAGE_CODE.fullmatch(stage):
            marks.problem(number, f"{stage[:40]!r} is no stage of sleep", "correct or delete it")
        elif stage in _AMBIGUOUS_CODES and unscored is None:
            raise InputError(
                f"{stage} may be a stage, or mean that an epoch was not scored",
                Cure(
                    "if it was not scored, use {}; if it is a stage, use {}",
                    Set("options", {"unscored": stage}),
                    Set("options", {"unscored": "?"}),
                ),
                Location(source.name, number),
            )
        is_scored = stage != unscored and not _UNSCORED_NAME.fullmatch(stage)
        start = float(count * step)
        end = float((count + 1) * step)
        stages.add(Scored(start, end, stage if is_scored else None, number))
        count += 1
    stages.finish()
    marks.annotated()
    marks.extents[None] = 0.0, float(count * step)
    if n_comments:
        marks.note(f"{n_comments} lines of comments (#) are left out")
    return (marks,)


def _options(choices: Choices) -> tuple[Decimal | None, str | None]:
    """Return the seconds of an epoch and the code of epochs that were not scored, ``None`` if they are not given."""
    epoch = seconds.number(str(choices.options["epoch"])) if "epoch" in choices.options else Decimal(1)
    if epoch is None or epoch <= 0:
        raise SettingsError(
            f"the option 'epoch' is {_OPTION_HELP['epoch']}, not {choices.options['epoch']!r}",
            "give it as a number above 0, such as 30",
            FORMAT_OPTIONS,
        )
    unscored = choices.options.get("unscored")
    return epoch if "epoch" in choices.options else None, None if unscored is None else str(unscored)


# The file names neither document nor annotator: its path does.
FORMAT = FileFormat(
    name="hypnogram",
    description="hypnograms, a stage of sleep a line (.txt, .csv)",
    suffixes=_READ_SUFFIXES,
    matches=_matches,
    read=_read,
    options=_OPTION_HELP,
)
