"""Every cure that a message prints is run as it is printed, and works.

A case has files, a command that prints a message, and the words of the cure. If the cure leaves a value to the user,
the case provides it. Then the command is run with the cure, and the result is checked.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from command_line import run

import gamma_align
from gamma_align.apps.cli._parser import Parser
from gamma_align.apps.cli._program import _COMMANDS
from gamma_align.apps.cli._subcommands import fill_subcommand
from gamma_align.requests.shell import flag_of

SOURCE = Path(gamma_align.__file__).parent
BRAT = "T1\tPER 0 3\tAda\nT2\tLOC 13 18\tParis\n"
TEXT = "Ada lived in Paris for years."
HEADER = "document,annotator,start,end,category\n"


@dataclass(frozen=True)
class Case:
    """Files, a command, what is told, and the cure in it: a pattern, whose places `own` fills.

    `cured` is the command with `{}` for the cure, where it is not the command with the cure behind it. `seen` is how
    many documents, annotators and units there are then, or the exit code alone where it is None.
    """

    files: dict[str, str | bytes]
    command: str
    cure: str
    own: dict[str, str] = field(default_factory=dict)
    cured: str = ""
    seen: tuple[int, int, int] | None = None
    told: int = 3


def eaf(*tiers: str, attributes: str = "") -> str:
    """Return an ELAN file with one unit in each tier."""
    shown = "".join(
        f'<TIER TIER_ID="{tier}" {attributes} LINGUISTIC_TYPE_REF="t"><ANNOTATION><ALIGNABLE_ANNOTATION '
        f'ANNOTATION_ID="a{number}" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2"><ANNOTATION_VALUE>x</ANNOTATION_VALUE>'
        "</ALIGNABLE_ANNOTATION></ANNOTATION></TIER>"
        for number, tier in enumerate(tiers)
    )
    return (
        '<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="ts1" '
        f'TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="900"/></TIME_ORDER>{shown}'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="t" TIME_ALIGNABLE="true"/></ANNOTATION_DOCUMENT>'
    )


def jsonl(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


SPANS = [
    {"art": "d1", "who": who, "s": start, "e": start + 3, "kind": "PER"}
    for who, start in (("ann", 0), ("ann", 5), ("ben", 0))
]
ALL_KEYS = "--column document=… --column annotator=… --column start=… --column end=… --column category=…"
KEYS = {
    "document=…": "document=art",
    "annotator=…": "annotator=who",
    "start=…": "start=s",
    "end=…": "end=e",
    "category=…": "category=kind",
}
TWO_TIERS = (
    '"ooTextFile"\n"TextGrid"\n0\n2\n<exists>\n2\n'
    '"IntervalTier"\n"words"\n0\n2\n1\n0\n2\n"a"\n"IntervalTier"\n"phones"\n0\n2\n1\n0\n1\n"b"\n'
)
MQM = (
    "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"
    "s\td\t1\t1\trater1\tein <v>Text</v>\ta text\tAccuracy\tMajor\t{}\n"
    "s\td\t1\t1\trater2\tein Text\ta <v>text</v>\tFluency\tMinor\t{}\n"
)
WEBANNO = (
    "#FORMAT=WebAnno TSV 3.2\n#T_SP=custom.Ref|kind|new\n\n\n#Text=Ada sings\n"
    "1-1\t0-3\tAda\tperson\tyes\t\n1-2\t4-9\tsings\t_\t_\t\n"
)
OVERLAPPING = f"{HEADER}d,ann,0,5,x\nd,ann,3,8,y\nd,ben,0,5,x\nd,ben,6,8,y\n"
ORDINAL = f"{HEADER}d,ann,0,5,low\nd,ann,6,8,high\nd,ben,0,5,mid\nd,ben,6,8,high\n"
ONTONOTES = (
    "#begin document (d); part 000\n"
    "d 0 0 Ada NN * - - - - (PER) (A0*) (1)\nd 0 1 sings VB * - - - - * (V*) -\nd 0 2 it PR * - - - - * (A1*) (2)\n"
    "#end document\n"
)
DEPENDENT = '"ooTextFile"\n"TextGrid"\n0\n6\n<exists>\n3\n' + "".join(
    f'"IntervalTier"\n"{name}"\n0\n6\n{6 * parts}\n'
    + "".join(f'{at / parts}\n{(at + 1) / parts}\n"{label}"\n' for at in range(6 * parts))
    for name, label, parts in (("words", "x", 1), ("others", "x", 1), ("phones", "y", 2))
)
MIXED = jsonl(
    {
        "document": "d",
        "start": 0,
        "end": 9,
        "unit": "s",
        "annotations": {"ann": [{"start": 0, "end": 2, "category": "x"}, {"start": 3, "end": 4}], "ben": []},
    }
)
WIDE = "coder1,coder2\nx,x\ny,x\n"

TWICE = [{"text": TEXT, "_input_hash": 1, "spans": [{"start": 0, "end": 3, "label": "PER"}]}] * 2
GRID = {f"f/{folder}/{file}.ann": BRAT for folder in ("d1", "d2") for file in ("ann", "ben")}
CASES = {
    **{
        name: Case(GRID, "validate f", re.escape(f"'f/{path}.ann'"), cured="validate {}", seen=(2, 2, 8))
        for name, path in (
            ("folders are documents", "{document}/{annotator}"),
            ("folders are annotators", "{annotator}/{document}"),
        )
    },
    "the last of several records": Case(
        {"t.jsonl": jsonl(*TWICE)}, "validate t.jsonl", "--repeated last", seen=(1, 1, 1)
    ),
    "several records apart": Case({"t.jsonl": jsonl(*TWICE)}, "validate t.jsonl", "--repeated apart", seen=(1, 2, 2)),
    "several records merged": Case(
        {"t.jsonl": jsonl(*TWICE)}, "validate t.jsonl", "--option records=merge", seen=(1, 1, 2)
    ),
    "the key of the annotator": Case(
        {"t.jsonl": jsonl(*({**record, "who": who} for record, who in zip(TWICE, ("ann", "ben"), strict=True)))},
        "validate t.jsonl",
        "--option annotator=…",
        own={"…": "who"},
        seen=(1, 2, 2),
    ),
    "a column that may be the category": Case(
        {"t.csv": "document,annotator,start,end,coarse_label\nd,a,0,2,X\nd,b,0,2,Y\n"},
        "validate t.csv",
        r"--column category=\w+",
        seen=(1, 2, 2),
    ),
    "there are no categories": Case(
        {"t.csv": "document,annotator,start,end,coarse_label\nd,a,0,2,X\nd,b,0,2,Y\n"},
        "validate t.csv",
        "--no-categories",
        seen=(1, 2, 2),
    ),
    "a column that may be the document": Case(
        {"t.csv": "article,annotator,start,end,category\nd1,a,0,2,X\nd2,b,0,2,Y\n"},
        "validate t.csv",
        r"--column document=\w+",
        seen=(2, 2, 2),
    ),
    "there is one document": Case(
        {"t.csv": "article,annotator,start,end,category\nd1,a,0,2,X\nd2,b,0,2,Y\n"},
        "validate t.csv",
        "--one-document",
        seen=(1, 2, 2),
    ),
    "two columns may be the document": Case(
        {"t.csv": "doc,file,annotator,start,end,category\nd1,f,a,0,2,X\nd2,f,b,0,2,Y\n"},
        "validate t.csv",
        r"--column document=\w+",
        seen=(2, 2, 2),
    ),
    "bounds count within lines": Case(
        {"t.csv": "File,Line,annotator,start,end,Type\nf,0,a,0,2,X\nf,1,a,0,2,X\nf,1,b,0,2,Y\n"},
        "validate t.csv",
        r"--column layer=\w+ and --documents-from '\{document\}/\{layer\}'",
        own={" and ": " "},
        seen=(2, 2, 3),
    ),
    "bounds count within documents, beside lines": Case(
        {"t.csv": "File,Line nr,annotator,start,end,Type\nf,0,a,0,2,X\nf,1,a,6,8,X\nf,1,b,6,8,Y\n"},
        "validate t.csv",
        r"--column document=\w+",
        seen=(1, 2, 3),
    ),
    "no column is the end": Case(
        {"t.csv": "document,annotator,start,last,category\nd,a,0,2,X\n"},
        "validate t.csv",
        "--map '[^']*'",
        seen=(1, 1, 1),
    ),
    "no name of a column is known": Case(
        {"t.csv": "who,first,last\na,0,2\nb,0,2\n"},
        "validate t.csv",
        "--map '[^']*'",
        seen=(1, 2, 2),
    ),
    "nobody is named in a table": Case(
        {"t.csv": "document,start,end,category,wer\nd,0,2,X,a\nd,0,2,X,b\n"},
        "measure t.csv --samples 3",
        "--column annotator=…",
        own={"…": "wer"},
    ),
    "a table of another suffix": Case(
        {"t.dat": "document\tannotator\tstart\tend\nd\ta\t0\t2\nd\tb\t0\t2\n"},
        "validate t.dat",
        "--format tsv",
        seen=(1, 2, 2),
    ),
    "JSON with other keys": Case(
        {"t.jsonl": jsonl(*SPANS)},
        "validate t.jsonl",
        ALL_KEYS,
        own=KEYS,
        seen=(1, 2, 3),
    ),
    "a folder of JSON with other keys": Case(
        {f"f/{who}.jsonl": jsonl(*(span for span in SPANS if span["who"] == who)) for who in ("ann", "ben")},
        "validate f",
        ALL_KEYS,
        own=KEYS,
        seen=(1, 2, 3),
    ),
    "tags as numbers": Case(
        {
            "t.jsonl": jsonl({"id": "d", "tokens": ["Ada", "sings"], "ner_tags": [1, 0]}),
            "names.json": '["O", "B-PER"]',
        },
        "validate t.jsonl",
        "--option labels=…",
        own={"…": "names.json"},
        seen=(1, 1, 1),
    ),
    "bounds the wrong way round": Case(
        {"t.csv": f"{HEADER}d,a,5,2,X\nd,b,0,2,X\n"},
        "measure t.csv --quiet",
        "gamma-align validate --fix swapped-bounds",
        cured="{} t.csv -o mended.csv",
    ),
    "units past the end, taken": Case(
        {
            "f/units.csv": f"{HEADER}d,a,0,9,X\nd,b,0,2,X\n",
            "f/documents.csv": "document,start,end\nd,0,5\n",
        },
        "validate f",
        "--outside extend",
        seen=(1, 2, 2),
    ),
    "units past the end, cut": Case(
        {
            "f/units.csv": f"{HEADER}d,a,0,9,X\nd,b,0,2,X\n",
            "f/documents.csv": "document,start,end\nd,0,5\n",
        },
        "validate f",
        "gamma-align validate --fix past-end",
        cured="{} f -o mended/",
    ),
    "categories in two spellings": Case(
        {"t.csv": f"{HEADER}d,a,0,2,X\nd,a,3,4,X\nd,b,0,2,x\n"},
        "validate t.csv",
        "--fix spelling",
        cured="validate t.csv {} -o mended.csv",
        told=0,
    ),
    "blanks around categories": Case(
        {"t.csv": f"{HEADER}d,a,0,2, X\nd,b,0,2,X\n"},
        "validate t.csv",
        "--fix blanks",
        cured="validate t.csv {} -o mended.csv",
        told=0,
    ),
    "one of two spellings is chosen": Case(
        {"t.csv": f"{HEADER}d,a,0,2,X\nd,b,0,2,x\n"},
        "validate t.csv",
        "--labels one=other",
        own={"one=other": "x=X"},
        told=0,
        seen=(1, 2, 2),
    ),
    "no category in common": Case(
        {"t.csv": f"{HEADER}d,a,0,2,X\nd,b,0,2,ex\n"},
        "measure t.csv --samples 3",
        "--labels 'theirs=ours'",
        own={"theirs=ours": "ex=X"},
        told=0,
    ),
    "units in several tiers": Case(
        {"t.TextGrid": TWO_TIERS},
        "validate t.TextGrid",
        "--layers",
        cured="validate t.TextGrid {} words",
        seen=(1, 1, 1),
    ),
    "all tiers": Case(
        {"t.TextGrid": TWO_TIERS}, "validate t.TextGrid", "--layers", cured="validate t.TextGrid {} '*'", seen=(1, 1, 2)
    ),
    "tiers are annotators": Case(
        {"t.TextGrid": TWO_TIERS}, "validate t.TextGrid", r"--annotators-from '\{layer\}'", seen=(1, 2, 2)
    ),
    "which feature is the category": Case(
        {"t.tsv": WEBANNO}, "validate t.tsv --annotators-from ann", r"--layers [\w.]+:\w+", seen=(1, 1, 1)
    ),
    "one annotator for all files": Case(
        {"f/d1.ann": BRAT, "f/d2.ann": BRAT},
        "validate f",
        "--annotators-from",
        cured="validate f {} ann",
        seen=(2, 1, 4),
    ),
    "each file is an annotator": Case(
        {"f/ann.ann": BRAT, "f/ben.ann": BRAT},
        "validate f",
        r"'\{file\}'",
        cured="validate f --annotators-from {} --documents-from d",
        seen=(1, 2, 4),
    ),
    "a path with the annotator behind the document": Case(
        {"f/d1_ann.ann": BRAT, "f/d1_ben.ann": BRAT},
        "validate f",
        r"\{document\}_\{annotator\}\.ann",
        cured="validate f/{}",
        seen=(1, 2, 4),
    ),
    "a path with the annotator as a folder": Case(
        {"f/x/ann/d1.ann": BRAT, "f/x/ben/d1.ann": BRAT},
        "measure f --quiet",
        r"\{annotator\}/\{document\}\.ann",
        cured="validate f/x/{}",
        seen=(1, 2, 4),
    ),
    "a tier that names nobody": Case(
        {"t.eaf": eaf("talk")},
        "validate t.eaf",
        "--annotators-from",
        cured="validate t.eaf {} ann",
        seen=(1, 1, 1),
        told=0,
    ),
    "a second annotator in another file": Case(
        {"ann.eaf": eaf("talk"), "ben.eaf": eaf("talk")},
        "measure ann.eaf ben.eaf --samples 3 --quiet",
        "--documents-from NAME",
    ),
    "a second annotator in another tier": Case(
        {"t.eaf": eaf("ann", "ben")},
        "measure t.eaf --layers '*' --samples 3 --quiet",
        r"--annotators-from '\{layer\}'",
        cured="measure t.eaf --samples 3 --quiet {}",
    ),
    "a token a row, and none of them O": Case(
        {"t.csv": "Token,Tag\nAda,PER\nsings,VERB\n"},
        "validate t.csv",
        "--format conll",
        cured="validate t.csv {} --column category=Tag",
        seen=(1, 1, 2),
    ),
    "a token a row, tags that are not seen to be": Case(
        {"t.csv": "Token,Tag\nAda,PER\nsings,VERB\n"},
        "validate t.csv --format conll",
        r"--column category=\w+",
        seen=(1, 1, 2),
    ),
    "tags for categories": Case(
        {"t.csv": "token,start,end,label\nAda,0,3,B-PER\nLee,4,7,I-PER\nsings,8,13,O\n"},
        "validate t.csv",
        "--format conll",
        seen=(1, 1, 1),
    ),
    "layers of CoNLL-2012": Case(
        {"t.conll": ONTONOTES}, "validate t.conll", "--layers coreference", seen=(1, 1, 2), told=0
    ),
    "a tier that has a participant": Case(
        {"t.eaf": eaf("talk", attributes='PARTICIPANT="Ada"')},
        "validate t.eaf",
        "--option annotator=participant",
        seen=(1, 1, 1),
        told=0,
    ),
    "files of several formats": Case(
        {"f/t.eaf": eaf("talk", attributes='ANNOTATOR="ann"'), "f/t.TextGrid": TWO_TIERS},
        "validate f",
        "--format",
        cured="validate f {} elan",
        seen=(1, 1, 1),
    ),
    "doccano with shared labels": Case(
        {"all.jsonl": jsonl({"id": 1, "text": "Ada", "label": [[0, 3, "PER"]], "Comments": []})},
        "validate all.jsonl",
        "--annotators-from all",
        seen=(1, 1, 1),
    ),
    "another encoding": Case(
        {"t.csv": f"{HEADER}d,André,0,2,X\nd,b,0,2,X\n".encode("latin-1")},
        "validate t.csv",
        "--encoding latin-1",
        seen=(1, 2, 2),
    ),
    "UTF-16 without a mark": Case(
        {"t.csv": f"{HEADER}d,a,0,2,X\nd,b,0,2,X\n".encode("utf-16-le")},
        "validate t.csv --encoding utf-16",
        "--encoding utf-16-le",
        cured="validate t.csv {}",
        seen=(1, 2, 2),
    ),
    "texts that differ": Case(
        {"f/ann/d.ann": BRAT, "f/ann/d.txt": TEXT, "f/ben/d.ann": "T1\tPER 1 4\tAda\n", "f/ben/d.txt": f" {TEXT}"},
        "validate f",
        "--align-text",
        seen=(1, 2, 3),
    ),
    "units that do not cover their text": Case(
        {"f/ann/d.ann": "T1\tPER 0 3\tBen\n", "f/ann/d.txt": TEXT},
        "validate f",
        "--mismatch keep",
        seen=(1, 1, 1),
    ),
    "offsets that count UTF-16": Case(
        {"f/ann/d.ann": "T1\tPER 3 6\tAda\n", "f/ann/d.txt": f"😀 {TEXT}"},
        "validate f",
        "--offsets utf-16",
        seen=(1, 1, 1),
    ),
    "units of several parts": Case(
        {"f/ann/d.ann": "T1\tPER 0 3;13 18\tAda Paris\n", "f/ann/d.txt": TEXT},
        "validate f --discontinuous refuse",
        "--discontinuous whole",
        cured="validate f {}",
        seen=(1, 1, 1),
    ),
    "several attributes": Case(
        {
            "f/ann/d.ann": f"{BRAT}A1\tSure T1 yes\nA2\tKnown T1 no\nA3\tKnown T2 yes\nA4\tSure T2 no\n",
            "f/ann/d.txt": TEXT,
        },
        "validate f --option category=A",
        r"--option category=\w+",
        cured="validate f {}",
        seen=(1, 1, 2),
    ),
    "source and target": Case(
        {"t.tsv": MQM}, "validate t.tsv --layers '*'", "--layers target", cured="validate t.tsv {}"
    ),
    "files of one name in folders of annotators": Case(
        {"f/ann/d.csv": "start,end\n0,2\n", "f/ben/d.csv": "start,end\n0,3\n"},
        "measure f/ann/d.csv f/ben/d.csv --quiet",
        r"f/\{annotator\}/\{document\}\.csv",
        cured="validate {}",
        seen=(1, 2, 2),
    ),
    "files of annotators": Case(
        {"ann.csv": "document,annotator,start,end\nd,x,0,2\n", "ben.csv": "document,annotator,start,end\nd,x,0,3\n"},
        "measure ann.csv ben.csv --samples 3 --quiet",
        r"--annotators-from '\{file\}'",
    ),
    "standard input that nobody knows": Case(
        {"t.dat": f"{HEADER}d,a,0,2,X\n"}, "validate t.dat", "--format", cured="validate t.dat {} csv", seen=(1, 1, 1)
    ),
    "a file that would lose who marked nothing": Case(
        {"f/units.csv": f"{HEADER}d,a,0,2,X\n", "f/annotations.csv": "document,annotator\nd,a\nd,b\n"},
        "convert f out.csv",
        r"--drop [\w,-]+",
        cured="convert f out.csv {}",
    ),
    "a folder holds what a file would lose": Case(
        {"f/units.csv": f"{HEADER}d,a,0,2,X\n", "f/annotations.csv": "document,annotator\nd,a\nd,b\n"},
        "convert f out.csv",
        r"out/(?=')",
        cured="convert f {} --to csv",
    ),
    "units without length, for ELAN": Case(
        {"t.csv": f"{HEADER}d,a,1,1,X\nd,b,0,2,X\n"},
        "convert t.csv out.eaf",
        "--drop zero-length",
        cured="convert t.csv out.eaf {}",
    ),
    "units without category, for pygamma": Case(
        {"t.jsonl": MIXED},
        "convert t.jsonl out.csv --to pygamma",
        r"--drop [\w,-]+",
        cured="convert t.jsonl out.csv --to pygamma {}",
    ),
    "units without category, for CSV": Case(
        {"t.jsonl": MIXED},
        "convert t.jsonl out --to csv",
        r"--drop [\w,-]+",
        cured="convert t.jsonl out --to csv {}",
    ),
    "tiers that depend on another": Case(
        {"t.TextGrid": DEPENDENT},
        "measure t.TextGrid --annotators-from '{layer}' --samples 3",
        "--layers A,B",
        own={"A,B": "words,others"},
        cured="validate t.TextGrid {}",  # γ of equal tiers is not available
        told=0,
    ),
    "times finer than ELAN's": Case(
        {"t.csv": f"{HEADER}d,a,0,0.12345,X\n"},
        "convert t.csv out.eaf",
        "--decimals 3",
        cured="convert t.csv out.eaf {}",
    ),
    "overlaps for the unitizing family": Case(
        {"t.csv": OVERLAPPING},
        "measure t.csv --coefficients unitizing-alpha --json --quiet",
        "--overlap layers",
    ),
    "a distance that needs an order": Case(
        {"t.csv": ORDINAL},
        "measure t.csv --samples 3 --distance ordinal --quiet",
        "--order",
        cured="measure t.csv --samples 3 --distance ordinal --quiet {} low,mid,high",
    ),
    "a distance that needs a period": Case(
        {"t.csv": f"{HEADER}d,a,0,2,10\nd,b,0,2,350\n"},
        "measure t.csv --samples 3 --distance circular --quiet",
        r"circular:360",
        told=2,
        cured="measure t.csv --samples 3 --distance {} --quiet",
    ),
    "a picture is of one document": Case(
        {"t.csv": f"{HEADER}d1,a,0,2,X\nd1,b,0,2,X\nd2,a,0,2,X\nd2,b,0,2,X\n"},
        "align t.csv --svg out.svg --quiet",
        "--document",
        told=2,
        cured="align t.csv --svg out.svg --quiet {} d1",
    ),
    "units where items are needed": Case(
        {"t.csv": f"{HEADER}d,a,0,2,X\nd,b,0,2,X\n"}, "items t.csv", "gamma-align measure", cured="{} t.csv --samples 3"
    ),
    "whose units are the reference": Case(
        {"t.csv": f"{HEADER}d,a,0,2,X\nd,a,4,6,Y\nd,b,0,2,X\n"},
        "shuffle t.csv --magnitude 0.5 --kinds shift",
        "--annotator",
        told=2,
        cured="shuffle t.csv --magnitude 0.5 --kinds shift {} a",
    ),
}


def written(case: Case, folder: Path) -> None:
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def cure_in(message: str, case: Case) -> str:
    """Return the cure as it is printed, with the user's own names in it."""
    found = re.search(case.cure, message)
    assert found is not None, message
    cure = found.group()
    for place, name in case.own.items():
        cure = cure.replace(place, name)
    return cure


