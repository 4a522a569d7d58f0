"""``gamma-align serve``: the page and the service, on this computer.

The service runs subcommands, so it stands above the command line and provides this one.
"""

from __future__ import annotations

import argparse

from gamma_align.data.provided import provided


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    code: int = provided("gamma-align serve")(arguments)
    return code
