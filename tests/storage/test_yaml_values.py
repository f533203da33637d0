"""Values of YAML of one kind each: what is kept, and the sentence about what is not."""

from __future__ import annotations

import pytest

from legalir.errors import DefinitionError
from legalir.storage.yaml_files import choice, filled_text, number, optional, optional_text, text_of


def test_what_is_kept() -> None:
    assert text_of(" a b ", "'x'") == filled_text(" a b ", "'x'") == optional_text("a b", "'x'") == "a b"
    assert text_of(" ", "'x'") == optional_text(None, "'x'") == ""
    assert choice(("cls", "mean"))(" mean", "'x'") == "mean"
    assert number(3, "'x'", 0, 5) == 3.0 and isinstance(number(3, "'x'", 0, 5), float)
    assert optional(choice(("cls",)))(None, "'x'") is None
    assert optional(choice(("cls",)))("cls", "'x'") == "cls"


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (text_of, 3, "'x' must be text (put it in quotes), not a whole number."),
        (filled_text, " ", "'x' is empty; give it a value."),
        (optional_text, ["a"], "'x' must be text (put it in quotes), not a list."),
        (choice(("cls", "mean")), "maen", "'x' is 'maen', but must be one of cls, mean. Did you mean 'mean'?"),
        (choice(("cls", "mean")), None, "'x' must be text (put it in quotes), not nothing."),
        (optional(choice(("cls", "mean"))), True, "'x' must be text (put it in quotes), not true or false."),
    ],
)
def test_what_is_refused(check: object, value: object, message: str) -> None:
    assert callable(check)
    with pytest.raises(DefinitionError) as caught:
        check(value, "'x'")
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [True, "3", float("nan"), float("inf"), None])
def test_what_is_no_number(value: object) -> None:
    with pytest.raises(DefinitionError, match=r"^'x' must be a number, not "):
        number(value, "'x'", 0, 5)


@pytest.mark.parametrize("value", [-0.1, 5.5])
def test_numbers_have_bounds(value: float) -> None:
    with pytest.raises(DefinitionError, match=f"^'x' is {value}, but must lie from 0 to 5"):
        number(value, "'x'", 0, 5)
