"""XML, HTML and JSON files, read without trust: the tree, and the place of each element in the text of the file.

No entity of a file is expanded, no file or address is followed, nesting and size have limits. In XML, too, a character
may have its name in HTML, ``&sect;``; a name that HTML does not have stays as it is written. The text of a file is that
of all its elements, one after the other; comments and processing instructions are not text. The elements of JSON are
its keys, one for each member of a list, and ``line`` for the lines of a value that has several; a short value is an
attribute, too: ``items[type=section]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html.entities import html5
from types import MappingProxyType
from typing import TYPE_CHECKING

from legalir.errors import DataError
from legalir.extras import require
from legalir.statutes.reading.plain_text import decoded
from legalir.statutes.reading.values import read_json

if TYPE_CHECKING:
    from lxml import etree

LARGEST = 100 * 2**20
"""Bytes of the largest file that is read."""

_ENTITIES = re.compile(rb"<!ENTITY", re.IGNORECASE)
_HEAD = 64 * 1024
_START = 100
_DEEPEST = 100
_LONGEST = 500
"""Characters of a value of JSON that is an attribute, too."""
_NO_NAME = re.compile(r"[^\w.\u3001-\ud7ff-]|[\u0080-\u00bf×÷\u0300-\u036f\u2000-\u2bff]")  # of an element
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML
_NAMED = re.compile(rb"<!\[CDATA\[(?:.*?\]\]>|.*)|&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,31});", re.DOTALL)
_NUMBER = re.compile(r"(?:10|0?[0-9A-Fa-f])?[0-9A-Fa-f]{1,4}")  # of a character
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<!DOCTYPE\s+html[^>]*>\s*)?<html[\s>]", re.IGNORECASE)
"""The beginning of a page that does not say that it is XML."""
_SOFT_HYPHEN = re.compile(r"\u00ad|&(?:shy|#0*173|#x0*ad);?", re.IGNORECASE)
"""Where a browser may divide a word, and shows nothing else."""
_SET_HIGH = re.compile(r"vertical-align\s*:\s*super", re.IGNORECASE)
_OF_CLASS = re.compile(r"\.([\w-]+)\s*(?:,|$)")
"""A class that a rule of style is for."""
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)""")


