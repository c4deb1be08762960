"""Scores an answer by rule, by model where one is configured, and always checks it against its sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import AfterValidator, BaseModel, Field

from agents.answering.asked_parts import asked_parts
from agents.answering.asked_sources import verdicts_of
from agents.answering.prompt_builder import asks_of, notes_of, user_text_of
from agents.state import Answer, RouterState, RunContext
from chains.extractive.chat_model import MODEL_NAME
from chains.models.errors import ModelUnavailable
from chains.models.usage import ModelPurpose
from chains.rag_chain import RAGChain
from schemas.chat import Component, Degradation
from utils.config.settings import Settings
from utils.documents import Hit
from utils.grounding.answer_sentences import CITATION
from utils.grounding.check import AnswerChecker, GroundingReport, SentenceCheck, Verdict
from utils.grounding.rule_evaluator import AnswerEvaluation, EvaluatedDocument, EvaluationInquiry, RuleEvaluator, judge
from utils.grounding.sources import grounding_sources
from utils.prompts import evaluation as prompt
from utils.prompts.data import MAX_FEEDBACK, as_data
from utils.prompts.messages import english_lead, not_confirmed, not_found, says_not_found, without_english_lead
from utils.sanitizing.sanitize import printable

_WORD = re.compile(r"\w")


class EvaluationReply(BaseModel):
    """The model's scores, 0 to 20 each; see `utils.prompts.evaluation`."""

    retrieval_quality: float = Field(ge=0, le=20)
    accuracy: float = Field(ge=0, le=20)
    completeness: float = Field(ge=0, le=20)
    relevance: float = Field(ge=0, le=20)
    citation: float = Field(ge=0, le=20)
    feedback: Annotated[str, AfterValidator(lambda text: printable(text, MAX_FEEDBACK))] = ""


