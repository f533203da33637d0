"""Encoders by name: a plugin, a call of one, a model on the hub or in a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from legalir import plugins
from legalir.collections import Collection
from legalir.dense.contract import AnyEncoder, Encoder, TrainableEncoder
from legalir.dense.sentence import SentenceEncoder
from legalir.errors import ComponentError, PluginNotFound
from legalir.models.folders import is_model_name


def get_encoder(
    spec: str | AnyEncoder, collection: Collection | None = None, parameters: Mapping[str, Any] | None = None
) -> AnyEncoder:
    """Return the encoder that `spec` names, or `spec` itself if it is one.

    Args:
        spec: the name of a plugin, a call of it with literal parameters such as ``lsa(dimensions=64)``, the name of a
            model on a hub, a folder with a model (with ``/`` in it, or beginning with ``.`` or ``~``, unless it exists
            and no plugin has its name), or an encoder.
        collection: passed to the plugin's factory; None outside a collection.
        parameters: handed to the plugin's factory.

    Raises:
        ComponentError: it is not an encoder, nothing has this name, or the encoder does not take this parameter.
        ModelError: there is no such folder.
        PluginError: the plugin is broken, or fails while it makes the encoder.
    """
    if isinstance(spec, str) and _is_model(spec):
        return SentenceEncoder(spec, **(parameters or {}))
    if isinstance(spec, Encoder | TrainableEncoder):
        return spec
    if not isinstance(spec, str):
        raise ComponentError(f"{spec!r} is not {plugins.ROLES['encoder'].wanted}.")
    try:
        return cast(AnyEncoder, plugins.make("encoder", spec, collection, **(parameters or {})))
    except PluginNotFound as error:
        raise ComponentError(str(error)) from None


def _is_model(spec: str) -> bool:
    if re.match(r"\s*\w+\s*\(", spec):
        return False  # A call, with any parameters.
    return is_model_name(spec) or (not plugins.is_installed(spec, ("encoder",)) and Path(spec).is_dir())
