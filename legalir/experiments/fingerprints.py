"""Keys of runs: a sha256 of everything that a run depends on, the code of its components included."""

from __future__ import annotations

import copyreg
import dataclasses
import dis
import functools
import hashlib
import importlib.util
import logging
import re
import sys
import threading
import types
import weakref
from collections.abc import Iterable, Iterator
from importlib import metadata
from importlib.machinery import ModuleSpec
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir import plugins
from legalir.errors import ExperimentError
from legalir.frames.component import Component
from legalir.graph.citation_graph import CitationGraph
from legalir.llm.chat import ChatModel
from legalir.plugins import normal_name
from legalir.storage.digest import cached_file_digest, digest, file_digest

LARGEST = 16_000_000
"""Size in bytes of the largest file whose content is read; a larger one counts by its size and time of change."""

_read: dict[str, tuple[tuple[ModuleSpec | None, ...], list[str]]] = {}
"""Code of each package, with the specifications of its modules that were loaded at that time."""


def module_code(module: str) -> list[str]:
    """Return what the code of a module depends on: one text for each file and each package.

    It covers all files of the distribution that has the module, or of its package or folder if it is in none, and the
    versions of what the distribution requires. The result is the same in each process. It is computed once for the
    modules that are loaded, and again after one of them is imported again.

    Args:
        module: its full name.

    Returns:
        The texts; none for a module without a file, such as an interactive session. The standard library counts
        by its version, legalir by its name: :func:`legalir.experiments.fingerprints.source_fingerprint` covers it.
    """
    top = module.partition(".")[0]
    if top == "legalir":
        return ["legalir"]
    if top in sys.stdlib_module_names:
        return ["python {}.{}.{}".format(*sys.version_info)]
    package = _outermost(module)
    # The file of a module may be newer than its code in this process.
    specs = tuple(
        getattr(loaded, "__spec__", None)
        for name, loaded in sorted(sys.modules.copy().items())
        if name == package or name.startswith(f"{package}.")
    )
    before = _read.get(package)
    if before is None or len(before[0]) != len(specs) or any(a is not b for a, b in zip(before[0], specs, strict=True)):
        _read[package] = specs, _package_code(package, top)
    return _read[package][1]


def requirements(package: str, extras: Iterable[str] = ()) -> list[str]:
    """Return name and version of everything that a package requires, directly or not, and that is installed.

    The files of a requirement count, too, if its installer recorded none, as for an editable installation: its version
    does not identify its code.
    """
    return _requirements(package, tuple(sorted(extras)), tuple(sys.path))


def _package_code(package: str, top: str) -> list[str]:
    distributions = [one for name in _packages(top) if (one := _distribution(name)) is not None]
    files = _files_of_package(package)
    lines = set()
    for one in distributions:
        files |= _files_of_distribution(one)
        lines |= {f"{one.name} {one.version}", *requirements(one.name)}
    return [*sorted(lines), *_contents(files)]


def _contents(files: dict[str, Path]) -> list[str]:
    lines = []
    for name, path in sorted(files.items()):
        try:
            status = path.stat()
            large = status.st_size > LARGEST
            content = f"{status.st_size} {status.st_mtime_ns}" if large else cached_file_digest(path)
        except OSError:
            continue
        lines.append(f"{name} {content}")
    return lines


def _outermost(module: str) -> str:
    """Return the outermost package of a module that has a file; a namespace belongs to several distributions."""
    parts = module.split(".")
    names = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return next((name for name in names if _origin(name) is not None), module)


def _files_of_package(package: str) -> dict[str, Path]:
    """Return the files of a package; for a module outside packages and distributions, the files of its folder."""
    origin = _origin(package)
    if origin is None:
        return {}
    above, _, name = package.rpartition(".")
    if origin.name == "__init__.py":
        return _files_below(origin.parent, above and f"{above.replace('.', '/')}/")
    near = [origin] if above or _packages(name) else sorted(origin.parent.glob("*.py"))
    return {path.name: path for path in near}


