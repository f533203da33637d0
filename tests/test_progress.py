import sys

from legalir.progress import progress


def test_nothing_is_drawn_where_nobody_looks(capsys):
    with progress("Reading", 10) as advance:
        advance(5)
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    for size in (False, True):
        with progress("Reading", 10, size=size) as advance:
            advance(10)
        output = capsys.readouterr()
        assert "Reading" in output.err
        assert output.out == ""
