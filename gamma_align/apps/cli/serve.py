"""``gamma-align serve``: the page and the service, on this computer."""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
from pathlib import Path

from gamma_align.apps.cli._messages import ExitCode, print_message
from gamma_align.apps.cli._serve_arguments import FOLLOWING, LIMIT_OPTIONS, LIMIT_PREFIX
from gamma_align.apps.service.followed import Following
from gamma_align.apps.service.limits import Limits
from gamma_align.apps.service.server import Address, serve
from gamma_align.errors import InputError, Location, SettingsError
from gamma_align.reading import loaded, saved
from gamma_align.requests import given

_TOKEN_VARIABLE = "GAMMA_ALIGN_TOKEN"  # noqa: S105  (the name of an environment variable)
_LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")  # no token is needed: other machines cannot connect


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    path = None if arguments.path is None else Path(arguments.path)
    if path is not None and not path.exists():
        raise InputError(f"{path}: there is no such file or folder")
    uds = None if arguments.uds is None else Path(arguments.uds)
    if uds is not None and (arguments.port is not None or arguments.open or arguments.host not in _LOCAL_HOSTS):
        raise SettingsError("--uds listens on a socket file, not on a network", "leave out --port, --host and --open")
    following = _following(arguments)
    token = arguments.token or os.environ.get(_TOKEN_VARIABLE)
    if token is None and arguments.host not in _LOCAL_HOSTS:
        # Other computers can connect to this host, so the service makes a token if none is set.
        token = secrets.token_urlsafe(24)
    address = Address(arguments.host, arguments.port, token, tuple(arguments.allow_host), arguments.root_path, uds)
    limits = Limits(**given(vars(arguments), LIMIT_OPTIONS.options, prefix=LIMIT_PREFIX))
    with contextlib.ExitStack() as stack:
        if following is not None:
            from gamma_align.apps.follow.follower import working_in

            stack.enter_context(working_in(following.work))
        serve(address, limits, path=path, following=following, opens=arguments.open)
    return ExitCode.FINE


def _following(arguments: argparse.Namespace) -> Following | None:
    """Return the project to follow, if there is one, after trying to open it.

    Raises
    ------
    SettingsError
        If the project cannot be followed; if there is none, but an option that only --follow reads.
    """
    options = {name: getattr(arguments, name) for name in FOLLOWING}
    if arguments.follow is None:
        superfluous = next((name for name, value in options.items() if value is not None), None)
        if superfluous is not None:
            raise SettingsError("only --follow reads it", "leave it out", Location.for_option(superfluous))
        return None
    if arguments.path is not None:
        raise SettingsError(
            "the page opens with the documents of the project", "leave out PATH", Location.for_option("follow")
        )
    from gamma_align.apps.service.following import source_of  # few runs need it

    seconds = FOLLOWING["every"] if arguments.every is None else arguments.every
    work = FOLLOWING["work"] if arguments.work is None else arguments.work
    # A worker process has its own working directory, so it gets full paths, and the map instead of its file.
    columns = None if arguments.map is None else saved(loaded(arguments.map))
    source_of(arguments.follow, columns).open(work, lambda text: print_message("warning", text))
    project = arguments.follow if "://" in arguments.follow else str(Path(arguments.follow).resolve())
    return Following(project, work.resolve(), seconds, columns)
