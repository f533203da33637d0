"""Checks of a component in a new interpreter: which heavy modules it loads when, and whether its output is the same."""

from __future__ import annotations

import ast
import atexit
import importlib
import json
import os
import subprocess
import sys
import threading
import traceback
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from legalir.testing.checks import Failed, Function, NotApplicable, difference, explain_error
from legalir.testing.data import HEAVY
from legalir.testing.sandbox import ComponentUnderTest, Sandbox


class Report(NamedTuple):
    """The events in the new interpreter.

    Attributes:
        here: the component's output for the kit's data in this interpreter, as JSON values.
        there: the same in the new one, over the same cache; empty where it failed before.
        loaded: the heavy modules that each stage loaded: ``import``, ``construction``, ``no rows``, ``run``.
        failed: the stage that failed, or nothing.
        message: the error of that stage, or nothing.
    """

    here: dict[str, list[Any]]
    there: dict[str, list[Any]]
    loaded: dict[str, list[str]]
    failed: str
    message: str


@lru_cache(maxsize=8)
def report_on(under_test: ComponentUnderTest) -> Report:
    """Run the component here, which builds all indexes, then in a new interpreter; once, as it takes seconds.

    Raises:
        NotApplicable: another interpreter cannot import it.
        Failed: the new interpreter died.
    """
    job = _job(under_test)
    if job is None:
        raise NotApplicable(
            "a new interpreter cannot make it: give the name of an installed component, or a "
            "factory at the top of a module, and parameters that are literals"
        )
    with under_test.sandbox.emptied() as sandbox:
        collection = sandbox.collection()
        here = _as_json(sandbox.output(collection, sandbox.make(collection)))
        return Report(here, **_ask(job, sandbox.folder))


def _job(under_test: ComponentUnderTest) -> str | None:
    """Return the literal from which another interpreter makes the same component; None if there is none."""
    given = under_test.given
    if not isinstance(given, str):
        module = str(getattr(given, "__module__", None))
        held = {} if module == "__main__" else vars(sys.modules.get(module, object))
        name = next((name for name, one in held.items() if one is given), None)
        if name is None:
            return None
        given = f"{module}:{name}"
    text = repr({"role": under_test.role, "given": given, **under_test.options})
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return text


def _ask(job: str, folder: Path) -> dict[str, Any]:
    request, answer, errors = folder / "job.txt", folder / "answer.json", folder / "errors.txt"
    request.write_text(job, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1",
        "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
        "PYTHONUTF8": "1",
    }
    arguments = [str(request), str(folder), str(answer)]
    if hasattr(os, "fork"):
        order = {"arguments": arguments, "environment": environment, "path": sys.path, "errors": str(errors)}
        code = _told_to_fork(environment["PYTHONHASHSEED"], {**order, "folder": str(Path.cwd())})
    else:
        command = [sys.executable, "-c", f"import sys; from {__name__} import run_stages; run_stages(*sys.argv[1:])"]
        with errors.open("w") as stream:
            code = subprocess.run([*command, *arguments], env=environment, stderr=stream, check=False).returncode
    if not answer.exists():
        told = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
        last = (told.strip().splitlines() or ["it printed nothing"])[-1]
        raise Failed(f"a new interpreter died with code {code} ({last}): make it run there.")
    content: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return content


_LOCK = threading.Lock()


def _told_to_fork(seed: str, order: dict[str, Any]) -> int:
    """Run the stages in a fork of an interpreter that has only imported legalir; return the exit code."""
    with _LOCK:
        parent = _importer(os.getpid(), seed)
        assert parent.stdin is not None and parent.stdout is not None
        parent.stdin.write(json.dumps(order) + "\n")
        parent.stdin.flush()
        reply = parent.stdout.readline()
    if not reply:
        _importer.cache_clear()
        raise Failed("the new interpreter ended before it ran anything: check that legalir can be imported there.")
    return int(reply)


@lru_cache(maxsize=2)
def _importer(process: int, seed: str) -> subprocess.Popen[str]:
    """Start the interpreter that forks: imports take most of the time of a new one, and are the same for each job."""
    started = subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import fork_for_each_job; fork_for_each_job()"],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def end() -> None:
        if os.getpid() == process:
            started.communicate()

    atexit.register(end)
    return started


