"""Models in the place of annotators as text for a terminal."""

from __future__ import annotations

from gamma_align.data import counted, printable
from gamma_align.insight import verdicts
from gamma_align.insight.replacement import Replacement
from gamma_align.present.replacement_tables import (
    calibration_table,
    differences_table,
    equivalence_table,
    models_table,
    people_table,
)
from gamma_align.present.table import NEUTRAL, FormNames
from gamma_align.present.writers.lines import blocks_text
from gamma_align.present.writers.text import Footnotes, section_lines, titled_lines

_ONE_MODEL = 1  # the people of several models are in CSV and JSON


def replacement_text(result: Replacement, rows: int = 10, form_names: FormNames = NEUTRAL) -> str:
    """Return models, equivalence, differences, people, calibration and the signature; `rows` of each long table."""
    notes = Footnotes()
    n_models = len(result.models)
    people = "1 person" if len(result.people) == 1 else f"{len(result.people)} people"
    head = f"{counted(n_models, 'model')} in the place of {people}, ε = {result.settings['epsilon']:g}"
    models = section_lines(models_table(result), title=head, notes=notes, form_names=form_names)
    models += [f"  {line}" for line in notes.lines()]
    people_nearness = [(person.person, person.nearness) for person in result.calibration]
    sentences = [
        f"{verdicts.standing(model.model, model.nearness, model.nearer_than, model.n_people, people_nearness)}; "
        f"{verdicts.allowed_standing(model.standing, model.n_people, model.instances, result.noun)}."
        for model in result.models[:rows]
    ]
    tables = [equivalence_table(result), differences_table(result)]
    if n_models == _ONE_MODEL:
        tables.append(people_table(result.models[0], result.noun))
    blocks = [models, sentences, *(titled_lines(table, rows, form_names) for table in tables)]
    return blocks_text([*blocks, _calibration(result, rows, form_names), [printable(result.signature)]])


def _calibration(result: Replacement, rows: int, form_names: FormNames) -> list[str]:
    """Return how many people pass in the model's place, and the nearest of them."""
    if not result.calibration:
        return ["calibration: with fewer than three people nobody can be put in the model's place"]
    if not result.n_calibrated:
        return [f"calibration: not available ({result.calibration[0].omega.reason})"]
    verb = "passes" if result.n_passing == 1 else "pass"
    head = f"calibration: {result.n_passing} of {result.n_calibrated} people {verb} in the model's place"
    return section_lines(calibration_table(result, rows), title=head, form_names=form_names)
