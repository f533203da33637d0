"""The expression language, with components from packages made on the spot."""

from __future__ import annotations

import ast

import pyterrier as pt
import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from legalir import pipeline, plugins
from legalir.errors import AnalyzerError, ExpressionError, LegalIRError, PluginError
from legalir.pipeline.builder import MAX_DEPTH
from legalir.spec import MAX_LENGTH

SOURCE = '''
import pyterrier as pt
from legalir.frames.component import Component
from legalir.errors import AnalyzerError, ComponentError

class Ranked(Component):
    """Gives each query the documents of its name, best first."""
    def __init__(self, docs, name="r", k1=0.9):
        self.docs, self.name, self.k1 = docs, name, k1
    def transform(self, inp):
        out = inp[["qid", "query"]].merge(self.rows(), how="cross")
        return out
    def rows(self):
        import pandas as pd
        n = len(self.docs)
        scores = [float(n - i) for i in range(n)]
        return pd.DataFrame({"docno": list(self.docs), "score": scores, "rank": range(n)})

class Step(Component):
    def __init__(self, inner=(), left=None, options=()):
        self.inner, self.left, self.options = inner, left, options
    def transform(self, inp):
        return inp

made = []

def first(collection, analyzer="jamo3", k1=0.9, b=0.4):
    if analyzer == "nonsense":
        raise AnalyzerError("analyzer 'nonsense' means nothing.")
    if not isinstance(k1, float | int):
        raise ComponentError(f"FIRST: k1={k1!r} is not a number of at least 0.")
    made.append("first")
    return Ranked("abc", "first", k1)

def second(collection):
    return Ranked("bcd", "second")

def fuse(collection, *pipelines, weights, k=5):
    return Step(pipelines, options=("fuse", collection, str(weights), k))

def step(collection, *, left, k=15, scorer=None):
    return Step((), left, ("step", k, scorer))

def one(collection, pipeline, /, depth=1):
    return Step((pipeline,), None, ("one", depth))

def loose(collection, **params):
    return Step((), None, tuple(sorted(params.items())))

def fails(collection):
    raise ZeroDivisionError("division by zero")

def wrong(collection):
    return "no transformer"

def refuses(collection):
    raise ComponentError("it cannot be made here.")
'''

NAMES = {
    "retriever.first": "first",
    "retriever.second": "second",
    "fuser.fuse": "fuse",
    "reranker.step": "step",
    "expander.one": "one",
    "generator.loose": "loose",
    "reranker.fails": "fails",
    "reranker.wrong": "wrong",
    "reranker.refuses": "refuses",
    "analyzer.notpipeline": "first",
}


@pytest.fixture(autouse=True)
def parts(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("parts", {name: f"parts_module:{value}" for name, value in NAMES.items()}, SOURCE)


class Undated:
    """A collection without versions, of which no component here asks more."""

    dated, where = False, ""


COLLECTION = Undated()


def build(expression: str) -> pt.Transformer:
    return pipeline.build(expression, COLLECTION)


def fault(expression: str) -> str:
    with pytest.raises(ExpressionError) as caught:
        build(expression)
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- the normal form --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "normal"),
    [
        ("bm25", "bm25"),
        ("  bm25( )  ", "bm25"),
        ("bm25(k1 = 1.5,b=.4)", "bm25(b=0.4, k1=1.5)"),
        ("a >> b >> c", "a >> b >> c"),
        ("a >> (b >> c)", "a >> b >> c"),
        ("a >> (b >> (c >> d)) >> e", "a >> b >> c >> d >> e"),
        ("(a >> b) % 10", "a >> b % 10"),
        ("((a >> b) * 2 >> c) % 10", "a >> b * 2 >> c % 10"),
        ("2 * a", "a * 2"),
        ("a * -1", "a * -1"),
        ("-1 * a", "a * -1"),
        ("(a + b) % 5", "(a + b) % 5"),
        ("a | b & c ^ d", "a | b & c ^ d"),
        ("a ** b", "a ** b"),
        ("rrf(bm25,\n    lsa,\n    k=5)", "rrf(bm25, lsa, k=5)"),
        ("bm25\n>> sar", "bm25 >> sar"),
        ('f(x="it\'s", y=u"#")', "f(x=\"it's\", y='#')"),
        ("f(z=[+1, -2.0, (1,), {'a': None}], y=True)", "f(y=True, z=[1, -2.0, (1,), {'a': None}])"),
        ("sar(scorer=lsa(dim=5) >> x)", "sar(scorer=lsa(dim=5) >> x)"),
        ("ｂｍ２５", "bm25"),  # Python's names are normalised by NFKC: full width is typed in Korean.
    ],
)
def test_canonical(expression: str, normal: str) -> None:
    assert pipeline.canonical(expression) == normal
    assert pipeline.canonical(normal) == normal


