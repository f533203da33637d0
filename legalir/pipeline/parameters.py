"""What a component of an expression accepts: as any plugin, see :mod:`legalir.plugins.contract`."""

from __future__ import annotations

from legalir.plugins.contract import Accepted

__all__ = ["Accepted"]
