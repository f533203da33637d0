"""Base of the components that ask a chat model."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from legalir.frames.component import Component
from legalir.llm.chat import ChatModel
from legalir.llm.client import Client
from legalir.llm.prompts import Prompt


class AsksModel(Component):
    """A component that asks a chat model.

    Raises:
        ModelError: no model is named, or it is not allowed; it is raised at once, not at the first question.
    """

    client: Annotated[Client, "asks the model"]
    prompt: Annotated[Prompt, "the prompt"]
    _: KW_ONLY
    llm: Annotated[str | ChatModel | None, "a model, or its name or call; None for the client's model"] = None

    def __post_init__(self) -> None:
        self.client.model(self.llm)
