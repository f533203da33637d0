"""For a file that no format recognises: what it is, and which format comes closest."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from legalir.statutes.importing.parsing import HEAD, Format

ABOUT = re.compile(r"(?:readme|license|licence|changelog|contributing|authors)\b", re.IGNORECASE)
"""Names of files about the files beside them."""
LISTED = re.compile(r"(?m)^[ \t]*(\d{1,3})[.)]\s")
"""A numbered line of Markdown."""

_BINARY = (
    (b"%PDF", "a PDF file", "rename it to .pdf"),
    (b"\xd0\xcf\x11\xe0", "a file of an old office program (.doc, .xls, .hwp)", "save it as .docx, .hwpx or PDF"),
    (b"HWP Document File", "a file of an old Hangul (.hwp)", "save it as .hwpx or PDF"),
    (b"{\\rtf", "a Rich Text file", "save it as .docx"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "unpack it"),
    (b"Rar!", "a RAR archive", "unpack it"),
    (b"\x1f\x8b", "a gzip file", "unpack it; .tar.gz is opened"),
    (b"BZh", "a bzip2 file", "unpack it; .tar.bz2 is opened"),
    (b"\xfd7zXZ", "an xz file", "unpack it; .tar.xz is opened"),
    (b"\x89PNG", "an image", "recognise its text (OCR), and save that as PDF"),
    (b"\xff\xd8\xff", "an image", "recognise its text (OCR), and save that as PDF"),
    (b"II*\x00", "an image", "recognise its text (OCR), and save that as PDF"),
    (b"SQLite format 3", "a database of SQLite", "export a table as .csv, and read it with table(path=…)"),
)
_ZIPS = (
    (b"word/", "a Word file", "rename it to .docx"),
    (b"Contents/", "a Hangul file", "rename it to .hwpx"),
    (b"mimetypeapplication/epub", "an EPUB book", "unpack it, and read its pages with html(path=…)"),
    (b"mimetypeapplication/vnd.oasis", "a file of LibreOffice", "save it as .docx"),
    (b"xl/", "an Excel file", "save it as .csv, and read it with table(path=…)"),
)
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_ROOT = re.compile(r"<(?:(?P<prefix>[\w.-]+):)?(?P<name>[^\W\d][\w.-]*)(?P<attributes>[^<>]*)>?")
_HINT = re.compile(r"`([^`]+)`")
_SHOWN = 60


def described(path: Path, name: str, formats: Sequence[Format]) -> str:
    """Return sentences that say what a file is, which format comes closest, and what to do.

    Args:
        path: the file.
        name: its name for the message.
        formats: the formats that did not recognise it.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except OSError as error:
        return f"{name} cannot be read: {error.strerror or error}."
    for start, what, cure in _BINARY:
        if head.startswith(start):
            return f"{name} is {what}: {cure}."
    if head.startswith(b"PK\x03\x04"):
        known = ((what, cure) for part, what, cure in _ZIPS if part in head)
        what, cure = next(known, ("a zip archive", "rename it to .zip, or unpack it if it is in another archive"))
        return f"{name} is {what}: {cure}."
    encoding, text = _decoded(head)
    if encoding != "binary" and not text.strip("\ufeff \t\r\n"):
        return f"{name} is empty: fetch it again."
    if encoding == "binary":
        return f"{name} is a binary file that begins with the bytes {head[:8].hex(' ')}."
    what, cure = _what(text, encoding.startswith(" "))
    if path.suffix.lower() == ".md" and LISTED.search(text):
        cure = f"Its numbered lines are taken for lists: if they are sections, read it with text(path={str(path)!r})."
    if path.suffix.lower() in (".csv", ".tsv", ".jsonl"):
        columns = _few([one.strip('"') for one in re.split(r"[;,\t]", text.lstrip("\ufeff").partition("\n")[0])])
        header = "" if path.suffix.lower() == ".jsonl" else f" with the columns {columns}"
        fields = "" if path.suffix.lower() == ".jsonl" else ", docno=…, text=…"
        return f"{name} is a table by its name{header}{encoding}. Read it with table(path={str(path)!r}{fields})."
    return " ".join(f"{name} is {what}{encoding}. {_nearest(path, head, text, formats) or cure}".split())


