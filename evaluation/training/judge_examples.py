"""Examples to learn the judge of answers from and to measure it by: graded answers, and answers spoilt on purpose, with their findings."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.answering.asked_parts import asked_parts
from agents.answering.prompt_builder import PromptBuilder, extractive_documents
from agents.answering.unit_evidence import silence_to
from agents.assembly import build_agents
from agents.engine import build_engine
from chains.extractive.chat_model import ExtractiveWriter
from chains.extractive.sentence_scoring import SentenceScorer
from chains.extractive_task import ExtractivePart, ExtractiveTask
from evaluation.measures.owner_questions import OwnerQuestion
from evaluation.questions import EvaluationQuestion
from evaluation.training.documents import found_documents, training_questions
from evaluation.training.graded_answers import AnsweredQuestion, answered, grade, grades_of_asks
from evaluation.training.spoilt_answers import SPOILT, STILL_STATED, AnswerSpoiler, Form, WrittenAnswer
from utils.config.settings import load_settings
from utils.documents import Hit
from utils.grounding.answer_judge import AnswerJudge, AskFinding, Treatment
from utils.grounding.answer_sentences import cited_numbers
from utils.grounding.check import AnswerChecker
from utils.grounding.rule_evaluator import AskedPart, EvaluatedDocument, EvaluationInquiry
from utils.grounding.sources import grounding_sources
from utils.linear_models import LearnedWith
from vectorstores.embedders.factory import build_kiwi_embedder
from vectorstores.tokenizer import KiwiTokenizer

QuestionFiles = Mapping[str, Sequence[EvaluationQuestion]]
"""The questions of files, by name."""


@dataclass(frozen=True, slots=True)
class AskExample:
    """An answer's finding on a thing asked, and whether that is right; ``form`` is None for documents read without their units."""

    question: str
    form: Form | None
    finding: AskFinding
    right: bool


@dataclass(frozen=True, slots=True)
class AnswerExample:
    """An answer with its grade, and its findings part by part.

    ``has_facts``: it was graded by key facts, not by its source alone. ``was_right``: the answer that it was made of is right.
    """

    question: str
    file: str
    form: Form
    content: str
    right: bool | None
    has_facts: bool
    was_right: bool
    parts: tuple[AskedPart, ...]
    asks: tuple[AskExample, ...]

    @property
    def is_spoilt(self) -> bool:
        """Return True for a wrong answer that was made of a right one."""
        return self.form in SPOILT and self.was_right and (self.form in STILL_STATED or self.right is False)


@dataclass(frozen=True, slots=True)
class JudgeExamples:
    """All that is learned from, and what it was read with."""

    answers: list[AnswerExample]
    of_documents: list[AskExample]
    learned_with: LearnedWith

    @property
    def asks(self) -> list[AskExample]:
        """Everything said to a thing asked of which is known whether it is right."""
        return [*self.of_documents, *(ask for answer in self.answers for ask in answer.asks)]