def test_a_text_by_position_is_the_first_parameter_that_is_given_by_name() -> None:
    builder = pipeline.Builder(COLLECTION)
    assert builder.build("fuse('x', first)") is builder.build("fuse(first, weights='x')")
    assert builder.build("first('word')") is builder.build("first(analyzer='word')")


def test_names() -> None:
    assert pipeline.names("rrf(bm25(k1=1.5), lsa) % 10 >> sar(scorer=dense, mode='x')") == {
        "rrf", "bm25", "lsa", "sar", "dense",
    }  # fmt: skip


# --- what is refused, and where ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "column", "words"),
    [
        ("first >> frist", 10, "There is no component 'frist'. Did you mean 'first'?"),
        ("first >>\n  frist", 12, "Did you mean 'first'?"),
        ("fuse(한글(k=1), weights=1)", 6, "There is no component '한글'."),
        ("loose(x='한글') >> frist", 18, "Did you mean 'first'?"),
        ("notpipeline", 1, "There is no component 'notpipeline'."),
        ("first(k2=1)", 7, "first has no parameter 'k2'. Did you mean 'k1'? "
                           "It accepts analyzer='jamo3', k1=0.9, b=0.4."),
        ("second(k=1)", 8, "second has no parameter 'k'. It accepts no parameters."),
        ("step(pipeline=first)", 6, "step has no parameter 'pipeline'."),
        ("first * 1e400", 9, "this number is too large"),
        ("first % 99999999999999999999", 9, "this number is too large"),
        ("fuse(first, weights=[1, -1e999])", 25, "this number is too large"),
        ("first(k1=inf)", 10, "'inf' is not a component, and a number must be finite"),
        ("first(k1=true)", 10, "'true' is not a component: write True"),
        ("first(k1=null)", 10, "'null' is not a component: write None"),
        ("first(k1=1, k1=2)", 13, "parameter 'k1' of first is given twice"),
        ("first(left=second)", 7, "'left' of first is filled in by legalir"),
        ("first(collection=1)", 7, "'collection' of first is filled in by legalir"),
        ("first('word', analyzer='x')", 7, "parameter 'analyzer' of first is given twice."),
        ("first('word', 'x')", 15, "first takes parameters by name: write first(name=value)."),
        ("fuse(first, 'x', weights=1)", 13, "fuse takes parameters by name"),
        ("second('x')", 8, "second takes parameters by name."),
        ("first(1.5)", 7, "first takes parameters by name: write first(name=value)."),
        ("first(second)", 1, "first was given 1 pipeline and takes none. It accepts analyzer='jamo3'"),
        ("one(first, second)", 1, "one was given 2 pipelines and takes 1 at most."),
        ("first >> one", 10, "one: missing a required argument: 'pipeline'. It accepts depth=1."),
        ("fuse(first, second)", 1, "fuse: missing a required argument: 'weights'. It accepts weights, k=5."),
        ("first(k1='x')", 1, "FIRST: k1='x' is not a number of at least 0."),
        ("first >> refuses", 10, "refuses: it cannot be made here."),
        ("first % 0", 9, "'%' takes the number of results to keep"),
        ("first % 2.5", 9, "an integer from 1"),
        ("first % True", 9, "an integer from 1"),
        ("first % second", 9, "an integer from 1"),
        ("first * second", 9, "'*' takes a pipeline and a number"),
        ("2 * 3", 1, "a component is expected here"),
        ("first + 1", 9, "a component is expected here"),
        ("(first | second) % 5", 2, "'|' gives a set without scores, which '%' needs"),
        ("first + (first & second)", 10, "'&' gives a set without scores, which '+' needs"),
        ("first - second", 1, "this operator cannot be used: there are >> % + * | & ^ **."),
        ("first # second", 1, "cannot hold a comment"),
        ("first\n# a note\n>> second", 1, "cannot hold a comment"),
        ("first >>", 9, "invalid syntax"),
        ("first.transform", 1, "a component is expected here"),
        ("first[0]", 1, "a component is expected here"),
        ("lambda: first", 1, "a component is expected here"),
        ("(x := first)", 2, "a component is expected here"),
        ("__import__('os').system('true')", 1, "only a component's name can be called"),
        ("first(*second)", 7, "a component is expected here"),
        ("first(**second)", 9, "must be named one by one"),
        ("loose(x=f'{1}')", 9, "a value can be"),
        ("loose(x=b'a')", 9, "a value can be"),
        ("loose(x=...)", 9, "a value can be"),
        ("loose(x=1j)", 9, "a value can be"),
        ("loose(x=1e999)", 9, "this number is too large"),
        ("loose(x=--5)", 9, "a value can be"),
        ("loose(x={1, 2})", 9, "a value can be"),
        ("loose(x={**first})", 9, "a value can be"),
        ("loose(x=[first])", 9, "a value can be"),
        ("loose(x=1 if 1 else 2)", 9, "a value can be"),
    ],
)  # fmt: skip
def test_a_fault_has_a_column_and_a_cure(expression: str, column: int, words: str) -> None:
    message = fault(expression)
    assert words in message
    if words != "invalid syntax":
        assert f", column {column}: " in message


