"""References in statute text: the places where a provision cites another one, and the words around them.

:mod:`numbers` reads numbers of articles; :mod:`context_model` tells from the characters around a number what it is;
:mod:`scanner` finds the mentions in a text; :mod:`locate` gives each link its mention; :mod:`contexts` takes the words
around it. None of these is specific to a language or a jurisdiction: the links of a collection teach them all.
Without a collection to learn from, :mod:`grammar` reads references by the forms of each language, which are data files,
and :mod:`law_names` finds the law that each of them means.
"""
