"""The Java machine of this process: started once, on first use, with Lucene's jar; or the one that others started."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from legalir.errors import ComponentError, LegalIRError, MissingExtra, PluginError
from legalir_lucene.places import anserini_jar, java_home, java_version

__all__ = ["Machine", "heap", "machine", "speaking_plainly", "threads"]

_HEAP = "LEGALIR_LUCENE_HEAP"
_THREADS = "LEGALIR_LUCENE_THREADS"
_LEAST_MEGABYTES = 256
_VECTORS = "jdk.incubator.vector"
_OF_FILES = re.compile(r"(java\.io|java\.nio\.file|org\.apache\.lucene\.index)\.\w+Exception")
"""Faults of files; Lucene's own say that an index is damaged, or of a version that it does not read."""

_WARNS_OF_UNSAFE = 23
_LOCK = threading.Lock()
_running: Machine | None = None
_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Machine:
    """A running Java machine with Lucene.

    Attributes:
        java: returns the class with a name, for pyjnius.
        lucene: version of Lucene.
        pid: of the process that it runs in.
    """

    java: Callable[[str], Any]
    lucene: str
    pid: int
    _pool: ThreadPoolExecutor
    _logger: object  # Java forgets the level of a logger that nobody holds.

    def map(self, function: Callable[[_Item], _Made], items: Iterable[_Item]) -> list[_Made]:
        """Return what `function` makes of each item, several at once, in threads that Java knows."""
        waiting = list(items)
        with speaking_plainly():
            # Java keeps something for each thread that ever called it: other threads than the main one may come and go.
            if len(waiting) == 1 and threading.current_thread() is threading.main_thread():
                return [function(waiting[0])]
            return list(self._pool.map(function, waiting))


def heap() -> str:
    """Return the size of Java's heap: ``$LEGALIR_LUCENE_HEAP``, such as ``4g``, else ``1g``.

    Raises:
        ComponentError: it is not a size, or too small for Lucene.
    """
    size = os.environ.get(_HEAP) or "1g"
    found = re.fullmatch(r"([1-9][0-9]*)([mg])", size.lower())
    if found is None or int(found[1]) * {"m": 1, "g": 1024}[found[2]] < _LEAST_MEGABYTES:
        raise ComponentError(
            f"{_HEAP}={size!r} is not a heap of at least {_LEAST_MEGABYTES}m: write it like 512m or 4g."
        )
    return size


def threads() -> int:
    """Return the number of questions answered at once: ``$LEGALIR_LUCENE_THREADS``, else one a processor.

    Raises:
        ComponentError: it is not a positive whole number.
    """
    number = os.environ.get(_THREADS)
    if not number:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not re.fullmatch(r"[1-9][0-9]{0,3}", number):
        raise ComponentError(f"{_THREADS}={number!r} is not a positive whole number.")
    return int(number)


def machine() -> Machine:
    """Return the Java machine, started on the first call.

    Raises:
        MissingExtra: pyjnius, the jar or Java is not installed.
        PluginError: Java is too old, does not start, was started by others without the jar, or before a fork.
        ComponentError: a setting in the environment means nothing.
    """
    global _running
    with _LOCK:
        if _running is None:
            _running = _start()
    if _running.pid != os.getpid():
        raise PluginError(
            "The retriever lucene cannot run in a process that was forked after Java had started: "
            "start workers with the method 'spawn', or search in them alone."
        )
    return _running


@contextlib.contextmanager
def speaking_plainly() -> Iterator[None]:
    """Turn what fails in Java for lack of memory or disk into what a caller expects.

    Raises:
        LegalIRError: Java's heap is full.
        OSError: a file could not be read or written.
    """
    from jnius import JavaException

    try:
        yield
    except JavaException as error:
        kind = str(error.classname)
        if kind.endswith(".OutOfMemoryError"):
            raise LegalIRError(
                f"Java's heap of {heap()} is too small for this: set {_HEAP} to more, such as 4g."
            ) from error
        if _OF_FILES.fullmatch(kind):
            raise OSError(error.innermessage) from error
        raise


def _start() -> Machine:
    size, workers = heap(), threads()
    try:
        import jnius_config
    except ModuleNotFoundError:
        raise MissingExtra("The retriever lucene needs the package 'pyjnius': pip install pyjnius") from None
    others = jnius_config.vm_running
    if not others:
        _configure(jnius_config, anserini_jar(), java_home(), size)
    from jnius import JavaException, autoclass

    try:
        lucene = str(autoclass("org.apache.lucene.util.Version").LATEST.toString())
        autoclass("org.apache.lucene.analysis.miscellaneous.DelimitedTermFrequencyTokenFilterFactory")
        autoclass("com.fasterxml.jackson.databind.ObjectMapper")
    except JavaException as error:
        if not others:
            raise
        raise PluginError(
            "Java was started in this process by another package and without Lucene's jar: "
            "search with lucene before that package starts Java, or in a process of its own."
        ) from error
    logger = autoclass("java.util.logging.Logger").getLogger("org.apache.lucene")
    logger.setLevel(autoclass("java.util.logging.Level").SEVERE)
    pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="lucene")
    return Machine(autoclass, lucene, os.getpid(), pool, logger)


def _configure(jnius_config: Any, jar: Path, home: Path, size: str) -> None:
    """Start Java at `home` by importing jnius, in addition to options that other code has already set."""
    if os.environ.get(_HEAP):
        _try_out(home, size)
    options = jnius_config.get_options()
    if not _has_module(home, _VECTORS):
        # pyserini asks for it where it was imported; a Java without it would not start.
        options = [option for option in options if _VECTORS not in option]
    # Without -Xrs Java would take Ctrl-C away from Python.
    options += [f"-Xmx{size}", "-Xrs", "--enable-native-access=ALL-UNNAMED"]
    if (java_version(home) or 0) >= _WARNS_OF_UNSAFE:
        options.append("--sun-misc-unsafe-memory-access=allow")  # Lucene needs it there, and Java would say so aloud.
    jnius_config.set_options(*options)
    jnius_config.add_classpath(str(jar))
    before = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = str(home)
    try:
        import jnius  # noqa: F401
    except Exception as error:
        cause = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise PluginError(f"Java at {home} did not start ({cause}): set JAVA_HOME to another, or repair it.") from error
    finally:
        if before is None:
            del os.environ["JAVA_HOME"]
        else:
            os.environ["JAVA_HOME"] = before


def _try_out(home: Path, size: str) -> None:
    """Start Java elsewhere first: where it cannot have its heap, it would end this process."""
    run = subprocess.run([str(home / "bin" / "java"), f"-Xmx{size}", "-version"], capture_output=True, text=True)
    if run.returncode:
        cause = " ".join((run.stdout + run.stderr).split("\n")[1:2]).strip().rstrip(".") or "no reason given"
        raise ComponentError(f"Java does not start with {_HEAP}={size} ({cause}): set it to less.")


def _has_module(home: Path, module: str) -> bool:
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    modules = re.search(r'^MODULES="([^"]*)"', release, re.MULTILINE)
    return modules is not None and module in modules[1].split()
