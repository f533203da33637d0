"""Updates: what was built for a folder is built anew for the present state of its files.

What is built for a folder is in a directory named by the content of the folder's files, so a changed folder gets a new
directory. A file ``.source-<16 hex>`` in each names the folder; its time is that of the last use.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

from legalir.collections import Collection
from legalir.datasets.provisions import changes
from legalir.errors import ComponentError, MissingExtra, ModelError, PluginError
from legalir.storage.artifact import MANIFEST, unseal
from legalir.storage.files import cache_lock

_SOURCE, _GONE = ".source-", ".removed-"


class Update(NamedTuple):
    """Result of an update.

    Attributes:
        added: number of new provisions, of all if nothing was built before.
        changed: number of provisions whose line in the corpus is another one.
        removed: number of provisions that are gone.
        seconds: time that each index took, by its name; an index that was up to date took nearly none.
        left: indexes that cannot be built, by name, and why; the former state then stays.
        former: whether a former state stays, for the sake of `left`.
    """

    added: int
    changed: int
    removed: int
    seconds: dict[str, float]
    left: dict[str, str]
    former: bool


def update(collection: Collection, default: Callable[[], object]) -> Update:
    """Build every index of the newest former state for the present state of the files, then remove the former states.

    If nothing was built for the folder before, `default` is called. One process at a time
    updates a folder; a killed update leaves the former state, and the next update builds what is missing. Who has
    opened an index of a former state reads on: the system keeps removed files until they are closed.

    Args:
        collection: opened after the files have changed.
        default: builds what is built where nothing was.

    Raises:
        ArtifactError: an index cannot be written.
        FormatError: a line of the corpus or of the links is faulty.
    """
    store, cache = collection.source.store, collection.cache
    name = hashlib.sha256(store.source.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    with cache_lock(collection.home / "collections" / f"update-{name}"):
        difference = next((changes(former, store) for former in store.former()), None)
        former, new = former_states(cache, store.source), not any(_builds(cache))
        builds = next((found for state in (*former, cache) if (found := list(_builds(state)))), [])
        seconds, left = dict[str, float](), dict[str, str]()
        for label, build in builds or [("default", lambda _: default())]:
            start = time.perf_counter()
            try:
                build(collection)
            except (ComponentError, MissingExtra, ModelError, PluginError) as error:
                left[label] = str(error)
            else:
                # Indexes of one encoder with other parameters have one label.
                seconds[label] = round(seconds.get(label, 0) + time.perf_counter() - start, 3)
        if not left:  # Else a former state has vectors that nothing else has.
            _remove_former(collection)
        stays = bool(former_states(cache, store.source))
    first = len(store) if new else 0
    added, removed, both = (first, 0, 0) if difference is None else difference.counts()
    return Update(added - both, both, removed - both, seconds, left, stays)


def _remove_former(collection: Collection) -> None:
    """Delete indexes of earlier states of the provisions or links."""
    store, cache = collection.source.store, collection.cache
    for state in former_states(cache, store.source):
        remove_state(state, store.source)
    if is_only_source(cache):  # Another folder may have the same provisions and other links.
        for path in set(cache.glob("links-*")) - {collection.links_cache}:
            remove_directory(path)
    store.remove_former()


def _builds(state: Path) -> Iterator[tuple[str, Callable[[Collection], object]]]:
    """Yield a label of each index of a state, and the function that builds it for another state.

    Indexes of a kind that has no method ``again`` are built when they are used.
    """
    for path in sorted((*state.glob(f"*/{MANIFEST}"), *state.glob(f"links-*/*/{MANIFEST}"))):
        try:
            content = unseal(json.loads(path.read_text(encoding="utf-8")))
            (entry,) = entry_points(group="pyterrier.artifact", name=f"{content['kind']}.legalir")
            if (again := getattr(entry.load(), "again", None)) is not None:
                yield _label(content), partial(again, facts=content["facts"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # It is damaged, or of a plugin that is gone, and built when it is used.


def _label(content: Mapping[str, Any]) -> str:
    """Return the kind of an index, and what made it: ``sparse index (char2)``."""
    facts = content["facts"]
    maker = facts.get("analyzer") or facts.get("encoder") or {}
    search = (facts.get("approximate") or {}).get("search", "")
    inside = ", ".join(filter(None, [maker.get("name", ""), search]))
    kind = str(content["kind"]).replace("_", " ")
    return f"{kind} ({inside})" if inside else kind


def record_use(directory: Path, source: str) -> None:
    """Note that a directory, which exists, holds what was built for `source`, and is the newest that does.

    A cache that cannot be written is left as it is.
    """
    with contextlib.suppress(OSError):
        _record(directory, source).write_text(source, encoding="utf-8")


def former_states(directory: Path, source: str) -> list[Path]:
    """Return the directories beside `directory` that were built for `source`, the newest first; not `directory`."""
    records = directory.parent.glob(f"*/{_record(directory, source).name}")
    dated = []
    for path in records:
        with contextlib.suppress(OSError):  # Another process may have removed it.
            dated.append((path.stat().st_mtime_ns, path.parent))
    return [path for _, path in sorted(dated, reverse=True) if path != directory]


def is_only_source(directory: Path) -> bool:
    """Return whether at most one folder is known to use a directory."""
    return len(list(directory.glob(f"{_SOURCE}*"))) < 2


def _record(directory: Path, source: str) -> Path:
    return directory / f"{_SOURCE}{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def remove_state(directory: Path, source: str) -> bool:
    """Remove a directory that was built for `source`, unless another folder has it; return whether it was removed."""
    with contextlib.suppress(OSError):
        _record(directory, source).unlink()
    return next(directory.glob(f"{_SOURCE}*"), None) is None and remove_directory(directory)


def remove_directory(directory: Path) -> bool:
    """Remove a directory; a kill in between leaves nothing under its name. Return whether it is gone."""
    for unfinished in directory.parent.glob(f"{_GONE}*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    gone = directory.with_name(f"{_GONE}{secrets.token_hex(8)}")
    try:
        directory.rename(gone)
    except OSError:  # Some systems do not remove what is open.
        return False
    shutil.rmtree(gone, ignore_errors=True)
    return True
