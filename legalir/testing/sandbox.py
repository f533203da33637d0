"""The sandbox of a check: the component under test, an invented collection, and the output of the component."""

from __future__ import annotations

import ast
import inspect
import json
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import pandas as pd

from legalir import plugins
from legalir.collection.collection import Collection
from legalir.contract import Signature
from legalir.dense.contract import Encoder, TrainableEncoder
from legalir.errors import AnalyzerError, ComponentError, LegalIRError, describe
from legalir.llm.chat import ChatReply, ChatRequest, Json
from legalir.llm.client import Client
from legalir.plugins import PIPELINE_ROLES, ROLES, Factory, PluginEntry, find
from legalir.spec import literal, read_component
from legalir.testing import data

if TYPE_CHECKING:
    import pyterrier as pt


Pipeline: TypeAlias = "str | pt.Transformer"
"""An expression, or a transformer that belongs to no collection."""


def pipeline_of(collection: Collection, pipeline: Pipeline) -> pt.Transformer:
    """Return a pipeline of the kit's data."""
    return collection.pipeline(pipeline) if isinstance(pipeline, str) else pipeline


def misfit(role: str, component: object) -> str | None:
    """Return why `component` cannot play `role`, or None."""
    if ROLES[role].is_played_by(component):
        return None
    return f"the factory returned an object of type {type(component).__name__}: return {ROLES[role].wanted}."


def fitted(encoder: Any, collection: Collection) -> Encoder:
    """Return `encoder`, or the encoder that it fits on the collection if it is trainable."""
    if isinstance(encoder, TrainableEncoder):
        return encoder.fit(collection.sparse(encoder.analyzer))[0]
    return cast(Encoder, encoder)


