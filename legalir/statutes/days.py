"""Days as publishers number them, as ISO dates."""

from __future__ import annotations

import re
from datetime import date

_DATE = re.compile(r"\s*(\d{4})(?:\s*[-./]\s*(\d{1,2})\s*[-./]\s*(\d{1,2})\s*\.?|(\d{2})(\d{2}))\s*")


def iso_day(value: str) -> str:
    """Return an ISO date for ``2021-01-31``, ``20210131``, ``2021. 1. 31.``; empty for 31 February and other words."""
    match = _DATE.fullmatch(value)
    if not match:
        return ""
    year, month, day = (int(part) for part in match.groups() if part)
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""