@pytest.mark.parametrize("name", CASES)
def test_printed_cure_works(name, tmp_path):
    case = CASES[name]
    written(case, tmp_path)
    told = run(*shlex.split(case.command), cwd=tmp_path)
    assert told.returncode == case.told, told.stderr
    cure = cure_in(told.stderr + told.stdout, case)
    command = case.cured.replace("{}", cure) if case.cured else f"{case.command} {cure}"
    command = command.removeprefix("gamma-align ") + " --json" * (case.seen is not None)
    cured = run(*shlex.split(command), cwd=tmp_path)
    assert cured.returncode == 0, f"{command}: {cured.stderr}{cured.stdout}"
    complaints = [line for line in cured.stderr.splitlines() if re.match("gamma-align: (error|warning)", line)]
    assert not any(re.search(case.cure, line) for line in complaints), cured.stderr
    if case.seen is not None:
        found = json.loads(cured.stdout)["found"]
        assert (found["documents"], found["annotators"], found["units"]) == case.seen


OPTION = re.compile(r"(?:\b([a-z]+) )?(--[a-z][a-z-]*)")
READ = tuple(name for name in _COMMANDS if name not in ("items", "serve"))
# `serve` shows messages in the page and in JSON, where settings have the names in brackets
PRINTED_BY = {
    "reading/tables/item_tables": ("items",),
    "reading/write": ("convert", "validate", "shuffle", "consensus"),
    "data/build_items": ("items",),
    "data/item": ("items",),
    "reading/validation": ("validate",),
    "reading": READ,
    "data": READ,
    "insight/consensus": ("consensus",),
    "insight/replacement/judges": ("items",),
    "insight/replacement": ("replace",),
    "measures/reference": ("evaluate",),
    "present/evaluation_text": ("evaluate",),
    "measures/items": ("items",),
    "present/items_text": ("items",),
    "present/validation_text": ("validate",),
    "simulation/reference": ("shuffle",),
    "insight/comparison/sides": ("compare",),
    "insight/comparison/rounds": ("compare",),
    "apps/service/guard": ("serve",),
    "apps/service/server": ("serve",),
    "apps/cli/_corpus": READ,
    "apps/cli/_arguments": READ,
    "apps/cli/_program": ("convert",),
    "apps/cli/_output": ("convert", "validate", "shuffle", "consensus"),
    **{f"apps/cli/{name}": (name,) for name in _COMMANDS},
}
"""Commands that print what is said in a package or module; the others' are printed by `measure`."""


