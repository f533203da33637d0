"""legalir: a retrieval toolkit for statutes, provisions that cite and delegate to each other.

Corpora and judgements are ``ir_datasets``, every component is a PyTerrier transformer composed with ``>>``, measures
are ``ir_measures``, and anyone can add a component from a package of their own. Importing this package registers the
datasets (when ``ir_datasets`` is imported) and the measures; everything else loads on first use.
"""

import importlib
import importlib.util
from typing import Any

import lazy_loader
import wrapt

__version__ = "0.1.0"

# The public names stand in __init__.pyi, each with the module that it comes from.
_own_name, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]

_FINETUNE = ("FineTuned", "FineTuning", "Pretraining", "finetune", "pretrain")
"""Names of the package legalir-finetune, which are public names here where it is installed."""

if importlib.util.find_spec("legalir_finetune") is not None:
    __all__ += _FINETUNE


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    if name not in _FINETUNE:
        return _own_name(name)
    try:
        package = importlib.import_module("legalir_finetune")
    except ModuleNotFoundError as error:
        if error.name != "legalir_finetune":
            raise
        from legalir.errors import MissingExtra

        raise MissingExtra(
            f"legalir.{name} is in the package legalir-finetune, which is not installed: "
            f"pip install ./plugins/legalir-finetune in the source folder of legalir."
        ) from error
    return getattr(package, name)


def _register_datasets(_: object) -> None:
    importlib.import_module("legalir.datasets.irds")


def _register_measures(_: object) -> None:
    importlib.import_module("legalir.measure")


# ir_datasets takes longer to import than all of legalir, so its registry is filled when someone imports it.
wrapt.register_post_import_hook(_register_datasets, "ir_datasets")
wrapt.register_post_import_hook(_register_measures, "ir_measures")