class ExampleMaker:
    """Makes examples with the engine of a data directory, which never tries again what fails."""

    def __init__(self, data_dir: Path) -> None:
        changed = {"data_dir": data_dir, "enable_post_eval_retry": False}
        settings = load_settings().model_copy(update=changed)
        tokenizer = KiwiTokenizer()
        self.engine = build_engine(settings, tokenizer)
        parts, model = self.engine.parts, replace(self.engine.learned.answers, answered_from=0.0)
        scorer = SentenceScorer(tokenizer, build_kiwi_embedder(tokenizer), model, parts.reader)
        self._writer = ExtractiveWriter(scorer)
        self._spoiler = AnswerSpoiler(PromptBuilder(build_agents(parts)), self._writer)
        self._checker = AnswerChecker(parts.glossary.law_aliases)
        self._words = parts.evaluator.words
        self.learned_with = LearnedWith(tokenizer=tokenizer.id, embedder=parts.embedder_id, reranker=parts.reranker_id)

    async def answers(self, files: QuestionFiles) -> list[AnswerExample]:
        """The service's own answers to the questions, and those made of them."""
        found = [each for file, questions in files.items() for each in await answered(self.engine, file, questions)]
        return [example for each in found for example in self._of_answer(each)]

    async def of_documents(self, questions: Sequence[EvaluationQuestion]) -> list[AskExample]:
        """Answers from the documents as if they had no units, and again without the right ones, whatever the probability; and each
        thing asked beside the answer to the one before, which has documents of another subject that were found for it."""
        examples: list[AskExample] = []
        before: tuple[EvaluationQuestion, EvaluationInquiry] | None = None
        for question, hits in await found_documents(self.engine, questions):
            inquiry = self._quoted(question, hits)
            right = grade(question, inquiry.answer, hits)
            if right is None or not inquiry.grounding.cited_sources:
                continue
            examples.append(AskExample(question.id, None, self._text_finding(question, inquiry), right))
            if before is not None and not set(before[0].gold) & set(question.gold):
                crossed = self._text_finding(question, before[1])
                examples.append(AskExample(question.id, Form.DROPPED, crossed, right=False))
            before = question, inquiry
        return examples

    def _of_answer(self, given: AnsweredQuestion) -> Iterator[AnswerExample]:
        answer = given.state["answer"]
        own = WrittenAnswer(Form.INTACT, answer.content, answer.documents, 0)
        right = grade(given.question, answer.content, answer.documents)
        yield self._example(given, own, right, was_right=bool(right))
        if not given.state.get("units"):
            return
        for written in self._spoiler.written(given.state):
            if written.content != answer.content and cited_numbers(written.content):
                changed = grade(given.question, written.content, written.documents)
                yield self._example(given, written, changed, was_right=bool(right))

    def _example(
        self, given: AnsweredQuestion, written: WrittenAnswer, right: bool | None, *, was_right: bool
    ) -> AnswerExample:
        state, question = given.state, given.question
        answer = replace(state["answer"], content=written.content, documents=written.documents)
        report = self._checker.check(written.content, grounding_sources(written.documents))
        parts = tuple(asked_parts(state, answer, report, self._words))
        made = AnswerExample(
            question.id,
            given.file,
            written.form,
            written.content,
            right,
            isinstance(question, OwnerQuestion) or bool(question.key_facts) or not question.gold,
            was_right,
            parts,
            (),
        )
        return replace(made, asks=tuple(self._asks(given, made, written)))

    def _asks(self, given: AnsweredQuestion, made: AnswerExample, written: WrittenAnswer) -> Iterator[AskExample]:
        """Yield the findings on the things asked of which is known whether the answer to them is right."""
        if made.form in SPOILT:
            graded: list[bool | None] = [None] * len(made.parts)
            graded[written.ask] = False if made.is_spoilt else None
        elif made.form is Form.OTHER_UNIT and not made.has_facts:
            return  # any unit of the document would do
        else:
            graded = grades_of_asks(given.question, made.content, len(made.parts), made.right)
        for place, (part, right) in enumerate(zip(made.parts, graded, strict=True)):
            if right is None or part.is_settled:
                continue
            for finding in part.findings:
                yield AskExample(made.question, made.form, finding, right)
                if right and made.form is Form.INTACT and finding.treatment is Treatment.UNITS:
                    silence = silence_to(given.state["units"][place])
                    yield AskExample(made.question, Form.DROPPED, silence, right=False)

    def _quoted(self, question: EvaluationQuestion, hits: Sequence[Hit]) -> EvaluationInquiry:
        """The answer to a question from documents as if they had no units."""
        asked = question.question
        part = ExtractivePart(domain=question.domain, label=question.domain, question=asked)
        documents = tuple(each.model_copy(update={"has_units": False}) for each in extractive_documents(hits))
        answer = "".join(self._writer.write(ExtractiveTask(question=asked, parts=(part,), documents=documents)))
        return EvaluationInquiry(
            [AskedPart(asked)],
            answer,
            [EvaluatedDocument(hit.chunk, hit.relevance) for hit in hits],
            retrieval_passed=True,
            grounding=self._checker.check(answer, grounding_sources(hits), asked),
        )

    def _text_finding(self, question: EvaluationQuestion, inquiry: EvaluationInquiry) -> AskFinding:
        report = inquiry.grounding
        return self.engine.parts.evaluator.text_finding(
            question.question, inquiry, report.sentences, report.cited_sources
        )


def collect_answers(data_dir: Path, files: QuestionFiles) -> tuple[list[AnswerExample], AnswerJudge]:
    """The answers to question files with the index of a data directory, and the judge that is in effect there."""

    async def collect() -> tuple[list[AnswerExample], AnswerJudge]:
        maker = ExampleMaker(data_dir)
        try:
            return await maker.answers(files), maker.engine.learned.judge
        finally:
            await maker.engine.aclose()

    return asyncio.run(collect())


def collect_judge_examples(data_dir: Path, files: QuestionFiles) -> JudgeExamples:
    """The answers to question files, and to the training questions from documents as if they had no units."""

    async def collect() -> JudgeExamples:
        maker = ExampleMaker(data_dir)
        try:
            answers = await maker.answers(files)
            return JudgeExamples(answers, await maker.of_documents(training_questions()), maker.learned_with)
        finally:
            await maker.engine.aclose()

    return asyncio.run(collect())
