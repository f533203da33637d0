"""Parsing in several processes, each of which is a fresh interpreter that reads tasks from a pipe.

They import nothing of the calling script and inherit none of its threads; they end when it ends, however that happens.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from legalir.errors import LegalIRError
from legalir.statutes.importing.parsing import FileReport, Task, parse, stored_result

_FEW = 1 << 20
"""Bytes that this process has read before another one has started."""


def parse_all(tasks: Sequence[Task], workers: int) -> Iterator[tuple[Task, Path | FileReport]]:
    """Yield each task in its order with what :func:`legalir.statutes.importing.parsing.parse` returns.

    Args:
        tasks: the files.
        workers: number of processes; 1: this process does it.

    Raises:
        LegalIRError: as :func:`legalir.statutes.importing.parsing.parse`.
    """
    if min(workers, len(tasks)) < 2 or not _can_travel(tasks):
        yield from ((task, parse(task)) for task in tasks)
        return
    stored = [stored_result(task) for task in tasks]
    left = [task for task, result in zip(tasks, stored, strict=True) if result is None]
    if len(left) < 2 or not _is_much(left):
        yield from ((task, result or parse(task)) for task, result in zip(tasks, stored, strict=True))
        return
    pool = _Pool()
    threads = ThreadPoolExecutor(min(workers, len(left)))
    try:
        parsed = threads.map(pool.parse, left)
        for task, result in zip(tasks, stored, strict=True):
            yield task, result or next(parsed)
    finally:
        pool.close()
        threads.shutdown(cancel_futures=True)


def _is_much(tasks: Sequence[Task]) -> bool:
    total = 0
    for task in tasks:
        with suppress(OSError):
            total += task.path.stat().st_size
        if total > _FEW:
            return True
    return False


def _can_travel(tasks: Sequence[Task]) -> bool:
    """Return whether another process finds the readers: not those of a script or of a console."""
    try:
        return all(b"__main__" not in pickle.dumps(format_) for format_ in {task.format for task in tasks})
    except (pickle.PicklingError, AttributeError, TypeError):
        return False


class _Pool:
    """A process for each thread that asks for one."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        self._own = threading.local()
        self._closed = False

    def parse(self, task: Task) -> Path | FileReport:
        process: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        if process is None:
            process = self._own.process = self._start()
        assert process.stdin and process.stdout
        try:
            pickle.dump(task, process.stdin)
            process.stdin.flush()
            result = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            self._own.process = None
            return FileReport(
                task.name,
                task.format.name,
                fault=f"{task.name}: the process that read it ended (code {process.wait()}), perhaps for lack of "
                f"memory: try workers=1.",
            )
        if isinstance(result, LegalIRError):
            raise result
        assert isinstance(result, Path | FileReport)
        return result

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._processes.append(process)
        return process

    def close(self) -> None:
        """End all processes, also in the middle of a file."""
        for process in self._processes:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):
                    assert stream
                    stream.close()


def _work() -> None:
    """Parse what comes through the standard input; only the process that started this one writes there."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What a reader prints must not stand between the answers.
    while True:
        try:
            task = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            result: object = parse(task)
        except LegalIRError as error:
            result = error
        pickle.dump(result, answers)
        answers.flush()


if __name__ == "__main__":
    _work()
