"""The kit itself: what it accepts, what it reports, and that nothing of a component leaves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import right_components as right
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir import testing
from legalir.contract import COMPONENT_ROLES
from legalir.errors import ComponentError, PluginError
from legalir.testing.checks import Failed, difference


@pytest.mark.parametrize("role", COMPONENT_ROLES)
def test_every_role_has_checks_with_names_and_a_line_each(role: str) -> None:
    found = testing.checks(role)
    assert [one.name for one in found] == testing.names(role)
    assert len(set(testing.names(role))) == len(found) >= 10
    for one in found:
        assert one.doc.endswith(".") and len(one.doc) <= 120, one


def broken(collection: object) -> None:
    raise SystemExit("leaving")


def test_what_cannot_be_made_fails_once() -> None:
    outcomes = testing.check("retriever", broken)
    assert [one.check for one in outcomes if not one.ok] == ["construction"]
    assert {one.status for one in outcomes} == {"failed", "not applicable"}
    (failed,) = (one for one in outcomes if not one.ok)
    assert failed.message.startswith("raised SystemExit: leaving (at test_kit.py, line ")
    assert "in broken)" in failed.message


class Lost(right.Overlap):
    """Reads a file that is not there when it is asked."""

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        raise FileNotFoundError("no file engine.json")


def test_what_cannot_be_used_fails_once() -> None:
    outcomes = testing.check("retriever", lambda collection: Lost(collection))
    assert [one.check for one in outcomes if not one.ok] == ["first-use"]
    assert [one.check for one in outcomes if one.status == "passed"] == ["construction"]
    (told,) = (one for one in outcomes if "engine.json" in one.message)
    assert "in apply)" in told.message
    assert all("engine.json" not in one.message for one in outcomes if one is not told)


class Raising(right.Overlap):
    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        if (inp["query"] == "").any():
            raise KeyError("no words")
        if inp["query"].str.len().max() > 10_000:
            raise ComponentError("raising: the question is too long.")
        return super().apply(inp)


def test_what_a_component_raises_is_told_with_what_it_was_given() -> None:
    outcomes = testing.check("retriever", lambda collection: Raising(collection))
    failed = {one.check: one.message for one in outcomes if not one.ok}
    assert failed.keys() == {"odd-queries", "long-query"}
    assert failed["odd-queries"].startswith("raised KeyError: 'no words' when it was given '' (at test_kit.py, line ")
    assert failed["odd-queries"].endswith(", in apply): make it accept the input of this check.")
    assert failed["long-query"] == "raising: the question is too long."


def test_what_cannot_be_imported_fails_once(install: Install) -> None:
    install("acme", {"retriever.sick": "acme_module:factory"}, "import does_not_exist_anywhere\n")
    outcomes = testing.check("retriever", "sick")
    (failed,) = (one for one in outcomes if not one.ok)
    assert failed.check == "construction"
    assert "of package acme 1.0" in failed.message
    assert "No module named 'does_not_exist_anywhere'" in failed.message
    assert "\n" not in failed.message


def test_a_name_that_is_not_there_and_a_text_that_is_no_name() -> None:
    with pytest.raises(PluginError, match="no retriever 'nowhere'"):
        testing.check("retriever", "nowhere")
    with pytest.raises(ComponentError, match="'a b' is not a component"):
        testing.check("retriever", "a b")
    for spec in ("1", "bm25()()"):
        with pytest.raises(ComponentError, match="name can be called"):
            testing.check("retriever", spec)
    with pytest.raises(ComponentError, match=r"'\*\*' cannot be used"):
        testing.check("retriever", "bm25(**{})")
    with pytest.raises(ComponentError, match=r"\[print\(\)\] is neither"):
        testing.check("retriever", "bm25(k1=[print()])")
    with pytest.raises(ComponentError, match="3 is not a factory"):
        testing.check("retriever", 3)  # type: ignore[arg-type]


def picky(collection: Any, *, num_results: int = 1000, best: str) -> Any:
    return right.overlap(collection, num_results=num_results)


def test_parameters_are_those_of_the_factory() -> None:
    def failed(**options: Any) -> list[str]:
        return [one.message for one in testing.check("retriever", picky, **options) if not one.ok]

    (message,) = failed()
    assert "missing a required argument: 'best'" in message
    (message,) = failed(params={"best": "x", "worst": "y"})
    assert "picky has no parameter 'worst'" in message
    assert failed(params={"best": "x"}) == []


def flawed(collection: Any) -> Any:
    from spoiled import always

    return always(lambda out: out.assign(rank=out["rank"] + 1))(right.overlap)(collection)


def test_an_expected_failure_needs_a_reason_and_a_check() -> None:
    found = {one.check: one for one in testing.check("retriever", flawed, expected_failures={"ranks": "from 1 here"})}
    assert found["ranks"] == ("ranks", "expected failure", "from 1 here")
    assert all(one.ok for one in found.values())
    for reason in ("", "  ", None):
        with pytest.raises(ComponentError, match="'ranks' has no reason"):
            testing.check("retriever", flawed, expected_failures={"ranks": reason})  # type: ignore[dict-item]
    with pytest.raises(ComponentError, match=r"no check 'rank' .*retriever .*'ranks'"):
        testing.check("retriever", flawed, expected_failures={"rank": "x"})


def test_an_expected_failure_that_passes_is_not_ok() -> None:
    outcomes = testing.check("source", right.register, expected_failures={"dates": "they are odd"})
    (found,) = (one for one in outcomes if not one.ok)
    assert found.check == "dates"
    assert found.status == "unexpected pass"
    assert "they are odd" in found.message


def test_the_factory_may_announce_what_fails() -> None:
    def announced(collection: Any) -> Any:
        return flawed(collection)

    announced.expected_failures = {"ranks": "from 1 here"}  # type: ignore[attr-defined]
    found = {one.check: one for one in testing.check("retriever", announced)}
    assert found["ranks"].status == "expected failure"
    announced.expected_failures = ["ranks"]  # type: ignore[attr-defined]
    with pytest.raises(ComponentError, match=r"expected_failures=\['ranks'\] is not a dict"):
        testing.check("retriever", announced)


def marked(**options: Any) -> list[Any]:
    return list(testing.parametrize("retriever", flawed, **options).args[1])


def test_parametrize_gives_a_test_a_check() -> None:
    assert [one.id for one in marked()] == testing.names("retriever")
    assert not any(one.marks for one in marked())
    tests: dict[str, Callable[[], None]] = {one.id: one.values[0] for one in marked()}
    tests["finite-scores"]()
    with pytest.raises(Failed, match="the ranks of 'q1' are 1, 2, 3"):
        tests["ranks"]()
    with pytest.raises(pytest.skip.Exception, match="no parameter 'num_results'"):
        tests["num-results"]()


def test_parametrize_marks_expected_failures_as_strict() -> None:
    (one,) = (one for one in marked(expected_failures={"ranks": "from 1 here"}) if one.marks)
    (mark,) = one.marks
    assert one.id == "ranks"
    assert mark.kwargs == {"reason": "from 1 here", "raises": Failed, "strict": True}
    with pytest.raises(ComponentError, match="no reason"):
        marked(expected_failures={"ranks": ""})


def test_pipelines_and_upstream_can_be_given() -> None:
    outcomes = testing.check("fuser", "rrf", pipelines=["tfidf", "bm25", "lsa"])
    assert [one for one in outcomes if not one.ok] == []
    outcomes = testing.check("fuser", "wrrf(tfidf, bm25 % 3, weights=[0.2, 0.8])")
    assert [one for one in outcomes if not one.ok] == []
    given = []

    def curious(collection: Any, *, left: Any) -> Any:
        given.append(str(left))
        return right.squared(collection)

    testing.check("reranker", curious, upstream="bm25(k1=2) % 3", expected_failures={})
    assert any("RankCutoff(3)" in left for left in given)


FRAME = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [2.0, 1.0, 3.0], "rank": [0, 1, 0]})


@pytest.mark.parametrize(
    ("changes", "exact", "said"),
    [
        ({}, True, None),
        ({"score": [2.0, 1.0, 3.0000001]}, False, None),
        ({"score": [2.0, 1.0, 3.0000001]}, True, "query '2' has score 3.0 of 'a' once and 3.0000001"),
        ({"score": [2.0, 1.1, 3.0]}, False, "query '1' has score 1.0 of 'b' once and 1.1"),
        ({"docno": ["a", "c", "a"]}, False, None),
        ({"docno": ["a", "c", "a"]}, True, "query '1' has 'b' once"),
        ({"docno": ["c", "b", "a"]}, False, "query '1' has 'a' once"),
        ({"rank": [1, 0, 0]}, False, "query '1' has score 2.0 at place 1 once and 1.0"),
        ({"qid": ["1", "2", "2"], "docno": ["a", "b", "a"]}, False, "query '1' has 2 results once and 1 the other"),
    ],
)
def test_difference(changes: dict[str, Any], exact: bool, said: str | None) -> None:
    found = difference(FRAME, FRAME.assign(**changes), exact=exact)
    assert found is None if said is None else said in str(found)


def test_every_check_has_a_mutant() -> None:
    """In each kind of component that it applies to; those in a new interpreter are one for all roles."""
    import test_analyzer_mutants
    import test_encoder_mutants
    import test_executor_mutants
    import test_frame_mutants
    import test_new_interpreter
    import test_source_mutants

    def checks(table: Any) -> set[str]:
        return {name.partition(" ")[0] for name in table}

    fresh = checks(test_new_interpreter.MUTANTS)
    for role, module in (
        ("analyzer", test_analyzer_mutants),
        ("encoder", test_encoder_mutants),
        ("source", test_source_mutants),
        ("executor", test_executor_mutants),
    ):
        assert set(testing.names(role)) == checks(module.MUTANTS) | fresh
    table = test_frame_mutants.MUTANTS
    for kind, (role, _) in test_frame_mutants.s.KINDS.items():
        caught = {name.partition(" ")[0] for name, (kinds, _) in table.items() if kind in kinds}
        without_parameters = {"generator": {"set-parameters"}, "judge": {"set-parameters"}}
        of_others = {"rewritten-queries"} if kind == "expander" else without_parameters.get(kind, set())
        ranked = {name.partition(" ")[0] for name, (kinds, _) in table.items() if kinds == test_frame_mutants.RANKED}
        of_results = ranked - caught | {"document-columns"}
        assert set(testing.names(role)) - caught - fresh == (of_results if kind == "rewriter" else of_others)