@pytest.mark.parametrize("given", [5, None, b"first", ["first"], pt.RankCutoff(3)])
def test_an_expression_that_is_no_text(given: object) -> None:
    with pytest.raises(ExpressionError, match=rf"\({type(given).__name__}\)"):
        pipeline.names(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("expression", ["", "   ", "\n"])
def test_an_empty_expression(expression: str) -> None:
    assert fault(expression).startswith("The expression is empty")


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 4000,
        "-" * 4000 + "1",
        "a" + " >> a" * 900,
        "a" + "**a" * 1600,
        "a" + "+a" * (MAX_LENGTH // 2),
        "f(" * 150 + "a" + ")" * 150,
        "f(x=" + "[" * 180 + "]" * 180 + ")",
        "f(x=0x" + "f" * 4900 + ")",
        "f(x=" + "9" * 4900 + ")",
        "first" * 1000 + "x",
        "a\0b",
        "a\ud800",
    ],
    ids=range(12),
)
def test_hostile_text_ends_in_an_expression_error(expression: str) -> None:
    fault(expression)


def test_the_normal_form_of_a_deep_chain_can_be_read_again() -> None:
    deep = "a >> (b >> (" + " >> ".join("c" * (MAX_DEPTH - 4)) + "))"
    assert pipeline.canonical(pipeline.canonical(deep)) == pipeline.canonical(deep)
    with pytest.raises(ExpressionError, match="nested more than"):
        pipeline.canonical("(" + " >> ".join("a" * MAX_DEPTH) + ") >> b")


def test_a_wrong_value_of_another_kind_keeps_its_error() -> None:
    wrong = r"^Expression .*, column 11: first: analyzer 'nonsense' means nothing\.$"
    with pytest.raises(AnalyzerError, match=wrong):
        build("second >> first(analyzer='nonsense')")


def test_a_component_that_fails_names_its_package() -> None:
    failed = r"^Expression .*, column 10: The reranker 'fails' of package parts 1.0 failed: ZeroDivisionError: div"
    with pytest.raises(PluginError, match=failed):
        build("first >> fails")
    wrong = r"column 10: .* 'wrong' of package parts 1.0 returned an object of type str: .* pt.Transformer; report it"
    with pytest.raises(PluginError, match=wrong):
        build("first >> wrong")


