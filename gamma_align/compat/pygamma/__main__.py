"""pygamma-agreement's command line."""

from gamma_align.compat.pygamma.cli_apps import pygamma_cmd

pygamma_cmd()
