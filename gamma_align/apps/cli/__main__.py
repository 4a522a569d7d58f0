"""``python -m gamma_align.apps.cli``: the same as the command ``gamma-align``."""

import sys

from gamma_align.apps.cli import program

sys.exit(program())
