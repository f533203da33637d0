"""Encoding: text to vectors.

Encoders are named: ``lsa``, which needs nothing but the collection, and whatever plugins add. New encoders implement
:class:`~legalir.encode.encoder.Encoder`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from legalir import plugins
from legalir.encode.encoder import AnyEncoder, Encoder, FittedEncoder, TrainableEncoder
from legalir.errors import ComponentError, PluginError

__all__ = ["AnyEncoder", "Encoder", "FittedEncoder", "TrainableEncoder", "get_encoder"]


def get_encoder(
    spec: str | AnyEncoder, collection: object = None, parameters: Mapping[str, Any] | None = None
) -> AnyEncoder:
    """Return the encoder that `spec` names, or `spec` itself where it is one.

    Args:
        spec: the name of a plugin, or an encoder.
        collection: handed to the plugin's factory; None outside a collection.
        parameters: handed to the plugin's factory.

    Raises:
        ComponentError: it is no encoder, or nothing has this name.
        PluginError: the plugin is broken.
    """
    if not isinstance(spec, str):
        made: object = spec
        origin = repr(spec)
    else:
        try:
            plugins.resolve(spec, ("encoder",))
        except PluginError as error:
            if plugins.is_installed(spec, ("encoder",)):
                raise
            raise ComponentError(str(error)) from None
        made = plugins.load("encoder", spec)(collection, **(parameters or {}))
        origin = f"What the plugin {spec!r} made"
    if isinstance(made, Encoder | TrainableEncoder):
        return made
    raise ComponentError(f"{origin} is no encoder: it needs the attributes name, fingerprint, encode, encode_queries.")
