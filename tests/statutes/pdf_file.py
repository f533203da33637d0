"""PDF files made by hand: lines of Latin text, and tables with ruled cells."""

from __future__ import annotations

import io
from collections.abc import Sequence

Row = tuple[str, ...]


def pdf_of(pages: Sequence[Sequence[str | Row]]) -> bytes:
    """Return a PDF file; a row of cells is drawn with lines around them, so that it is a table.

    What is behind a tab in a line is in the right column of the page.
    """
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        content = "\n".join(_drawn(line, 760 - 20 * place) for place, line in enumerate(lines))
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        stream = len(objects)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {stream} 0 R "
            "/Resources << /Font << /F 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.write("".join(f"{place:010d} 00000 n \n" for place in places).encode())
    out.write(f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def _drawn(line: str | Row, height: int) -> str:
    if isinstance(line, str):
        left, _, right = line.partition("\t")
        return "\n".join(_text(words, at, height) for words, at in ((left, 60), (right, 330)) if words)
    cells = [
        f"{60 + 150 * place} {height - 5} 150 20 re S\n{_text(cell, 65 + 150 * place, height)}"
        for place, cell in enumerate(line)
    ]
    return "\n".join(cells)


def _text(words: str, left: int, height: int) -> str:
    escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /F 11 Tf {left} {height} Td ({escaped}) Tj ET"
