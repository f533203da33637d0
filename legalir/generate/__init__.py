"""The former place of :mod:`legalir.answer`, for scripts written before the move; it goes with version 0.2."""

import sys

from legalir.answer import answer, choices, contexts, generator, given, judges, quote

for _module in (answer, choices, contexts, generator, given, judges, quote):
    sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module
