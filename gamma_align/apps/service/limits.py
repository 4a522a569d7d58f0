"""Limits of the service. Each limit is an option of ``gamma-align serve``."""

from __future__ import annotations

from dataclasses import dataclass, field

from gamma_align.data import processors

MIB = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of requests, work and stored data.

    Attributes
    ----------
    body : int
        Bytes of a request.
    unpacked : int
        Bytes of an archive after unpacking.
    units, annotators : int
        Units of a corpus, or judgments of items; annotators of a document.
    seconds : float
        Time of work on one job.
    memory : int
        Bytes of memory of a worker, if the system can limit it (not on Windows).
    upload_seconds : float
        Time in which the head of a request arrives, and each 10 MiB of its body.
    workers, queue, streams : int
        Jobs that run at a time, jobs that wait, and clients that listen to events.
    keep_seconds, keep_bytes : float, int
        Time and size of stored results and data.
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