def test_a_component_whose_entry_is_misnamed(install: Install) -> None:
    install("acme", {"wizard.merlin": "acme_module:factory"})
    with pytest.raises(PluginError, match=r"10.*1\.0.*'wizard\.merlin'"):
        build("first >> merlin")


def test_a_disabled_component_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "parts")
    with pytest.raises(PluginError, match=r"'first'.*LEGALIR_DISABLE_PLUGINS"):
        build("first >> step")


def test_a_component_of_our_own_that_fails_is_a_bug(install: Install) -> None:
    install("legalir", {"reranker.ours": "legalir_module:ours"}, "def ours(collection):\n    return 1 / 0\n")
    with pytest.raises(ZeroDivisionError):
        build("ours")


def test_a_factory_without_a_signature_is_given_anything(install: Install) -> None:
    source = (
        "import pyterrier as pt\n"
        "class Factory:\n"
        "    __signature__ = 'unknown'\n"
        "    def __call__(self, collection, *pipelines, **params):\n"
        "        return pt.RankCutoff(params['k'])\n"
    )
    install("odd", {"reranker.odd": "odd_module:factory"}, source + "factory = Factory()\n")
    assert build("odd(first, k=3)") == pt.RankCutoff(3)


def test_a_broken_or_disputed_component_is_a_plugin_error(install: Install) -> None:
    install("rotten", {"reranker.rotten": "rotten_module:x", "reranker.step": "rotten_module:x"}, "1/0\n")
    with pytest.raises(PluginError, match=r"'rotten'.*1.0"):
        build("first >> rotten")
    with pytest.raises(PluginError, match="'step'"):
        build("first >> step")
    assert build("first") == build("first")


# --- what is built ----------------------------------------------------------------------------------------


def test_the_collection_and_nested_pipelines_reach_the_factory() -> None:
    fused = build("fuse(first(k1=2), second % 2, weights=[.1, .9])")
    assert fused.options == ("fuse", COLLECTION, "[0.1, 0.9]", 5)
    assert fused.inner[0] == build("first(k1=2)")
    assert list(fused.inner[1]) == [build("second"), pt.RankCutoff(2)]
    assert build("one(first)").inner == (build("first"),)


def test_a_parameter_can_be_a_pipeline() -> None:
    scorer = build("second >> step(scorer=first(k1=3))")[1].options[2]
    assert scorer == build("first(k1=3)")


# PyTerrier 1.1 drops columns in place, which pandas 3.1 will not have for ever.
in_place = pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")