class EvaluatorAgent:
    """The evaluate stage."""

    def __init__(
        self,
        settings: Settings,
        chain: RAGChain,
        evaluator: RuleEvaluator,
        checker: AnswerChecker,
    ) -> None:
        self._settings = settings
        self._chain = chain
        self._evaluator = evaluator
        self._checker = checker

    async def evaluate(
        self, state: RouterState, answer: Answer, run: RunContext
    ) -> tuple[Answer, tuple[Degradation, ...]]:
        """The answer with its evaluation, and the failure if the model could not score it."""
        by_rule = await self._chain.in_pool(self._by_rule, state, answer)
        if not self._settings.enable_llm_evaluation or not self._chain.model.supports(ModelPurpose.EVALUATION):
            return replace(answer, evaluation=by_rule, is_final=self._is_final(state, answer, by_rule)), ()
        judged, degraded = await self.by_model(
            state["understanding"].question, answer.content, answer.documents, by_rule, run
        )
        return replace(answer, evaluation=judged), degraded

    async def by_model(
        self, question: str, content: str, documents: Sequence[Hit], by_rule: AnswerEvaluation, run: RunContext
    ) -> tuple[AnswerEvaluation, tuple[Degradation, ...]]:
        """Return the model's evaluation of an answer; that of the rules, and the failure, if it could not score it."""
        try:
            reply = await self._chain.model.complete_json(
                ModelPurpose.EVALUATION,
                self._messages(question, content, documents),
                EvaluationReply,
                run.deadline,
                run.usage,
            )
        except ModelUnavailable as error:
            return by_rule, (Degradation(component=Component.LLM, reason=f"evaluation: {error.reason}"),)
        scores = reply.model_dump(exclude={"feedback"}) | {
            # what the code has checked the model does not overrule
            criterion: min(getattr(reply, criterion), by_rule.scores[criterion])
            for criterion in ("accuracy", "citation")
        }
        return judge(scores, by_rule.grounding, self._settings.evaluation_threshold, reply.feedback), ()

    def without_unsupported(self, answer: Answer, state: RouterState) -> Answer:
        """The same answer if all its sentences hold; else without those that do not, re-checked.

        Where one had agreed with figures of the user's, the answer ends by saying that the documents do not hold them; an
        answer of which nothing is left says that the documents do not tell. Saying so rests on no source: such a sentence loses
        its marks.
        """
        evaluation = answer.evaluation
        if evaluation is None:
            return answer
        checks = evaluation.grounding.sentences
        bad = [check for check in checks if _is_unsupported(check)]
        marked = [check for check in checks if _cites_silence(check, answer)]
        if not bad and not marked:
            return answer
        content = answer.content
        for check in reversed(checks):
            if check in bad:
                content = content[: check.start].rstrip(" ") + content[check.end :]
            elif check in marked:
                bare = CITATION.sub("", content[check.start : check.end]).rstrip(" ")
                content = f"{content[: check.start]}{bare}{content[check.end :]}"
        agreed = tuple(dict.fromkeys(claim for check in bad for claim in check.agreed_claims))
        content = content.strip() if _WORD.search(without_english_lead(content)) else ""
        if agreed or not content:
            content = f"{content}\n\n{not_confirmed(agreed) if agreed else not_found()}".lstrip()
        if state["understanding"].from_english:
            content = english_lead(without_english_lead(content)) + without_english_lead(content)
        report = self._check(content, answer, state)
        return replace(answer, content=content, evaluation=replace(evaluation, grounding=report))

    def _by_rule(self, state: RouterState, answer: Answer) -> AnswerEvaluation:
        report = self._check(answer.content, answer, state)
        return self._evaluator.evaluate(
            EvaluationInquiry(
                parts=asked_parts(state, answer, report, self._evaluator.words),
                answer=answer.content,
                documents=[
                    EvaluatedDocument(hit.chunk, hit.relevance, "exact" in hit.found_by) for hit in answer.documents
                ],
                retrieval_passed=all(result.passed for result in state["retrieval_results"])
                and not state["articles"].missing,
                grounding=report,
            )
        )

    def _is_final(self, state: RouterState, answer: Answer, evaluation: AnswerEvaluation) -> bool:
        """Return True for an answer quoted from units: all units were compared already, in any domain and any wording.

        Documents without units may be found in another search: what quotes them, or says nothing beside them, is not final.
        """
        cited = [answer.documents[number - 1] for number in evaluation.grounding.cited_sources]
        quotes_units = answer.model == MODEL_NAME and bool(state.get("units", ()))
        return quotes_units and all(map(_has_units, cited or answer.documents))

    def _check(self, content: str, answer: Answer, state: RouterState) -> GroundingReport:
        verdicts = verdicts_of(asks_of(state, answer.documents))
        sources = grounding_sources(answer.documents)
        return self._checker.check(content, sources, user_text_of(state), notes_of(state), verdicts)

    def _messages(self, question: str, content: str, documents: Sequence[Hit]) -> list[SystemMessage | HumanMessage]:
        user = prompt.USER_TEMPLATE.format(
            question=as_data(question),
            context=self._chain.format_context(documents, self._settings.evaluator_context_length),
            answer=as_data(content),
        )
        return [SystemMessage(prompt.SYSTEM_PROMPT), HumanMessage(user)]


def _has_units(hit: Hit) -> bool:
    """A document with answer units, or a computed source that stands beside them."""
    return hit.chunk.has_units or "computed" in hit.found_by


def _is_unsupported(check: SentenceCheck) -> bool:
    """A sentence whose citation or figures no source holds; one that merely lacks its citation stays, marked."""
    return check.verdict is Verdict.UNSUPPORTED or bool(check.unsupported_claims)


def _cites_silence(check: SentenceCheck, answer: Answer) -> bool:
    """It says that the documents do not tell, in words that stand in none of the sources that it cites."""
    if not check.sources or check.claims:
        return False
    said = CITATION.sub("", answer.content[check.start : check.end]).strip()
    return says_not_found(said) and not any(said in answer.documents[n - 1].chunk.text for n in check.sources)