def _decoded(head: bytes) -> tuple[str, str]:
    """Return the encoding as words behind the kind of a text, and the text; ``binary`` if it is no text."""
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return f" ({encoding.upper().removesuffix('-SIG')})", head[: len(head) // 2 * 2].decode(encoding, "ignore")
    if b"\0" in head:
        return "binary", ""
    with suppress(UnicodeDecodeError):
        return " (UTF-8)", head.decode()
    with suppress(UnicodeDecodeError):  # The last letter may be cut.
        return " (UTF-8)", head[: head.rfind(b"\n") + 1 or -4].decode() if len(head) == HEAD else head.decode()
    return ", not in UTF-8", head.decode("latin-1")


def _what(text: str, known: bool) -> tuple[str, str]:
    """Return what a text is, and what to do with it; `known` says whether its encoding is."""
    start = text.lstrip("\ufeff \t\r\n")
    bare = re.sub(r"\A(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)+", "", start, flags=re.DOTALL)
    if start[:1] == "<" and (root := _ROOT.match(bare)):
        if root["name"].lower() in ("html", "body", "div", "head", "p") or "<!doctype html" in start[:200].lower():
            return "a web page", "Name it .html, with <html> at its start, and read it with html(path=…)."
        prefix = rf"xmlns:{root['prefix']}" if root["prefix"] else "xmlns"
        space = re.search(rf"\b{re.escape(prefix)}\s*=\s*[\"']([^\"']*)", root["attributes"])
        of = f" of the namespace {space[1]}" if space else ""
        if not root["attributes"].strip() and (said := re.match(r"([^<>]*\S[^<>]*)</", bare[root.end() :])):
            return f"XML that says only {' '.join(said[1].split())[:_SHOWN]!r} in <{root['name']}>", "Fetch it again."
        cure = "No source knows this root: describe its elements by rules, xml(path=…, rules=…)."
        return f"XML with the root element <{root['name']}>{of}", cure
    if start[:1] in ("{", "["):
        return _of_json(start), "No source knows these keys; table(path=…) reads JSON lines with docno and text."
    if front := re.match(r"---[ \t]*\n(.*?)(?:\n---|\Z)", start, re.DOTALL):
        keys = re.findall(r"(?m)^([^\s:#-][^:\n]*):", front[1])
        return f"Markdown with the keys {_few(keys)}", "No source knows these keys."
    line = next((line.strip() for line in start.splitlines() if line.strip()), "")
    first = f" whose first line is {line[:_SHOWN]!r}" if known or line.isascii() else ""
    return f"text{first}", "No line of it begins as an article does, such as Section 1, § 1 or 1. Short title."


def _of_json(text: str) -> str:
    """Return the kind of a JSON text and its first keys; the value, too, of a text with only one."""
    with suppress(ValueError, RecursionError):
        whole = json.loads(text)
        first = whole[0] if isinstance(whole, list) and whole else whole
        if isinstance(first, dict) and first:
            (key, value), *more = first.items()
            if not more and isinstance(value, str):
                return f"JSON that says only {key!r}: {value[:_SHOWN]!r}"
            return f"JSON with the keys {_few([*first])}"
        return f"JSON without keys, {json.dumps(whole, ensure_ascii=False)[:_SHOWN]}"
    keys = re.findall(r'"((?:[^"\\\n]|\\.){1,60})"\s*:', text)
    return f"JSON with the keys {_few(list(dict.fromkeys(keys)))}" if keys else "JSON without keys"


def _few(words: Sequence[str]) -> str:
    shown = ", ".join(word.strip()[:_SHOWN] for word in words[:5])
    return (shown or "(none)") + (", …" if len(words) > 5 else "")


def _nearest(path: Path, head: bytes, text: str, formats: Sequence[Format]) -> str:
    """Return a sentence on the format that comes closest, and why the file does not fit; empty if none does."""
    page = not text.lstrip("\ufeff \t\r\n").startswith("<?xml") or "<html" in text.lower()
    for each in formats:
        if each.general and not page:
            continue  # XML with an element <body>
        with suppress(Exception):  # A format may look at a name that it does not expect.
            if path.suffix.lower() not in each.suffixes and each.recognises(path.with_suffix(each.suffixes[0]), head):
                return f"It looks as a file of {each.name}: name it {each.suffixes[0]}."
    suffix = path.suffix.lower()
    scores = {
        each: sum(hint in text for hint in _HINT.findall(each.needs)) for each in formats if suffix in each.suffixes
    }
    best = max(scores, key=lambda each: scores[each], default=None)
    if best is None or not scores[best]:
        return ""
    missing = [hint for hint in _HINT.findall(best.needs) if hint not in text]
    lacks = f"; it lacks {', '.join(missing)}" if missing else ""
    return f"The nearest source is {best.name}, which needs {best.needs.replace('`', '')}{lacks}."
