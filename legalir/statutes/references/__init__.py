"""The former place of :mod:`legalir.references`, for scripts written before the move; it goes with version 0.2."""

import sys

from legalir.references import grammar, law_names, numbers, read, resolve

for _module in (grammar, law_names, numbers, read, resolve):
    sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module
