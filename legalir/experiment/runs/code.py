"""The code that an object comes from: files of its distribution, and versions of what that requires."""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
from collections.abc import Iterable
from importlib import metadata
from importlib.machinery import ModuleSpec
from pathlib import Path

from legalir import plugins
from legalir.plugins import normal_name
from legalir.storage.digest import cached_file_digest

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
        The texts; none for a module without a file, such as that of an interactive session. The standard library counts
        by its version, legalir by its name: :func:`legalir.experiment.runs.fingerprints.source_fingerprint` covers it.
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
    does not tell its code.
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
    """Return the outermost package of a module that has a file; one of a namespace belongs to several distributions."""
    parts = module.split(".")
    names = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return next((name for name in names if _origin(name) is not None), module)


def _files_of_package(package: str) -> dict[str, Path]:
    """Return the files of a package; of a module that is in no package and no distribution, those of its folder."""
    origin = _origin(package)
    if origin is None:
        return {}
    above, _, name = package.rpartition(".")
    if origin.name == "__init__.py":
        return _files_below(origin.parent, above and f"{above.replace('.', '/')}/")
    near = [origin] if above or _packages(name) else sorted(origin.parent.glob("*.py"))
    return {path.name: path for path in near}


def _origin(name: str) -> Path | None:
    """Return the file of a module; None for a namespace package, and for a module without a file."""
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
    """Return whether a file may change what code does: no bytecode, and nothing hidden."""
    return path.suffix not in (".pyc", ".pyo") and not any(
        part == "__pycache__" or part.startswith(".") for part in path.parts
    )


def _files_of_distribution(distribution: metadata.Distribution) -> dict[str, Path]:
    """Return the files that an installer recorded; without a record, those of the top-level packages."""
    if _is_recorded(distribution):
        paths = [path for path in distribution.files or () if _is_code(path.as_posix())]
        return {path.as_posix(): Path(str(path.locate())) for path in paths if _counts(Path(path))}
    files: dict[str, Path] = {}
    for top in (distribution.read_text("top_level.txt") or normal_name(distribution.name).replace("-", "_")).split():
        if (origin := _origin(top)) is not None:
            files |= _files_below(origin.parent) if origin.name == "__init__.py" else {origin.name: origin}
    return files


def _is_recorded(distribution: metadata.Distribution) -> bool:
    """Return whether an installer recorded the code of a distribution; it does not for an editable installation."""
    record = distribution.read_text("RECORD") or ""
    return any(_is_code(line.partition(",")[0]) for line in record.splitlines())


def _is_code(path: str) -> bool:
    """Return whether a recorded path is of code or its data: metadata and scripts depend on the place of the files."""
    top = path.partition("/")[0]
    return top != ".." and not top.endswith((".dist-info", ".pth")) and not top.startswith("__editable__")


def _packages(top: str) -> list[str]:
    return _by_module(tuple(sys.path)).get(top) or ([top] if _distribution(top) is not None else [])


@functools.lru_cache(maxsize=4)
def _by_module(path: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the distributions of each top-level module: those that record it, and those whose plugins are in it."""
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
