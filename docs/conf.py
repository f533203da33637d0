"""How Sphinx makes the site from the pages in this folder; ``make docs`` runs it, warnings are errors.

The pages are Markdown that reads well without Sphinx, too: formulas are text, drawings are files beside them, and links
lead to files of the repository. Nothing is fetched, neither by the build nor by the pages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from legalir import __version__
from legalir.declared import Declared, arguments_section

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "legalir"
author = "The legalir authors"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
smartquotes = False  # Statutes have quotation marks of their own, and so has code.

myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"legalir {version}"
html_static_path = ["static"]
html_css_files = ["legalir.css"]
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"
highlight_language = "none"

PAGE_OF = {
    "../CHANGELOG.md": "changes.md",
    "../CONTRIBUTING.md": "contributing.md",
    "../README.md": "index.md",
    "../experiments/CHANGES.md": "scores.md",
}
"""Files outside this folder that are pages of the site, and so the target of links to them."""


def _lead_to_pages(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let a link to a file that is a page here lead to that page; one to another Markdown file is its words alone."""
    source[0] = re.sub(r"(?<=\]\()([^)#\s]+)", lambda link: PAGE_OF.get(link[1], link[1]), source[0])
    source[0] = re.sub(r"\[([^\]]*)\]\(\.\./[^)#]*\.md(?:#[^)]*)?\)", r"`\1`", source[0])


def _with_parameters(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Add the declared parameters of a component to the lines of its docstring."""
    if isinstance(thing, type) and issubclass(thing, Declared):
        place = lines.index("Raises:") if "Raises:" in lines else len(lines)
        lines[place:place] = ["", *arguments_section(thing)]


def setup(app: Sphinx) -> None:
    """Register what this file adds to Sphinx."""
    app.connect("source-read", _lead_to_pages)
    app.connect("autodoc-process-docstring", _with_parameters, priority=400)  # Before napoleon reads the sections.