def _origin(name: str) -> Path | None:
    """Return the file of a module, or None for a namespace package or a module without a file."""
    loaded = sys.modules.get(name)
    file = getattr(loaded, "__file__", None)
    if loaded is None:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError):
            return None
        file = spec.origin if spec is not None and spec.has_location else None
    return None if file is None or not Path(file).is_file() else Path(file).absolute()


def _files_below(folder: Path, prefix: str = "") -> dict[str, Path]:
    paths = (path for path in folder.rglob("*") if _counts(path.relative_to(folder)) and path.is_file())
    return {f"{prefix}{folder.name}/{path.relative_to(folder).as_posix()}": path for path in paths}


def _counts(path: Path) -> bool:
    """Return True if a file may change what code does: not bytecode, and not hidden."""
    return path.suffix not in (".pyc", ".pyo") and not any(
        part == "__pycache__" or part.startswith(".") for part in path.parts
    )


def _files_of_distribution(distribution: metadata.Distribution) -> dict[str, Path]:
    """Return the files that an installer recorded, or without a record the files of the top-level packages."""
    if _is_recorded(distribution):
        paths = [path for path in distribution.files or () if _is_code(path.as_posix())]
        return {path.as_posix(): Path(str(path.locate())) for path in paths if _counts(Path(path))}
    files: dict[str, Path] = {}
    for top in (distribution.read_text("top_level.txt") or normal_name(distribution.name).replace("-", "_")).split():
        if (origin := _origin(top)) is not None:
            files |= _files_below(origin.parent) if origin.name == "__init__.py" else {origin.name: origin}
    return files


def _is_recorded(distribution: metadata.Distribution) -> bool:
    """Return True if an installer recorded the code of a distribution; editable installations have no record."""
    record = distribution.read_text("RECORD") or ""
    return any(_is_code(line.partition(",")[0]) for line in record.splitlines())


def _is_code(path: str) -> bool:
    """Return True if a recorded path is code or its data; metadata and scripts depend on the place of the files."""
    top = path.partition("/")[0]
    return top != ".." and not top.endswith((".dist-info", ".pth")) and not top.startswith("__editable__")


def _packages(top: str) -> list[str]:
    return _by_module(tuple(sys.path)).get(top) or ([top] if _distribution(top) is not None else [])


