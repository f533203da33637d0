"""What a component of an expression accepts: as any plugin, see :mod:`legalir.plugins.accepted`."""

from __future__ import annotations

from legalir.plugins.accepted import Accepted

__all__ = ["Accepted"]
