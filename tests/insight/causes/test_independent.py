"""Annotators who place units at random, whatever the others do, give no finding: 48 kinds of corpora."""

from __future__ import annotations

import numpy as np
import pytest
from judging import findings, view_of
from made_corpora import INDEPENDENT_FORMS, make_independent


@pytest.mark.parametrize("form", INDEPENDENT_FORMS, ids=lambda form: "-".join(map(str, form)))
def test_independent_annotators_give_no_finding(form):
    draft = make_independent(np.random.default_rng([0, 31]), *form)
    groups = findings(view_of(draft))
    assert not groups, [step.sentence for group in groups for step in group]