class Markup:
    """A parsed file.

    Args:
        data: the bytes of the file.
        name: of the file, for messages.
        html: whether it is HTML, which need not be well-formed.
        encoding: of the file, instead of the one that it declares.
        raised: what becomes of the text of elements ``sup``, and of those that a style sets high as these.
        unfolded: names of elements whose text is HTML, which become elements.
        signs: characters that elements stand for, by the names of these; ``@ch`` is the character with the hexadecimal
            number in the attribute ``ch``.

    Attributes:
        root: the root element (lxml).
        text: the text of all elements.

    Raises:
        DataError: it is not well-formed or nested too deeply, declares entities, is not in the encoding that it
            declares, or is too large.
        MissingExtra: lxml is not installed.
    """

    def __init__(
        self,
        data: bytes,
        name: str,
        html: bool = False,
        encoding: str | None = None,
        raised: Callable[[str], str] | None = None,
        unfolded: Sequence[str] = (),
        signs: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.name = name
        if len(data) > LARGEST:
            raise DataError(f"{name} has {len(data) / 2**20:.0f} MB; the limit is {LARGEST / 2**20:.0f} MB: split it.")
        require("lxml", extra="statutes")
        self.root = _parse(data, name, html, encoding)
        for element in [*self.root.iter()] if unfolded else ():
            if local(element) in unfolded and "<" in (element.text or "") and not len(element):
                body = _parse(str(element.text).encode(), name, True, "utf-8").find("body")
                if body is not None:
                    element.text = body.text
                    element.extend(body)
        if raised:
            styles = " ".join(str(each.text) for each in self.root.iter("style"))
            rules = (each.rpartition("{") for each in styles.split("}"))
            high = {
                name for classes, _, style in rules if _SET_HIGH.search(style) for name in _OF_CLASS.findall(classes)
            }
            for element in self.root.iter("span", "font"):
                of_class = high and not high.isdisjoint(attribute(element, "class").split())
                if of_class or _SET_HIGH.search(attribute(element, "style")):
                    element.tag = "sup"
            for element in self.root.iter("sup"):
                words = "".join(map(str, element.itertext()))
                if (mark := raised(words)) != words:
                    for child in list(element):
                        element.remove(child)
                    element.text = mark
        if signs:
            _write_signs(self.root, signs)
        self._places: dict[etree._Element, tuple[int, int, int]] = {}
        pieces: list[str] = []
        self._measure(pieces)
        self.text = "".join(pieces)

    def _measure(self, pieces: list[str]) -> None:
        at = 0
        stack: list[tuple[etree._Element, int]] = [(self.root, -1)]
        inner: dict[etree._Element, tuple[int, int]] = {}
        while stack:
            element, state = stack.pop()
            if state < 0:
                start = at
                if element.text and isinstance(element.tag, str):
                    pieces.append(element.text)
                    at += len(element.text)
                inner[element] = start, at
                stack.append((element, 0))
                stack.extend((child, -1) for child in reversed(element))
                continue
            start, after_text = inner.pop(element)
            self._places[element] = start, after_text, at
            if element is not self.root and element.tail:
                pieces.append(element.tail)
                at += len(element.tail)

    def span(self, element: etree._Element) -> tuple[int, int]:
        """Return start and end of the text of an element with all elements inside, without its tail."""
        start, _, end = self._places[element]
        return start, end

    def own(self, element: etree._Element) -> tuple[int, int]:
        """Return start and end of the text of an element before its first child."""
        start, end, _ = self._places[element]
        return start, end

    def tail(self, element: etree._Element) -> tuple[int, int]:
        """Return start and end of the text after an element, up to the next element."""
        end = self._places[element][2]
        return end, end + (len(element.tail or "") if element is not self.root else 0)

    def words(self, element: etree._Element) -> str:
        """Return the text of an element, with all elements inside, white space as single spaces."""
        start, end = self.span(element)
        return " ".join(self.text[start:end].split())

    def find(self, element: etree._Element, *names: str) -> Iterator[etree._Element]:
        """Yield the children that have one of these local names."""
        for child in element:
            if local(child) in names:
                yield child

    def first(self, element: etree._Element, *names: str) -> etree._Element | None:
        """Return the first child that has one of these local names."""
        return next(self.find(element, *names), None)


def local(element: etree._Element) -> str:
    """Return the name of an element without its namespace; empty for what is not an element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def local_above(element: etree._Element) -> str:
    """Return the name, without namespace, of an element's parent; empty for the root."""
    holder = element.getparent()
    return local(holder) if holder is not None else ""


def attribute(element: etree._Element, name: str) -> str:
    """Return an attribute by its local name, or an empty string."""
    value = element.get(name)
    return str(value) if value is not None else _attribute(element, name)


def _attribute(element: etree._Element, name: str) -> str:
    return next((str(each) for key, each in element.items() if str(key).rpartition("}")[2] == name), "")


def _parse(data: bytes, name: str, html: bool, encoding: str | None) -> etree._Element:
    from lxml import etree

    if html:
        declared = _CHARSET.search(data[:_HEAD]) or _XML_ENCODING.match(data)
        latin = "cp1252" if sum(byte > 127 for byte in data[:_HEAD]) * 5 < len(data[:_HEAD]) else ""
        text = _SOFT_HYPHEN.sub("", decoded(data, name, encoding, declared[1].decode("ascii") if declared else latin))
        of_html = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
        root = etree.fromstring(text.encode("utf-8", "replace"), of_html) if text.strip() else None
        if root is None:
            raise DataError(f"{name} is empty.")
        return root
    if data[:_START].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _of_json(read_json(data, name), name)
    if _ENTITIES.search(data[:_HEAD].replace(b"\0", b"")):  # UTF-16 has zero bytes
        raise DataError(f"{name} declares entities of its own (<!ENTITY), which are not expanded: remove them.")
    try:
        parser = etree.XMLParser(
            encoding=encoding, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
        )
        root = etree.fromstring(_NAMED.sub(_numbered, data), parser)
    except etree.XMLSyntaxError as error:
        if _PAGE.match(data):
            return _parse(data, name, True, encoding)
        raise DataError(f"{name}, line {error.lineno}: not well-formed XML ({' '.join(error.msg.split())}).") from None
    except (ValueError, LookupError) as error:
        raise DataError(f"{name} cannot be read as XML ({error}).") from None
    if (entity := next(root.iter(etree.Entity), None)) is not None:
        raise DataError(f"{name}: the name {entity.text} is not read in the encoding of this file: make it UTF-8.")
    return root


def _numbered(name: re.Match[bytes]) -> bytes:
    """Return the number of a character that has a name in HTML; another name becomes text, and CDATA stays."""
    if name[1] is None:
        return name[0]
    characters = html5.get(f"{name[1].decode()};", "")
    return "".join(f"&#{ord(one)};" for one in characters).encode() or b"&amp;" + name[0][1:]


def _write_signs(root: etree._Element, signs: Mapping[str, str]) -> None:
    """Put characters in the place of the elements that stand for them."""
    for holder in [*root.iter("*")]:
        before, pieces = None, [holder.text or ""]
        for child in [*holder]:
            if (sign := signs.get(local(child))) is not None:
                sign = _character(attribute(child, sign[1:])) if sign[:1] == "@" else sign
                pieces += (sign, child.tail or "")
                child.tail = None
                holder.remove(child)
                continue
            _put(holder, before, pieces)
            before, pieces = child, [child.tail or ""]
        _put(holder, before, pieces)


def _put(holder: etree._Element, before: etree._Element | None, pieces: Sequence[str]) -> None:
    """Set the text of an element, or the text behind one of its children."""
    if len(pieces) > 1:
        if before is None:
            holder.text = "".join(pieces)
        else:
            before.tail = "".join(pieces)


def _character(number: str) -> str:
    """Return the character with a hexadecimal number, or the number in braces if XML has none with it."""
    character = chr(int(number, 16)) if _NUMBER.fullmatch(number) else "\0"
    return f"{{{number}}}" if _NO_CHARACTER.match(character) else character


def _of_json(content: object, name: str) -> etree._Element:
    """Return the elements of a JSON file: below its only key, or below `json`."""
    from lxml import etree

    (key, value), *more = content.items() if isinstance(content, dict) and content else [("json", content)]
    if more or isinstance(value, list):
        key, value = "json", content
    root = etree.Element(_tag(key))
    _fill(root, value if isinstance(value, dict) else {"item": value}, name, 0)
    return root


def _fill(element: etree._Element, content: Mapping[str, object], name: str, depth: int) -> None:
    from lxml import etree

    if depth > _DEEPEST:
        raise DataError(f"{name}: more than {_DEEPEST} keys nest in each other.")
    for key, value in content.items():
        tag, rows = _tag(key.removeprefix("@")), value if isinstance(value, list) else [value]
        for each in rows:
            if each is None:
                continue
            if isinstance(each, dict | list):
                child = etree.SubElement(element, tag)
                _fill(child, each if isinstance(each, dict) else {"item": each}, name, depth + 1)
            else:
                words = _NO_CHARACTER.sub("", str(each).lower() if isinstance(each, bool) else str(each))
                if len(words) <= _LONGEST and "\n" not in words:
                    element.set(tag, words)
                if key[:1] == "@":
                    continue
                child = etree.SubElement(element, tag)
                lines = (words if "\n" in words else words.replace("\\n", "\n")).splitlines()  # escaped twice
                child.text = words if len(lines) < 2 else "\n"
                for line in lines if len(lines) > 1 else ():
                    part = etree.SubElement(child, "line")
                    part.text, part.tail = line, "\n"
            child.tail = "\n"


def _tag(key: str) -> str:
    """Return the name of a key as an element has it: without a namespace, and `_` for signs that it cannot have."""
    words = _NO_NAME.sub("_", key.rpartition(":")[2])
    return f"_{words}" if words[:1] in ("", ".", "-", *"0123456789") else words