def fork_for_each_job() -> None:
    """Run each job that is read from the standard input in a fork, and print its exit code."""
    import legalir.collection.collection
    import legalir.pipeline  # noqa: F401
    from legalir.analysis.language import identify
    from legalir.references.grammar import read_references

    identify("A harbour is a place for ships.")  # What most components read or compile first, once for all of them.
    read_references("§ 1")
    for line in sys.stdin:
        if not (child := os.fork()):
            _run_order(json.loads(line))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


def _run_order(order: dict[str, Any]) -> NoReturn:
    code = 1
    try:
        errors = os.open(order["errors"], os.O_WRONLY | os.O_CREAT)
        os.dup2(errors, 1)
        os.dup2(errors, 2)
        os.chdir(order["folder"])
        os.environ.clear()
        os.environ.update(order["environment"])
        sys.path[:] = order["path"]
        run_stages(*order["arguments"])
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def run_stages(job: str, folder: str, answer: str) -> None:
    """Run the stages of the file `job` in `folder`, and write the file `answer`; this runs in the new interpreter."""
    there: dict[str, list[Any]] = {}
    loaded: dict[str, list[str]] = {}
    under_test: ComponentUnderTest | None = None
    stage, message, heavy = "import", "", _heavy()

    def begin(following: str) -> None:
        nonlocal stage, heavy
        loaded[stage] = sorted(_heavy() - heavy)
        stage, heavy = following, _heavy()

    try:
        under_test = _read_job(Path(job).read_text(encoding="utf-8"))
        _ = under_test.factory
        begin("construction")
        sandbox = Sandbox(under_test, Path(folder))
        collection = sandbox.collection()
        component = sandbox.make(collection)
        begin("no rows")
        sandbox.run_on_nothing(collection, component)
        begin("run")
        there = _as_json(sandbox.output(collection, component))
        begin("")
    except (Exception, SystemExit) as error:
        message = explain_error(error, under_test)
    content = {"there": there, "loaded": loaded, "failed": stage, "message": message}
    Path(answer).write_text(json.dumps(content), encoding="utf-8")


def _read_job(text: str) -> ComponentUnderTest:
    options = ast.literal_eval(text)
    module, colon, name = options["given"].partition(":")
    if colon and name.isidentifier():
        options["given"] = getattr(importlib.import_module(module), name)
    return ComponentUnderTest(**options)


def _heavy() -> set[str]:
    return {name for name in HEAVY if name in sys.modules}


def _as_json(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the columns of a frame after a way through JSON."""
    columns: dict[str, list[Any]] = json.loads(json.dumps(frame.to_dict("list"), default=_plain))
    return columns


def _plain(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def _check_loaded(sandbox: Sandbox, stage: str, cure: str) -> None:
    report = report_on(sandbox.under_test)
    if report.failed == stage:
        raise Failed(f"in a new interpreter: {report.message}")
    if stage not in report.loaded:
        raise NotApplicable(f"it failed earlier in a new interpreter: {report.message}")
    if heavy := report.loaded[stage]:
        raise Failed(f"{stage} loads {', '.join(heavy)}: {cure}")


def light_import(sandbox: Sandbox) -> None:
    """Importing the module loads no heavy library, so that listing and help stay fast."""
    _check_loaded(sandbox, "import", "import it inside the function that needs it.")


def light_construction(sandbox: Sandbox) -> None:
    """Making the component over existing indexes loads no heavy library."""
    _check_loaded(sandbox, "construction", "load the model with the first text, as functools.cached_property does.")


def light_empty_frame(sandbox: Sandbox) -> None:
    """A frame without rows, as in PyTerrier's inspection, loads no model; nor does reading name or fingerprint."""
    _check_loaded(sandbox, "no rows", "return before the model is needed if there is nothing to do.")


def another_process(sandbox: Sandbox) -> None:
    """A new interpreter, with another order of sets and other hashes, gives the same output over the same cache."""
    report = report_on(sandbox.under_test)
    if report.failed == "run":
        raise Failed(f"in a new interpreter: {report.message}")
    if report.failed:
        raise NotApplicable(f"it failed earlier in a new interpreter: {report.message}")
    if (fault := difference(pd.DataFrame(report.here), pd.DataFrame(report.there))) is not None:
        raise Failed(f"in a new interpreter, {fault}: sort the members of sets, and use hashlib instead of hash().")


PROCESS_CHECKS: tuple[Function, ...] = (light_import, light_construction, light_empty_frame, another_process)
