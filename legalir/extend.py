"""The names for authors of plugins: bases of components, helpers for frames, checks, protocols, an index on disk.

A plugin imports from :mod:`legalir`, this module, :mod:`legalir.errors` and :mod:`legalir.testing`, and from no other
module of legalir. Each name is imported when it is first used.
"""

import lazy_loader

# The names stand in extend.pyi, each with the module that it comes from.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub("legalir", __file__)
