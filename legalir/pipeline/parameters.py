"""What a component of an expression accepts: as any plugin, see :mod:`legalir.plugins.signature`."""

from __future__ import annotations

from legalir.plugins.signature import Accepted

__all__ = ["Accepted"]