class ComponentUnderTest:
    """A component that the kit makes again and again; arguments as of :func:`legalir.testing.check`.

    Attributes:
        role: its role.
        given: its factory or its name, the second argument of the check.
        params: the parameters for the factory.
        upstream: the expression whose output it gets; None for the kit's own.
        branches: the pipelines for the factory.
        options: the other arguments of the check.

    Raises:
        ComponentError: `given` is neither a factory nor ``name`` or ``name(parameter=value)``.
        PluginError: no such component is installed.
    """

    def __init__(
        self,
        role: str,
        given: Factory | str,
        params: Mapping[str, object] | None = None,
        upstream: str | None = None,
        pipelines: Sequence[Pipeline] | None = None,
    ) -> None:
        self.role = role
        self.given = given
        self.upstream = upstream
        self.options = {"params": dict(params or {}), "upstream": upstream, "pipelines": pipelines}
        self.params: dict[str, object] = {}
        self.branches: tuple[Pipeline, ...] = data.BRANCHES[:2] if role == "fuser" else ()
        self._nested: dict[str, str] = {}
        self._entry: PluginEntry | None = None
        if isinstance(given, str):
            self._read(given)
        elif not callable(given):
            raise ComponentError(f"{given!r} is not a factory: give one, or the name of an installed component.")
        self.params |= params or {}
        if pipelines is not None:
            self.branches = tuple(pipelines)

    def __str__(self) -> str:
        return self.given if isinstance(self.given, str) else getattr(self.given, "__name__", repr(self.given))

    def _read(self, spec: str) -> None:
        call = read_component(spec)
        self._entry, self.params = find(self.role, call.name)
        if call.arguments:
            self.branches = tuple(map(ast.unparse, call.arguments))
        for name, keyword in call.keywords.items():
            if isinstance(keyword.value, ast.Name | ast.Call | ast.BinOp):
                self._nested[name] = ast.unparse(keyword.value)
            elif (value := literal(keyword.value)) is None:
                raise ComponentError(f"{spec!r}: {ast.unparse(keyword.value)} is neither a literal nor a pipeline.")
            else:
                self.params[name] = ast.literal_eval(value)

    @property
    def installed(self) -> bool:
        """Whether the component was specified by name."""
        return self._entry is not None

    @cached_property
    def factory(self) -> Factory:
        """The factory, imported on first use; errors as :func:`legalir.plugins.load`."""
        return cast(Factory, self.given) if self._entry is None else plugins.load(self._entry).factory

    @cached_property
    def takes_left(self) -> bool:
        """Whether the factory has the parameter ``left``."""
        return self.role in PIPELINE_ROLES and Signature(str(self), self.factory).takes_left

    def defaults(self) -> dict[str, object]:
        """Return the default of each parameter of the factory that has one, by name."""
        try:
            parameters = inspect.signature(self.factory).parameters.values()
        except (TypeError, ValueError):
            return {}
        return {one.name: one.default for one in parameters if one.default is not inspect.Parameter.empty}

    @property
    def foreign(self) -> bool:
        """Whether the component belongs to a package other than legalir."""
        return not str(getattr(self.factory, "__module__", "")).startswith("legalir.")

    def given_defaults(self) -> dict[str, object]:
        """Return the parameters of the component by name: the caller's values, else the defaults of the factory."""
        return {**self.defaults(), **self.params}

    def announced_failures(self) -> dict[str, str]:
        """Return the attribute ``expected_failures`` of the factory; empty if it is missing.

        Raises:
            ComponentError: it is not a dict.
        """
        try:
            announced = getattr(self.factory, "expected_failures", None)
        except LegalIRError:  # The checks report it.
            return {}
        if announced is not None and not isinstance(announced, Mapping):
            raise ComponentError(
                f"{self}: expected_failures={announced!r} is not a dict from a check's name to a reason."
            )
        return dict(announced or {})

    def make(
        self,
        collection: Collection,
        left: pt.Transformer | None = None,
        pipelines: Sequence[Pipeline] | None = None,
        **changes: object,
    ) -> Any:
        """Return the component, made as in an expression, with `changes` of its parameters."""
        nested = {name: pipeline_of(collection, text) for name, text in self._nested.items()}
        params = {**self.params, **nested, **changes}
        over = getattr(self.factory, "over", None)
        inside = collection if over is None else over(collection, **params)
        branches = [pipeline_of(inside, one) for one in (self.branches if pipelines is None else pipelines)]
        if self.takes_left:
            params["left"] = left
        signature = Signature(str(self), self.factory)
        unknown = signature.unknown_parameter(name for name in params if name != "left")
        if fault := unknown[1] if unknown else signature.fault(branches, params):
            raise ComponentError(fault)
        return self.factory(collection, *branches, **params)

    @property
    def fault(self) -> str | None:
        """The reason why the component cannot be made, or None."""
        return None if self._fault is None else str(self._fault)

    @property
    def refusal(self) -> LegalIRError | None:
        """The error by which the component refuses its parameters, or None; other parameters would be right."""
        return self._fault if isinstance(self._fault, AnalyzerError | ComponentError) else None

    @cached_property
    def sandbox(self) -> Sandbox:
        """The sandbox of all checks: the first use of an index builds it, and later checks read it back.

        Its folder is removed with this object.
        """
        folder = tempfile.mkdtemp(prefix="legalir-testing-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Sandbox(self, Path(folder))

    @cached_property
    def _fault(self) -> str | LegalIRError | None:
        try:
            return misfit(self.role, self.sandbox.make(self.sandbox.collection()))
        except LegalIRError as error:
            return error
        except (Exception, SystemExit) as error:
            return describe(error)

    @cached_property
    def first_error(self) -> BaseException | None:
        """The error of the component's first use on the kit's data, or None."""
        try:
            collection = self.sandbox.collection()
            self.sandbox.output(collection, self.sandbox.make(collection))
        except (Exception, SystemExit) as error:
            return error
        return None


@dataclass(frozen=True)
class RunOutput:
    """A component with its input and its output."""

    collection: Collection
    component: Any
    inp: pd.DataFrame
    out: pd.DataFrame


@dataclass(frozen=True)
class Sandbox:
    """A collection in a temporary folder, and components over it.

    Attributes:
        under_test: the component under test.
        folder: its files: the data and the cache.
    """

    under_test: ComponentUnderTest
    folder: Path

    @contextmanager
    def emptied(self) -> Iterator[Sandbox]:
        """Give a sandbox in which nothing was built yet, for the block."""
        with tempfile.TemporaryDirectory(prefix="legalir-testing-", ignore_cleanup_errors=True) as folder:
            yield replace(self, folder=Path(folder))

    @property
    def queries(self) -> pd.DataFrame:
        """The questions: ``qid, query``, and ``answer`` for a judge; each has results."""
        return data.QUERIES.assign(answer=data.REFERENCES) if self.under_test.role == "judge" else data.QUERIES

    @property
    def docnos(self) -> frozenset[str]:
        """The docnos of the collection."""
        return data.DOCNOS

    def collection(
        self,
        provisions: Sequence[Mapping[str, str]] = data.PROVISIONS,
        links: Sequence[tuple[str, str, str]] = data.LINKS,
        name: str = "statutes",
    ) -> Collection:
        """Return a collection of these provisions and the kit's questions: a new object over the same cache each time.

        Components of it that ask a language model get :class:`~legalir.testing.sandbox.Echo`.
        """
        folder = self.folder / name
        if not folder.exists():
            folder.mkdir(parents=True)
            for file, rows in (("corpus", provisions), ("queries", data.QUERIES.to_dict("records"))):
                lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
                (folder / f"{file}.jsonl").write_text("".join(lines), encoding="utf-8")
            judgements = "".join(f"{qid} 0 {docno} {label}\n" for qid, docno, label in data.JUDGEMENTS)
            (folder / "qrels.txt").write_text(judgements, encoding="utf-8")
            (folder / "links.tsv").write_text("".join("\t".join(one) + "\n" for one in links), encoding="utf-8")
        client = Client(Echo(), cache=self.folder / "llm.sqlite")
        return Collection(folder, cache=self.folder / "cache", client=client)

    @property
    def upstream(self) -> str:
        """The expression whose output the component gets; empty if it gets questions."""
        if self.under_test.upstream is not None:
            return self.under_test.upstream
        if self.under_test.role == "judge":
            return data.ANSWERED
        return data.FIRST_STAGE if self.under_test.role in ("expander", "reranker", "generator") else ""

    def left(self, collection: Collection) -> pt.Transformer | None:
        """Return the pipeline on the component's left."""
        return pipeline_of(collection, self.upstream) if self.upstream else None

    def make(self, collection: Collection, **changes: object) -> Any:
        """Return a new component over `collection`, with `changes` of its parameters."""
        return self.under_test.make(collection, self.left(collection), None, **changes)

    def takes_results(self, component: Any) -> bool:
        """Return True if the component gets results; retrievers and rewriters of questions get questions."""
        if not self.upstream:
            return False
        if self.under_test.role != "expander" or self.under_test.upstream is not None:
            return True
        try:
            out = component.transform(self.queries.iloc[:0].copy())
        except Exception:  # It needs more than questions.
            return True
        return "docno" in out.columns

    def input(self, collection: Collection, component: Any, queries: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return the component's input for `queries` (by default the sandbox's): these, or their results upstream."""
        if not self.takes_results(component):
            asked: pd.DataFrame = self.queries if queries is None else queries
            return asked.copy()
        left = self.left(collection)
        assert left is not None
        if queries is not None:
            found: pd.DataFrame = left.transform(queries.copy())
            return found
        if collection.cache not in self._inputs:
            self._inputs[collection.cache] = left.transform(self.queries.copy())
        return self._inputs[collection.cache].copy()

    @cached_property
    def _inputs(self) -> dict[Path, pd.DataFrame]:
        """What the sandbox's questions find upstream, by the cache of the collection."""
        return {}

    def input_of_texts(self, collection: Collection, component: Any, *texts: str) -> pd.DataFrame:
        """Return the component's input for questions with `texts`; results come from an ordinary question."""
        queries = pd.DataFrame({"qid": [f"q{number}" for number in range(len(texts))], "query": list(texts)})
        if not self.takes_results(component):
            return queries
        usual = self.input(collection, component)
        first: pd.DataFrame = usual[usual["qid"] == self.queries["qid"].iloc[0]]
        lists = [first.assign(qid=qid, query=text) for qid, text in zip(queries["qid"], texts, strict=True)]
        return pd.concat(lists, ignore_index=True)

    def run(self, queries: pd.DataFrame | None = None) -> RunOutput:
        """Make a component over a new collection and run it on `queries`, by default the sandbox's."""
        collection = self.collection()
        component = self.make(collection)
        inp = self.input(collection, component, queries)
        return RunOutput(collection, component, inp, component.transform(inp.copy()))

    @cached_property
    def usual(self) -> RunOutput:
        """The first run on the sandbox's questions, for checks that only look at it."""
        return self.run()

    def output(self, collection: Collection, component: Any) -> pd.DataFrame:
        """Return the output of a component of any role for the kit's data: ``qid``, and columns of the role."""
        role, texts = self.under_test.role, list(data.TEXTS)
        if role == "analyzer":
            terms = [component.terms(text) for text in texts]
            return pd.DataFrame({"qid": texts, "terms": terms, "fingerprint": component.fingerprint})
        if role == "encoder":
            vectors = np.asarray(fitted(component, collection).encode_queries(texts)).tolist()
            return pd.DataFrame({"qid": texts, "vector": vectors, "fingerprint": component.fingerprint})
        if role == "source":
            rows = [{"qid": str(row.get("docno")), "fields": dict(row)} for row in component.provisions()]
            return pd.DataFrame([*rows, {"qid": "links", "fields": [list(link) for link in component.links()]}])
        if role == "llm":
            # The text of a reply may be another one in another process; that there is one may not.
            reply = component.chat(data.CHAT_REQUEST)
            text = getattr(reply, "text", "")  # The check of replies reports another type.
            return pd.DataFrame([{"qid": component.name, "host": component.host, "reply": bool(text)}])
        if role == "executor":
            with component:
                return pd.DataFrame([{"qid": "sum", "result": component.submit(sum, [1, 2]).result()}])
        out: pd.DataFrame = component.transform(self.input(collection, component))
        return out

    def run_on_nothing(self, collection: Collection, component: Any) -> None:
        """Give a component no rows, as PyTerrier's inspection does; ask one of another role for its name."""
        if self.under_test.role in PIPELINE_ROLES:
            component.transform(self.input(collection, component).iloc[:0])
        elif self.under_test.role != "executor":  # which has no name
            _ = component.name, getattr(component, "fingerprint", None)


class Echo:
    """Replies to each request at once, and always alike: for tests of components that ask a model."""

    name, host, concurrency = "echo", "", 1

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the question, or the smallest JSON value of the schema with the question in each text."""
        words = request.question or "nothing"
        if request.schema is None:
            return ChatReply(words)
        value = _value(request.schema, request.schema.get("$defs", {}), words)
        return ChatReply(json.dumps(value, ensure_ascii=False))


def _value(schema: Json, parts: Json, words: str) -> Any:
    """Return a value that fits a JSON schema as pydantic writes it."""
    if "$ref" in schema:
        return _value(parts[schema["$ref"].rpartition("/")[2]], parts, words)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: _value(one, parts, words) for name, one in schema["properties"].items()}
    if kind == "array":
        return [_value(schema["items"], parts, words)] * max(1, schema.get("minItems", 1))
    if kind == "string":
        return words[: schema.get("maxLength", len(words))]
    return schema.get("minimum", 1)
