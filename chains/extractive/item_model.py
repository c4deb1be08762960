"""The extractive model of guides: an answer of bullets, each an item of a list, a row of a table or a sentence of the documents."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor

from chains.extractive.chat_model import MODEL_NAME, ExtractiveChatModel
from chains.extractive.item_selection import ChosenItem, ItemSelector, Rarity
from chains.extractive_task import ExtractiveTask
from chains.models.language_model import LanguageModel
from chains.models.usage import ModelPurpose
from utils.korean.sentence_spans import split_sentences
from utils.prompts.common import MAX_CHARS_MULTI, MAX_CHARS_SINGLE
from utils.prompts.messages import NOT_FOUND, NOT_FOUND_HINT
from utils.protocols import Analyzer


class ItemWriter:
    """Writes the answer to a task as bullets, each with its citation."""

    def __init__(self, selector: ItemSelector) -> None:
        self._selector = selector

    def write(self, task: ExtractiveTask) -> Iterator[str]:
        """The bullets one by one, each with the line break before it; the not-in-the-document sentence where there are none."""
        questions = list(dict.fromkeys(part.question for part in task.parts))
        max_chars = task.max_chars or (MAX_CHARS_SINGLE if len(questions) == 1 else MAX_CHARS_MULTI)
        chosen = dict.fromkeys(
            item
            for question in questions
            for item in self._selector.select(question, task.documents, max_chars // len(questions))
        )
        if not chosen:
            yield f"{NOT_FOUND} {NOT_FOUND_HINT}"
        for number, item in enumerate(chosen):
            yield ("\n" if number else "") + "- " + _cited(item)


def _cited(item: ChosenItem) -> str:
    """The item with its citation behind each of its sentences: one without would rest on nothing."""
    sentences = (item.text[start:end] for start, end in split_sentences(item.text))
    return " ".join(f"{sentence} [{item.document}]" for sentence in sentences)


def build_item_model(
    analyzer: Analyzer, rarity: Rarity, covered_from: float, pool: Executor | None = None
) -> LanguageModel:
    """The model as the service's `LanguageModel`; it generates answers, in ``pool``, and nothing else."""
    writer = ItemWriter(ItemSelector(analyzer, rarity, covered_from))
    return LanguageModel(MODEL_NAME, {ModelPurpose.GENERATION: ExtractiveChatModel(writer, pool)})
