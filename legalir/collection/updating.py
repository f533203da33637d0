"""Updates: rebuild the indexes of a folder for the present state of its files."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

from legalir.collections import Collection
from legalir.datasets.provisions import changes
from legalir.errors import ComponentError, MissingExtra, ModelError, PluginError
from legalir.storage.locks import cache_lock
from legalir.storage.manifest import MANIFEST, unseal
from legalir.storage.states import former_states, is_only_source, remove_directory, remove_state


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
