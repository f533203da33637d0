"""What a training shows, on a terminal and elsewhere."""

from __future__ import annotations

import io
import sys

import pytest

from legalir.train.display import describe, open_display

ROW = {"epoch": 2, "loss": 1.23456, "R@10": 0.751, "seconds": 61.6}
LINE = "epoch 2  loss 1.235  R@10 75.1  62 s"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_row_in_one_line() -> None:
    assert describe(ROW) == LINE
    assert describe({"epoch": 1, "loss": 0.5, "seconds": 0.2}) == "epoch 1  loss 0.500  0 s"


@pytest.mark.parametrize(
    ("progress", "lines", "shown"), [(True, True, f"{LINE}\n"), (True, False, ""), (False, False, "")]
)
def test_elsewhere(progress: bool, lines: bool, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    with open_display(progress, lines) as display:
        display.phase("Reading", 3)
        display.advance(1, 0.5)
        display.epoch(ROW)
    assert capsys.readouterr().err == shown


def test_a_long_phase_elsewhere(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 30.0, 90.0, 100.0, 300.0])
    monkeypatch.setattr("legalir.train.display.time.monotonic", lambda: next(clock))
    with open_display(False, True) as display:
        display.phase("Epoch 2 of 3", 12, 2)
        for _ in range(4):
            display.advance(1, 0.5)
    # Two steps in 90 seconds, so 8 in 6 minutes; then two in 210.
    assert capsys.readouterr().err.splitlines() == [
        "Epoch 2 of 3: 4 of 12  loss 0.500, 6 min left",
        "Epoch 2 of 3: 6 of 12  loss 0.500, 10 min left",
    ]


def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with open_display(True, True) as display:
        display.phase("Reading")
        display.phase("Epoch 2 of 3", 12)
        display.advance(3, 0.5)
        display.epoch(ROW)
    shown = terminal.getvalue()
    for part in ("Epoch 2 of 3", "3/12", "loss 0.500", LINE):
        assert part in shown
