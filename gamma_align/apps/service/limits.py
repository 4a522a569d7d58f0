"""How much the service takes on: every limit is an option of ``gamma-align serve``."""

from __future__ import annotations

from dataclasses import dataclass, field

from gamma_align.apps.cli._argument_types import processors

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of requests, of work, and of what is kept.

    Attributes
    ----------
    body : int
        Bytes of a request.
    unpacked : int
        Bytes of an archive, unpacked.
    units, annotators : int
        Units of a corpus, or judgments of items; annotators of a document.
    seconds : float
        Of work on one job.
    memory : int
        Bytes of a worker's memory, where the system can limit it (not on Windows).
    upload_seconds : float
        For the head of a request to arrive, and for its body, with as many again for each 10 MiB of it.
    workers, queue, streams : int
        Jobs that are worked on at a time, that wait, and clients that listen to the events of jobs.
    keep_seconds, keep_bytes : float, int
        How long, and how much of, results and data are kept.
    """

    body: int = 50 * MIB
    unpacked: int = 500 * MIB
    units: int = 2_000_000
    annotators: int = 200
    seconds: float = 600.0
    memory: int = 4096 * MIB
    upload_seconds: float = 20.0
    workers: int = field(default_factory=processors)
    queue: int = 64
    streams: int = 32
    keep_seconds: float = 1800.0
    keep_bytes: int = 256 * MIB
