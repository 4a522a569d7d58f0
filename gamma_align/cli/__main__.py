"""``python -m gamma_align.cli``: the same as the command ``gamma-align``."""

import sys

from gamma_align.cli import program

sys.exit(program())
