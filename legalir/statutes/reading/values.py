"""The text of a structured file such as JSON: the strings that a reader takes from it, one per line."""

from __future__ import annotations

import json

from legalir.errors import DataError


class Values:
    """Strings that a reader takes from a file, in reading order, with their places in the combined text."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0

    def add(self, value: object) -> tuple[int, int]:
        """Add a value, and return its start and end; values other than strings and numbers are empty."""
        text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
        start = self._length
        self._pieces += [text, "\n"]
        self._length += len(text) + 1
        return start, start + len(text)

    @property
    def text(self) -> str:
        """All strings, each followed by a line break."""
        return "".join(self._pieces)


def read_json(data: bytes, name: str) -> object:
    """Return the content of a JSON file.

    Args:
        data: the bytes of the file, UTF-8.
        name: of the file, for messages.

    Raises:
        DataError: it is not UTF-8, not JSON, nested too deeply, or has a number that is too long.
    """
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 at byte {error.start}: convert it to UTF-8.") from None
    except json.JSONDecodeError as error:
        raise DataError(
            f"{name}, line {error.lineno}, column {error.colno}: not JSON ({error.msg}): fetch the file again."
        ) from None
    except RecursionError:
        raise DataError(f"{name}: JSON that is nested too deeply.") from None
    except ValueError:
        raise DataError(f"{name}: JSON with a number of thousands of digits: mend the file.") from None
