"""References in the text of statutes and questions: how they are written, read and resolved.

:mod:`numbers` reads numbers of articles, :mod:`grammar` the forms of each language, which are data files, and
:mod:`law_names` the names of laws; :mod:`read` finds the references in a text, :mod:`resolve` the provisions that they
mean, and :mod:`lookup` answers a question with the provisions that it names.
"""
