"""Write gamma_align/insight/look/atlas.json and its table in docs/learn/reading_a_value.md: agreement by task.

    python tools/atlas/make.py [--page]

Each row is measured on a corpus of this repository, with its licence in corpora/README.md. ``--page`` writes the table
of the page from the file alone, which takes no time; all takes some minutes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import gamma_align as ga
from gamma_align.insight.look.atlas import FILE, kind_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "learn" / "reading_a_value.md"
BEGIN, END = "<!-- atlas -->\n", "<!-- end of the atlas -->\n"
_MIN_ANNOTATORS = 3  # two know no more of the ceiling than F1 and its root
_MAX_PAIRED = 100  # annotators; F1 of all pairs of more takes long and has few units a pair


class Task(NamedTuple):
    """A corpus, what its annotators marked, and the annotators who count; all of them if none are named."""

    corpus: str
    task: str
    annotators: tuple[str, ...] = ()
    by_pairs: bool = False


TASKS = (
    # user3 is an agreed version of the other two.
    Task("novels_ner", "mentions of persons in novels", ("user1", "user2")),
    Task("btc_crowd", "entities in tweets (crowd)"),
    Task("qamr", "answers to questions"),
    Task("toxic_spans", "toxic passages (crowd)"),
    # All together take minutes; the models are left out.
    Task("llm_span_d2t_iaa", "errors in generated text (crowd)", ("human*",), by_pairs=True),
    Task("hearst_kazantseva", "topics of a text"),
    Task("salami", "sections of pieces of music"),
    Task("dreem_sleep_dodh", "stages of sleep"),
)


def row_of(task: Task) -> dict[str, object]:
    """Measure a corpus and return its row."""
    corpus = ga.read(ROOT / "corpora" / task.corpus, outside="extend")
    sizes = {"documents": len(corpus), "annotators": len(corpus.annotators), "units": corpus.n_units}
    if task.annotators:
        names = [name for name in corpus.annotators if any(Path(name).match(each) for each in task.annotators)]
        corpus = corpus.select(annotators=names)
    gamma_cat = None
    if task.by_pairs:
        gamma = ga.pairwise(corpus).mean
    else:
        result = ga.gamma(corpus)
        gamma, gamma_cat = result.gamma, rounded(result.gamma_cat)
    return {
        "corpus": task.corpus,
        "task": task.task,
        "kind": kind_of(corpus),
        **sizes,
        "gamma": rounded(gamma),
        "low": round(gamma.low, 3),
        "high": round(gamma.high, 3),
        "by_pairs": task.by_pairs,
        "gamma_cat": gamma_cat,
        "unitizing_alpha": unitizing(corpus),
        "f1": strict_f1(corpus),
        "ceiling": ceiling_range(corpus),
    }


def rounded(value: ga.Value) -> float | None:
    """Return a value with three decimals, None if it is not available."""
    return round(value.value, 3) if value.is_available else None


def unitizing(corpus: ga.Corpus) -> float | None:
    """Return uα, None if units of an annotator overlap."""
    try:
        return rounded(ga.unitizing_alpha(corpus).u)
    except ga.InputError:
        return None


def strict_f1(corpus: ga.Corpus) -> float | None:
    """Return the mean over pairs of annotators of F1 of units with the same bounds and label."""
    if len(corpus.annotators) > _MAX_PAIRED:
        return None
    return rounded(ga.pairwise_f1(corpus).mean["strict"])


def ceiling_range(corpus: ga.Corpus) -> list[float] | None:
    """Return the range of the ceiling of strict F1; None if it rests on two annotators."""
    score = ga.ceiling(corpus).score
    return [round(score.low, 3), round(score.high, 3)] if score.annotators >= _MIN_ANNOTATORS else None


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a table in Markdown."""
    names = (
        "task",
        "corpus",
        "γ",
        "95 % interval",
        "{term}`γcat`",
        "{term}`uα`",
        "F1, strict",
        "[its ceiling](../choose/ceiling.md)",
    )
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    for row in rows:
        others = [row[name] for name in ("gamma_cat", "unitizing_alpha", "f1")]
        gamma = f"{row['gamma']:.2f}{' (mean of pairs)' if row['by_pairs'] else ''}"
        cells = [row["task"], row["corpus"], gamma, f"{row['low']:.2f} to {row['high']:.2f}"]
        cells += ["–" if value is None else f"{value:.2f}" for value in others]
        cells.append("–" if row["ceiling"] is None else " to ".join(f"{end:.2f}" for end in row["ceiling"]))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page(text: str, rows: list[dict[str, Any]]) -> str:
    """Return the page with the table."""
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n{table(rows)}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    if "--page" not in sys.argv:
        FILE.write_text(json.dumps([*map(row_of, TASKS)], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    found = json.loads(FILE.read_text(encoding="utf-8"))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