@functools.lru_cache(maxsize=4)
def _by_module(path: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the distributions of each top-level module: distributions that record it or have plugins in it."""
    found = {top: set(names) for top, names in metadata.packages_distributions().items()}
    for entry in plugins.entries():
        found.setdefault(entry.value.partition(":")[0].partition(".")[0].strip(), set()).add(entry.package)
    return {top: sorted({*map(normal_name, names)}) for top, names in found.items()}


def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except (metadata.PackageNotFoundError, ValueError):
        return None


@functools.lru_cache(maxsize=256)
def _requirements(package: str, extras: tuple[str, ...], path: tuple[str, ...]) -> list[str]:
    lines: dict[str, list[str]] = {}
    todo = [(package, extras)]
    seen = {*todo}
    while todo:
        name, wanted = todo.pop()
        distribution = _distribution(name)
        if distribution is None:
            continue
        plain = normal_name(name)
        # The fingerprint of its source covers legalir.
        if plain not in (normal_name(package), "legalir", *lines):
            files = {} if _is_recorded(distribution) else _files_of_distribution(distribution)
            lines[plain] = [f"{plain} {distribution.version}", *_contents(files)]
        found = {_requirement(requirement, wanted) for requirement in distribution.requires or ()}
        new = [one for one in found if one is not None and one not in seen]
        seen.update(new)
        todo += new
    return [line for _, of in sorted(lines.items()) for line in of]


def _requirement(text: str, extras: Iterable[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return the package of a requirement and its extras; None if it belongs to an extra that is not wanted."""
    named, _, marker = text.partition(";")
    needed = set(re.findall(r"extra\s*==\s*['\"]([^'\"]+)", marker))
    match = re.match(r"\s*([\w.-]+)\s*(?:\[([^\]]*)\])?", named)
    if match is None or (needed and not {*map(normal_name, needed)} & {*map(normal_name, extras)}):
        return None
    return match[1], tuple(sorted(extra.strip() for extra in (match[2] or "").split(",") if extra.strip()))


def legalir_version() -> str:
    """Return the installed version of legalir, or ``unknown`` in a tree that was never installed."""
    try:
        return metadata.version("legalir")
    except metadata.PackageNotFoundError:
        return "unknown"


@functools.cache
def source_fingerprint() -> str:
    """Return a sha256 over the code that may change a run: legalir without its experiments and command line.

    The version alone would do for users, but not for those who work on a component.
    """
    root = Path(__file__).parents[1]
    files = sorted(path.relative_to(root) for path in root.rglob("*.py"))
    parts = [path for path in files if path.parts[0] not in {"cli", "experiments", "testing"}]
    return digest([[path.as_posix(), file_digest(root / path)] for path in parts])


def frame_fingerprint(frame: pd.DataFrame) -> str:
    """Return a sha256 over the columns and cells of a frame, in the order of its rows."""
    text = frame.to_csv(index=False, lineterminator="\n")
    return hashlib.sha256(text.encode()).hexdigest()


class NoFingerprint(ExperimentError):  # noqa: N818  (reads as what it is)
    """A pipeline contains an object that another process cannot recognise, so its runs cannot be reused."""


def pipeline_fingerprint(pipeline: pt.Transformer) -> str:
    """Return a sha256 over the components of a pipeline: their code, their arguments, and their contents.

    - Code: the code of each component's class and of each function, as
      :func:`legalir.experiments.fingerprints.module_code` has it; of functions also the bytecode, constants, defaults,
      values of the closure, and the global names that they use; of classes outside distributions, such as those of a
      script or notebook, also the attributes, methods and bases, as they are in this process.
    - Arguments: of a :class:`~legalir.frames.component.Component` the arguments of its constructor, of other objects
      their state as a copy or a pickle has it. Text and paths that name a file count with its content, arrays and
      frames with theirs.
    - What has a ``fingerprint``, an attribute or a method without arguments (an index, an analyzer, an encoder), counts
      by it; a component that is not one of ours, too, with the pipelines, functions and indexes that it holds.

    The result is the same in each process.

    Raises:
        NoFingerprint: something has no stable state, such as an open file.
    """
    return _Walk().of(pipeline)


def notes(pipeline: pt.Transformer) -> list[str]:
    """Return the remarks of the components of a pipeline and of what they read, each once: their attribute ``note``."""
    own = getattr(pipeline, "note", "")
    parts = [
        part for value in vars(pipeline).values() for part in (value if isinstance(value, tuple | list) else [value])
    ]
    graphs = [part.note for part in parts if isinstance(part, CitationGraph)]
    below = [*graphs, *(note for part in parts if isinstance(part, pt.Transformer) for note in notes(part))]
    return list(dict.fromkeys(filter(None, [own, *below])))


_ATOMS = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
_LOCKS = (type(threading.Lock()), type(threading.RLock()))
_CALLABLES = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, np.ufunc)
_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType, *_CALLABLES)
_NO_CODE = ("__doc__", "__module__", "__abstractmethods__", "_abc_impl", "__slotnames__")
"""Attributes of classes that change nothing, or that Python adds when they are first used."""
_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")


