"""Tables for a paper: well formed whatever the names are, with marks and the note that explains them."""

import re

from fake_collection import DEFINITION, FakeCollection
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from legalir.cli.experiment import app
from legalir.experiments import run
from legalir.experiments.paper import PaperTable, latex, latex_text, markdown
from legalir.experiments.rows import Cell, SystemRow

ODD = "[a_b] 50% of {x} & $y$ \\ | ~^#*"


@given(st.lists(st.text(max_size=30), min_size=2, max_size=3), st.sampled_from(["", "▲", "▼"]))
def test_any_name_keeps_rows_and_columns(names, mark):
    rows = [SystemRow(name, (Cell(0.5, "50.00", best=True, mark=mark), Cell(float("nan"), "–"))) for name in names]
    table = PaperTable(names[0], [names[1], "R@100"], rows, " ".join(names))
    lines = re.findall(r"(?m)^    (.*) \\\\$", latex([table]))
    assert len(lines) == len(rows) + 1
    for line in lines:
        assert len(re.findall(r"(?<!\\)&", line)) == 2
        plain = re.sub(r"\\[{}]", "", line)
        assert plain.count("{") == plain.count("}")
    cells = [line for line in markdown([table]).split("\n") if line.startswith("| ")]
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 4 for line in cells)
    assert len(cells) == len(rows) + 1


def test_characters_with_a_meaning_in_latex():
    assert latex_text(ODD) == (
        r"[a\_b] 50\% of \{x\} \& \$y\$ \textbackslash{} \textbar{} \textasciitilde{}\textasciicircum{}\#*"
    )
    table = latex([PaperTable("T", ["M"], [SystemRow(ODD, (Cell(-1.0, "−1", mark="▼"),))], "한국")])
    assert "{}[a\\_b]" in table  # The line before ends in two backslashes, which would take it as an argument.
    assert "$-$1$^{\\downarrow}$" in table
    assert "LuaLaTeX" in table
    assert "\\label{tab:t}" in table
    assert "label" not in latex([PaperTable("한국", [], [], "")])
    assert markdown([PaperTable("", ["M"], [], "")]).startswith("| System | M |")


def test_the_table_of_a_result_and_of_several(tmp_path):
    changes = {"title": "A & B", "references": [{"name": "They", "source": "Table 1", "scores": {"P@1": 0.5}}]}
    result = run({**DEFINITION, **changes}, tmp_path / "r", collection=FakeCollection())
    text = result.to_latex()
    assert "\\caption{A \\& B}\n  \\label{tab:a-b}\n" in text
    assert f"than {result.baseline}, two-sided" in text
    assert "correction, $\\alpha$ = 0.05" in text
    assert "They: figures of Table 1, not tested." in text
    shown = CliRunner().invoke(app, ["table", str(tmp_path / "r")])
    assert shown.stdout == result.to_markdown()
    assert "▲ (▼): significantly better (worse)" in shown.stdout
    written = CliRunner().invoke(
        app, ["table", str(tmp_path / "r"), "--form", "latex", "--out", str(tmp_path / "t.tex")]
    )
    assert written.exit_code == 0
    assert (tmp_path / "t.tex").read_text(encoding="utf-8") == text
    missing = CliRunner().invoke(app, ["table", str(tmp_path / "nothing")])
    assert "run the experiment first" in str(missing.exception)
