"""Tables for a paper, in LaTeX and in Markdown: scores, the best in bold, and marks of significance with their note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from legalir.experiments.rows import Cell, SystemRow

_LATEX = {
    **{character: f"\\{character}" for character in "{}$&#_%"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "×": r"$\times$",
}


class PaperTable(NamedTuple):
    """One table.

    Attributes:
        title: its caption.
        headings: of the columns of figures.
        rows: systems, then published figures, with a cell for each heading.
        note: sentences below it.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[SystemRow]
    note: str


def latex(tables: Sequence[PaperTable]) -> str:
    """Return tables in LaTeX; the document needs the package ``booktabs``."""
    texts = list(map(_latex, tables))
    head = ["% Needs \\usepackage{booktabs}."]
    if any(ord(character) > 0x24F for text in texts for character in text):
        head.append("% It has characters beyond Latin: use LuaLaTeX or XeLaTeX, and a font that has them.")
    return "\n".join([*head, *texts])


def _latex(table: PaperTable) -> str:
    label = "-".join(re.findall(r"[a-z0-9]+", table.title.lower()))
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{latex_text(table.title)}}}",
        *([f"  \\label{{tab:{label}}}"] if label else []),
        f"  \\begin{{tabular}}{{l{'r' * len(table.headings)}}}",
        r"    \toprule",
        f"    {' & '.join(['System', *map(latex_text, table.headings)])} \\\\",
        r"    \midrule",
    ]
    for place, row in enumerate(table.rows):
        if row.published and place and not table.rows[place - 1].published:
            lines.append(r"    \midrule")
        name = "{}" * row.label.startswith(("[", "*")) + latex_text(row.label)  # Not an argument of the line before.
        name = f"\\textit{{{name}}}" if row.published else name
        lines.append(f"    {' & '.join([name, *map(_latex_cell, row.cells)])} \\\\")
    note = latex_text(table.note)
    return "\n".join(
        [*lines, r"    \bottomrule", r"  \end{tabular}", rf"  \par\smallskip\footnotesize {note}", r"\end{table}", ""]
    )


def latex_text(text: str) -> str:
    """Return plain text for LaTeX: each character that has a meaning there is escaped."""
    return "".join(_LATEX.get(character, character) for character in _on_one_line(text))


def _latex_cell(cell: Cell) -> str:
    text = latex_text(cell.text)
    mark = f"$^{{{_LATEX[cell.mark].strip('$')}}}$" if cell.mark else ""
    return (f"\\textbf{{{text}}}" if cell.best else text) + mark


def markdown(tables: Sequence[PaperTable]) -> str:
    """Return tables in the Markdown of GitHub."""
    return "\n".join(map(_markdown, tables))


def _markdown(table: PaperTable) -> str:
    rows = [
        _line([f"*{markdown_text(row.label)}*" if row.published else markdown_text(row.label), *map(_cell, row.cells)])
        for row in table.rows
    ]
    head = [f"**{markdown_text(table.title)}**", ""] if table.title else []
    head += [_line(["System", *map(markdown_text, table.headings)])]
    rule = f"|---|{'---:|' * len(table.headings)}"
    return "\n".join([*head, rule, *rows, "", markdown_text(table.note), ""])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    return f"**{cell.text}**{cell.mark}" if cell.best else f"{cell.text}{cell.mark}"


def markdown_text(text: str) -> str:
    """Return plain text for a cell of Markdown."""
    return re.sub(r"([\\`*_\[\]<>|~$#&])", r"\\\1", _on_one_line(text))


def _on_one_line(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)