class _Walk:
    """One walk over the contents of a pipeline. Each object is described only once."""

    def __init__(self) -> None:
        self._done: dict[int, tuple[object, str]] = {}  # With the object, so that its id stays its own.
        self._open: dict[int, int] = {}

    def of(self, value: object) -> str:
        """Return the sha256 of an object."""
        if type(value) in _ATOMS:
            return f"{type(value).__name__} {value!r}"
        place = id(value)
        if place in self._open:
            return f"{len(self._open) - self._open[place]} above"
        if place not in self._done:
            self._open[place] = len(self._open)
            try:
                self._done[place] = value, digest(list(self._parts(value)))
            finally:
                del self._open[place]
        return self._done[place][1]

    def _parts(self, value: Any) -> Iterator[object]:
        kind = type(value)
        if isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, types.ModuleType):
            yield ["module", value.__name__, *module_code(value.__name__)]
        elif isinstance(value, types.MethodType):
            yield ["method", self.of(value.__func__), self.of(value.__self__)]
        elif isinstance(value, _CALLABLES):
            owner = getattr(value, "__self__", None)
            held = "" if owner is None or isinstance(owner, types.ModuleType) else self.of(owner)
            yield ["built-in", getattr(value, "__qualname__", value.__name__), held]
        elif isinstance(value, types.CodeType):
            yield from self._code(value)
        elif isinstance(value, functools._lru_cache_wrapper):
            yield self.of(value.__wrapped__)
        elif isinstance(value, logging.Logger):
            yield ["logger", value.name]
        elif isinstance(value, _LOCKS):
            yield "lock"
        elif isinstance(value, np.ndarray):
            whole = (
                value.tolist()
                if value.dtype.hasobject
                else hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
            )
            yield ["array", str(value.dtype), value.shape, self.of(whole)]
        elif isinstance(value, pd.DataFrame):
            columns = [self.of(value.iloc[:, place].to_numpy()) for place in range(value.shape[1])]
            yield ["frame", self.of(list(value.columns)), self.of(value.index.to_numpy()), *columns]
        elif isinstance(value, pd.Series | pd.Index):
            yield [kind.__name__, self.of(value.to_numpy()), self.of(getattr(value, "name", None))]
        elif isinstance(value, PurePath):
            yield ["path", self._text(str(value))]
        elif isinstance(value, weakref.ref):
            yield self.of(value())
        elif (own := _own_fingerprint(value)) is not None and not isinstance(value, pt.Transformer):
            yield [self._kind(value, own), own]
        elif isinstance(value, pt.Transformer):
            yield from self._component(value, own)
        elif isinstance(value, pt.Artifact) and (described := list(_manifest(value))):
            yield [self.of(kind), *described]
        elif isinstance(value, ChatModel):
            yield [self.of(kind), value.name]
        elif kind in (list, tuple):
            yield [kind.__name__, *map(self.of, value)]
        elif kind in (dict, types.MappingProxyType):
            yield [kind.__name__, *sorted([self.of(key), self.of(item)] for key, item in value.items())]
        elif isinstance(value, set | frozenset):
            yield [self.of(kind), *sorted(map(self.of, value))]
        else:
            yield [self.of(kind), *self._state(value)]

    def _component(self, value: pt.Transformer, own: str | None) -> Iterator[object]:
        yield [self._kind(value, own), own]
        if isinstance(value, pt.Artifact):
            yield list(_manifest(value))
        held = vars(value) | _slots(value)
        known = value._arguments() if isinstance(value, Component) else {} if own is not None else held
        for name, argument in sorted(known.items()):
            yield [name, self._text(argument) if isinstance(argument, str) else self.of(argument)]
        # Other attributes of a component follow from its arguments, unless it received an object to use.
        for name in sorted(set(held) - set(known)):
            yield from ([name, self.of(used)] for used in used_by(held[name]))

    def _kind(self, value: object, own: str | None) -> object:
        """Return the sha256 of the class of an object; where that has no stable state, its own fingerprint is enough.

        Raises:
            NoFingerprint: it has none, and the object has no fingerprint of its own.
        """
        kind = type(value)
        try:
            return self.of(kind)
        except NoFingerprint:
            if own is None:
                raise
            return [kind.__module__, kind.__qualname__, module_code(kind.__module__)]

    def _text(self, text: str) -> str:
        """Return a text, with the digest of the file of that name if it exists."""
        try:
            return f"{text} {cached_file_digest(Path(text))}" if Path(text).is_file() else text
        except (OSError, ValueError):
            return text

    def _class(self, kind: type) -> Iterator[object]:
        yield [kind.__module__, kind.__qualname__, module_code(kind.__module__)]
        if _is_own_code(kind.__module__):  # Its files do not show what a process made of it.
            yield [self.of(base) for base in kind.__bases__]
            yield [
                [name, [self.of(one) for one in _behind(part)]]
                for name, part in sorted(vars(kind).items())
                if not isinstance(part, _DESCRIPTORS) and name not in _NO_CODE and (part or name != "__annotations__")
            ]

    def _function(self, function: types.FunctionType) -> Iterator[object]:
        module = function.__module__ or ""
        yield [module, function.__qualname__, module_code(module)]
        if module.partition(".")[0] in {*sys.stdlib_module_names, "legalir"} - {"__main__"} and "<" not in (
            function.__qualname__
        ):
            return  # Their globals may be caches.
        yield from self._code(function.__code__)
        yield [self.of(function.__defaults__), self.of(function.__kwdefaults__)]
        for cell in function.__closure__ or ():
            try:
                yield self.of(cell.cell_contents)
            except ValueError:  # Not assigned yet.
                yield "empty"
        attributes = _attribute_names(function.__code__)
        for name in _global_names(function.__code__):
            if name in function.__globals__:
                value = function.__globals__[name]
                yield [name, self._global(value, module.partition(".")[0])]
                yield from self._attributes(value, attributes)

    def _attributes(self, module: object, names: list[str]) -> Iterator[object]:
        """Yield the attributes that code names of a module outside packages, and of ``sys`` its arguments."""
        if module is sys and "argv" in names:
            yield ["argv", self.of(sys.argv)]
        if isinstance(module, types.ModuleType) and _is_own_code(module.__name__):
            for name in names:
                if name in vars(module):
                    value = vars(module)[name]
                    yield [name, self.of(value)]
                    if isinstance(value, types.ModuleType) and value.__name__.startswith(f"{module.__name__}."):
                        yield from self._attributes(value, names)

    def _global(self, value: Any, package: str) -> object:
        """Return a global name of a function: what belongs to another package counts by the code of that."""
        module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
        shared = isinstance(value, (type, types.FunctionType, types.ModuleType, *_CALLABLES))
        if shared and module and module.partition(".")[0] != package and not _is_own_code(module):
            return [module, getattr(value, "__qualname__", ""), module_code(module)]
        return self.of(value)

    def _code(self, code: types.CodeType) -> Iterator[object]:
        yield [code.co_code.hex(), code.co_exceptiontable.hex(), code.co_flags, code.co_argcount]
        yield [code.co_kwonlyargcount, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars]
        yield [self.of(constant) for constant in code.co_consts]

    def _state(self, value: object) -> Iterator[object]:
        """Return the state of any other object as a copy would have it.

        Raises:
            NoFingerprint: it has none.
        """
        if type(value).__module__.partition(".")[0] == "legalir" and not dataclasses.is_dataclass(value):
            return  # Ours follow from the collection and from the arguments of components.
        try:
            registered = copyreg.dispatch_table.get(type(value))
            reduced = value.__reduce_ex__(4) if registered is None else registered(value)
        except Exception as error:
            raise NoFingerprint(f"a {type(value).__name__} has no state that another process can recognise") from error
        for place, part in enumerate(reduced if isinstance(reduced, tuple) else (reduced,)):
            # The items of lists and dicts are iterators.
            yield self.of(list(part) if place in (3, 4) and part is not None else part)