def options_of(command: str) -> set[str]:
    parser = Parser(fill=partial(fill_subcommand, command))
    parser.fill()
    return set(parser._option_string_actions)


def texts(module: Path) -> Iterator[str]:
    """Yield each string of a module that is no docstring, with … for what is filled in."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside | alone:
            yield node.value


MODULES = {str(path.relative_to(SOURCE).with_suffix("")) for path in SOURCE.rglob("*.py")}
MODULES = {name for name in MODULES if not name.endswith(("_arguments", "_subcommands"))}  # help, not messages


@pytest.fixture(scope="module")
def options():
    return {command: options_of(command) for command in _COMMANDS}


def options_in_messages(module):
    """Yield each text of a module with an option that it names, and a command that may print it."""
    package = next(
        (package for package in PRINTED_BY if module == package or module.startswith((f"{package}/", f"{package}_"))),
        None,
    )
    for text in texts(SOURCE / f"{module}.py"):
        for match in OPTION.finditer(text):
            option = match[2]
            named = re.findall(r"gamma-align ([a-z]+) ", text[: match.start(2)])
            command = named[-1] if named else match[1]
            for printed_by in (command,) if command in _COMMANDS else PRINTED_BY.get(package, ("measure",)):
                if text.strip() != option and not text.startswith("--"):  # the option itself, where it is added
                    yield text, option, printed_by


def test_options_in_messages_belong_to_the_printing_command(options):
    shown = [(module, *found) for module in sorted(MODULES) for found in options_in_messages(module)]
    assert shown
    of_commands = [found for found in shown if found[2] != "--version"]  # the program's own
    assert [found for found in of_commands if found[2] not in options[found[3]]] == []


def references(module: Path) -> Iterator[str]:
    """Yield the keyword of each option that a cure of a module refers to by a constant."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        is_reference = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Set", "Entry")
        if is_reference and isinstance(node.args[0], ast.Constant):
            yield node.args[0].value


@pytest.mark.parametrize("module", sorted(name for name in MODULES if name.startswith("reading/")))
def test_cures_of_readers_and_writers_refer_to_options_of_a_command(module, options):
    for keyword in references(SOURCE / f"{module}.py"):
        commands = [command for command, known in options.items() if flag_of(keyword) in known]
        assert commands or keyword == "spans", keyword  # `from_spacy` has no command