# Documents of `first`: a 3, b 2, c 1. Of `second`: b 3, c 2, d 1.
@pytest.mark.parametrize(
    ("expression", "results"),
    [
        ("first % 2", {"a": 3, "b": 2}),
        ("first * 2", {"a": 6, "b": 4, "c": 2}),
        ("first + second", {"a": 3, "b": 5, "c": 3, "d": 1}),
        ("first * 10 + second", {"a": 30, "b": 23, "c": 12, "d": 1}),
        ("first % 1 ^ second", {"a": 3, "b": 2.9999, "c": 1.9999, "d": 0.9999}),
        ("first >> step", {"a": 3, "b": 2, "c": 1}),
    ],
)
@in_place
def test_operators_are_those_of_pyterrier(expression: str, results: dict[str, float]) -> None:
    found = build(expression).search("q")
    assert dict(zip(found["docno"], found["score"], strict=True)) == pytest.approx(results)


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        ("first >> step", "first"),
        ("first % 2 >> step", "first % 2"),
        ("first >> step % 2", "first"),
        ("(first >> step) * 2", "first"),
        ("first >> (second >> step)", "first >> second"),
        ("first >> second >> step >> loose", "first >> second"),
        ("first >> (second + step)", "first"),
        ("first >> (step | second)", "first"),
        ("first >> one(second >> step)", "first >> second"),
        ("first >> one(step)", "first"),
        ("one(second >> step)", "second"),
        ("step", None),
        ("step >> first", None),
        ("first >> loose(x=step)", None),
    ],
)
def test_left_is_all_that_is_upstream(expression: str, left: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    import parts_module

    seen: list[object] = []
    step = parts_module.step

    def spy(collection: object, *, left: object, k: int = 15, scorer: object = None) -> object:
        seen.append(left)
        return step(collection, left=left, k=k, scorer=scorer)

    monkeypatch.setattr(parts_module, "step", spy)
    build(expression)
    assert seen == [None if left is None else build(left)]


def test_equal_parts_are_one_object() -> None:
    import parts_module

    parts_module.made.clear()
    fused = build("fuse(first(k1=2) % 5, first(k1 = 2) % 5, first(k1=2), first, weights=1)")
    assert fused.inner[0] is fused.inner[1]
    assert fused.inner[0][0] is fused.inner[2]
    assert fused.inner[2] is not fused.inner[3]
    assert parts_module.made == ["first", "first"]


def test_equal_parts_with_another_left_are_different_objects() -> None:
    fused = build("fuse(first >> step, second >> step, second >> step, weights=1)")
    assert fused.inner[0][1].left == build("first")
    assert fused.inner[1][1].left == build("second")
    assert fused.inner[1] is fused.inner[2]


def test_values_that_python_calls_equal_are_told_apart() -> None:
    fused = build("fuse(loose(x=1), loose(x=True), loose(x=1.0), weights=1)")
    assert [type(step.options[0][1]) for step in fused.inner] == [int, bool, float]


# --- random text ------------------------------------------------------------------------------------------

WORDS = """first second fuse step one loose nothing ( ) ( ) , , >> >> % + * | & ** ^ - = k1 = weights = x 1 -2
's' " [ ] { } : None True # \\ lambda . ** not 한글 \x00 1e999 0x f'' := @ await 0.5"""
TOKENS = st.sampled_from([*WORDS.split(), "\n"])


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(TOKENS, max_size=25).map(" ".join)))
@example("first(k1=1_0)")
@example("1if 1else 2")
@example("f(x='\\N{")
@example("first\\\n")
def test_random_text_ends_in_a_transformer_or_an_expression_error(text: str) -> None:
    try:
        normal = pipeline.canonical(text)
    except ExpressionError as error:
        assert "\n" not in str(error)
        with pytest.raises(ExpressionError):
            build(text)
        return
    assert pipeline.canonical(normal) == normal
    assert pipeline.names(normal) == pipeline.names(text)
    # Components that ship need a collection, which a text that is drawn from our own files may name.
    assume(not pipeline.names(normal) & {one.name for one in plugins.entries() if one.package.startswith("legalir")})
    try:
        assert isinstance(build(text), pt.Transformer)
    except LegalIRError as error:
        assert "\n" not in str(error)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
LITERALS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple), st.dictionaries(SCALARS, inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(LITERALS)
def test_any_literal_arrives_unchanged(value: object) -> None:
    text = repr(value)
    (found,) = build(f"loose(x={text})").options
    assert repr(found[1]) == text
    assert ast.literal_eval(text) == value


TREES = st.recursive(
    st.sampled_from(["first", "second", "first(k1=2)", "loose(x=[1, 2])"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([">>", "+", "^", "**"]), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        st.tuples(inner, st.integers(1, 9)).map(lambda t: f"({t[0]}) % {t[1]}"),
        st.tuples(inner, st.integers(-3, 9)).map(lambda t: f"{t[1]} * ({t[0]})"),
        st.tuples(inner, inner).map(lambda t: f"fuse({t[0]}, {t[1]}, weights=(1, 2))"),
    ),
    max_leaves=8,
)


@settings(max_examples=30, deadline=None)
@given(TREES)
def test_the_normal_form_builds_the_same_pipeline(text: str) -> None:
    assert repr_of(build(text)) == repr_of(build(pipeline.canonical(text)))


def repr_of(built: pt.Transformer) -> object:
    """Structure of a pipeline, where PyTerrier's own operators have no useful repr."""
    if hasattr(built, "_transformers"):
        return type(built).__name__, [repr_of(part) for part in built]
    if type(built).__module__.startswith("pyterrier") and hasattr(built, "left"):
        return type(built).__name__, repr_of(built.left), repr_of(built.right)
    if hasattr(built, "inner"):
        return built.options, [repr_of(part) for part in built.inner]
    return repr(built)
