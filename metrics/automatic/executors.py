"""Where chunks are worked on: this process, the cores of this machine, or any executor; a lost worker is
survived."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager

from metrics.automatic import registry
from metrics.automatic.work import Chunk, Done, Failed, work

Progress = Callable[[int, int], None]
"""Told how many outputs are scored, of how many."""

ATTEMPTS = 3
"""How often a chunk is handed out when the worker that had it is lost."""

_FEW = 2


class WorkersLostError(RuntimeError):
    """Chunks whose workers were lost each time they were tried."""


def work_all(
    chunks: Sequence[Chunk],
    *,
    executor: Executor | None = None,
    processes: int | None = None,
    progress: Progress | None = None,
) -> list[Done]:
    """All chunks done, in their order; see :func:`work_each`."""
    done = dict(work_each(chunks, executor=executor, processes=processes, progress=progress))
    return [done[number] for number in range(len(chunks))]


def work_each(
    chunks: Sequence[Chunk],
    *,
    executor: Executor | None = None,
    processes: int | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[int, Done]]:
    """Each chunk's number and result as it is done, in any order; nothing is kept of what was handed on.

    :func:`~metrics.automatic.work.work` hands a metric's own fault back as a value; it is raised here at
    once. Any exception of the executor itself therefore means that a worker was lost, and the chunk is
    handed out again.
    """
    done: set[int] = set()
    total = sum(len(chunk.outputs) for chunk in chunks)
    ready = 0
    lost: Exception | None = None
    for _ in range(ATTEMPTS):
        waiting = {number: chunk for number, chunk in enumerate(chunks) if number not in done}
        if not waiting:
            break
        with _workers(executor, processes, len(waiting)) as pool:
            for number, result in _finished(waiting, pool):
                if isinstance(result, Failed):
                    raise result.error
                if isinstance(result, Exception):
                    lost = result
                    continue
                done.add(number)
                ready += len(chunks[number].outputs)
                if progress is not None:
                    progress(ready, total)
                yield number, result
    if len(done) < len(chunks):
        raise WorkersLostError(
            f"{len(chunks) - len(done)} chunks lost their worker {ATTEMPTS} times"
        ) from lost


def _finished(
    waiting: dict[int, Chunk], pool: Executor | None
) -> Iterator[tuple[int, Done | Failed | Exception]]:
    """Each chunk's result as it comes; an exception stands for a lost worker."""
    if pool is None:
        # Texts and parses stay until the end: looking for cycles among them after every chunk takes a tenth of the time.
        gc.freeze()
        try:
            yield from ((number, work(chunk)) for number, chunk in waiting.items())
        finally:
            gc.unfreeze()
        return
    numbers: dict[Future[Done | Failed], int] = {}
    for number, chunk in waiting.items():
        try:
            numbers[pool.submit(work, chunk)] = number
        except RuntimeError as broken:  # the pool broke while chunks were still being handed out
            yield number, broken
    try:
        for future in as_completed(list(numbers)):
            error = future.exception()
            # The result goes with its future: what was handed on must not pile up here.
            yield numbers.pop(future), error if isinstance(error, Exception) else future.result()
    finally:
        for future in numbers:
            future.cancel()


@contextmanager
def _workers(executor: Executor | None, processes: int | None, chunks: int) -> Iterator[Executor | None]:
    """The caller's executor, left open; or a pool of our own; or None, this process, when there is little
    to do."""
    processes = min(processes or _cores(), chunks)
    if executor is not None or processes <= 1 or chunks <= _FEW:
        yield executor
        return
    pool = _pool(processes)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _pool(processes: int) -> ProcessPoolExecutor:
    # Forking a process that has threads can hang; a fork server has none, and has our modules loaded already.
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["metrics.automatic.work", *registry.FAMILIES])
    return ProcessPoolExecutor(processes, mp_context=context)
