"""Updates: indexes of a folder are brought to the state of its files, at the cost of the changes."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from legalir.collection.indexes import CollectionIndexes
from legalir.dense.encoders import get_encoder
from legalir.errors import ComponentError, MissingExtra, ModelError, PluginError
from legalir.storage.locks import cache_lock
from legalir.storage.manifest import MANIFEST, unseal
from legalir.storage.states import former_states


class Update(NamedTuple):
    """Result of an update.

    Attributes:
        added: number of new provisions, of all if nothing was built before.
        changed: number of provisions whose line in the corpus is another one.
        removed: number of provisions that are gone.
        seconds: time that each index took, by its name; an index that was up to date took nearly none.
        left: indexes that cannot be built, by name, and why; the former state then stays.
        former: whether a former state stays, because somebody reads it, or for the sake of `left`.
    """

    added: int
    changed: int
    removed: int
    seconds: dict[str, float]
    left: dict[str, str]
    former: bool


def update(indexes: CollectionIndexes, default: Callable[[], object]) -> Update:
    """Bring all indexes of the newest former state to the present state of the files.

    If nothing was built for the folder before, `default` is called. Former states are removed, but not
    those that somebody reads. One process at a time updates a folder; a killed update leaves the former state, and the
    next one goes on with what is missing.

    Args:
        indexes: of a collection that was opened after the files have changed.
        default: builds what is built where nothing was.

    Raises:
        ArtifactError: an index cannot be written.
        FormatError: a line of the corpus or of the links is faulty.
    """
    store = indexes.source.store
    name = hashlib.sha256(store.source.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    with cache_lock(indexes.home / "collections" / f"update-{name}"):
        difference = next(map(indexes.changes, store.former()), None)
        builds, new = list[tuple[str, _Build]](), not any(_builds(indexes.directory))
        for state in (*former_states(indexes.directory, store.source), indexes.directory):
            builds = builds or list(_builds(state))
        seconds, left = dict[str, float](), dict[str, str]()
        for label, build in builds or [("default", lambda _: default())]:
            start = time.perf_counter()
            try:
                build(indexes)
            except (ComponentError, MissingExtra, ModelError, PluginError) as error:
                left[label] = str(error)
            else:
                # Indexes of one encoder with other parameters have one label.
                seconds[label] = round(seconds.get(label, 0) + time.perf_counter() - start, 3)
        if not left:  # Else a former state has vectors that nothing else has.
            indexes.remove_former()
        former = bool(former_states(indexes.directory, store.source))
    first = len(store) if new else 0
    added, removed, both = (first, 0, 0) if difference is None else difference.counts()
    return Update(added - both, both, removed - both, seconds, left, former)


_Build = Callable[[CollectionIndexes], object]


def _builds(state: Path) -> Iterator[tuple[str, _Build]]:
    """Yield a label of each index of a state, and the function that builds it."""
    for path in sorted(state.glob(f"*/{MANIFEST}")):
        try:
            content = unseal(json.loads(path.read_text(encoding="utf-8")))
            build = _BUILDS.get(content["kind"])
            if build is not None:
                yield _label(content), partial(build, facts=content["facts"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # It is damaged, and built when it is used.


def _label(content: Mapping[str, Any]) -> str:
    """Return the kind of an index, and what made it: ``sparse index (char2)``."""
    facts = content["facts"]
    maker = facts.get("analyzer") or facts.get("encoder") or {}
    search = (facts.get("approximate") or {}).get("search", "")
    inside = ", ".join(filter(None, [maker.get("name", ""), search]))
    kind = str(content["kind"]).replace("_", " ")
    return f"{kind} ({inside})" if inside else kind


def _dense(indexes: CollectionIndexes, facts: Mapping[str, Any]) -> object:
    made_by, search = facts["encoder"], facts["approximate"]
    if made_by is None:
        raise ComponentError("its vectors were given: build it again from vectors of the new provisions.")
    encoder = get_encoder(made_by["name"], indexes.collection, made_by["parameters"])
    if encoder.fingerprint != made_by["fingerprint"]:
        raise ComponentError(f"the encoder {encoder.name} is another one now.")
    return indexes.dense(encoder, approximate=None if search is None else search["search"])


def _m3(indexes: CollectionIndexes, facts: Mapping[str, Any]) -> object:
    from legalir.m3.m3_encoder import M3Encoder

    made_by = facts["encoder"]
    encoder = M3Encoder(made_by["model"], max_length=made_by["max_length"])
    if encoder.fingerprint != made_by["fingerprint"]:
        raise ComponentError(f"the encoder {made_by['name']} is another one now.")
    return indexes.m3(encoder, facts["multi"])


_BUILDS: Mapping[str, Callable[..., object]] = {
    "law_table": lambda indexes, facts: indexes.laws,
    "number_table": lambda indexes, facts: indexes.numbers,
    "citation_graph": lambda indexes, facts: indexes.graph,
    "sparse_index": lambda indexes, facts: indexes.sparse(facts["analyzer"]["name"]),
    "field_index": lambda indexes, facts: indexes.fields(facts["analyzer"]["name"]),
    "dense_index": _dense,
    "m3_index": _m3,
}
"""How each kind of index is built; those of plugins are built when they are used."""