def used_by(value: object) -> Iterator[object]:
    """Yield what a component uses among a value: pipelines, functions, artifacts, and what has a fingerprint."""
    if isinstance(value, list | tuple | set | frozenset):
        yield from (used for item in value for used in used_by(item))
    elif isinstance(value, dict):
        yield from (used for item in value.values() for used in used_by(item))
    elif isinstance(value, pt.Transformer | pt.Artifact | types.FunctionType) or _own_fingerprint(value) is not None:
        yield value


def _own_fingerprint(value: object) -> str | None:
    own = getattr(value, "fingerprint", None) if hasattr(type(value), "fingerprint") else None
    if own is None and not isinstance(value, type | types.ModuleType):
        own = getattr(value, "__dict__", {}).get("fingerprint")
    if callable(own):
        own = own()
    return own if isinstance(own, str) else None


def _global_names(code: types.CodeType) -> list[str]:
    names = {step.argval for step in dis.get_instructions(code) if step.opname in _GLOBALS}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(_global_names(constant))
    return sorted(names)


def _attribute_names(code: types.CodeType) -> list[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(_attribute_names(constant))
    return sorted(names)


def _slots(value: object) -> dict[str, object]:
    """Return the attributes of an object that are in ``__slots__``."""
    return {
        name: getattr(value, name)
        for kind in type(value).__mro__
        for name, part in vars(kind).items()
        if isinstance(part, types.MemberDescriptorType) and hasattr(value, name)
    }


def _behind(part: object) -> list[object]:
    """Return the functions of a method or property, or an attribute itself."""
    if isinstance(part, property):
        return [part.fget, part.fset, part.fdel]
    return [getattr(part, "__func__", part)]


def _is_own_code(module: str) -> bool:
    """Return True if a module belongs to no distribution: a script, a notebook, or a file beside them."""
    return _belongs_to_none(module.partition(".")[0], tuple(sys.path))


@functools.lru_cache(maxsize=256)
def _belongs_to_none(top: str, path: tuple[str, ...]) -> bool:
    if top == "__main__":
        return True
    return top not in {*sys.stdlib_module_names, "legalir"} and not _packages(top)


def _manifest(artifact: pt.Artifact) -> Iterator[str]:
    # An artifact of another package: its description on disk changes when it is built again.
    for name in ("pt_meta.json", "manifest.json"):
        path = Path(str(artifact.path)) / name
        if path.is_file():
            yield file_digest(path)


def _plugin_code(expression: str) -> list[str]:
    """Return the code of the plugins of other packages that an expression names, also in text: ``analyzer="kiwi"``."""
    words = set(re.findall(r"\w+", expression))
    named = {entry for entry in plugins.entries() if entry.name in words and entry.package != "legalir"}
    modules = sorted({entry.value.partition(":")[0].strip() for entry in named})
    return [line for module in modules for line in module_code(module)]


_NOT_OF_RUNS = {"report", "serve", "docs", "bench", "dev"}
"""Extras of legalir without packages that components use."""


@functools.cache
def _legalir_requirements() -> list[str]:
    try:
        extras = metadata.metadata("legalir").get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        return []
    return requirements("legalir", set(extras) - _NOT_OF_RUNS)


def run_key(corpus: str, topics: str, expression: str, pipeline: pt.Transformer, depth: int) -> str:
    """Return the key under which a run may be reused.

    It covers the fingerprints of the corpus and of the questions, the canonical expression, the depth of the run, the
    code of legalir and of the plugins that the expression names, the versions of what they require, and what
    :func:`pipeline_fingerprint` covers. Judgements are part of it only where a component reads them, as
    ``golden`` does.

    Raises:
        NoFingerprint: a component contains an object without a stable state.
    """
    return digest(
        {
            "expression": expression,
            "corpus": corpus,
            "topics": topics,
            "depth": depth,
            "legalir": [legalir_version(), source_fingerprint(), *_legalir_requirements()],
            "plugins": _plugin_code(expression),
            "components": pipeline_fingerprint(pipeline),
        }
    )
