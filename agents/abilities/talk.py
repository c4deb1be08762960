"""Everyday talk and other subjects: told apart from questions for the documents, and answered in place of a search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import pairwise
from typing import ClassVar

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field

from agents.abilities.base import Ability, AbilityTools
from agents.state import Answer, RouterState, RunContext
from chains.models.errors import ModelUnavailable
from chains.models.usage import ModelPurpose
from schemas.chat import Component, Degradation, Turn
from schemas.events import ReplaceEvent, TokenEvent
from utils.documents import on_one_line
from utils.domain_classifier import DomainClassificationResult
from utils.korean.sentence_spans import split_sentences
from utils.prompts.abilities import talk as prompt
from utils.prompts.abilities.images import LEAD, SEEN, UNSEEN
from utils.prompts.data import as_data
from utils.routing.domain_pack import DEFAULT_REJECTION, Tier
from utils.routing.evidence import QuestionEvidence

_TALK, _UNINTELLIGIBLE = "chitchat", "unintelligible"
_ASKED_BEFORE = re.compile(
    r"(?:이전|아까|방금|지난번|조금 전|전에|앞에서|처음|첫 ?번째|지금까지|마지막)[^.?!]{0,20}?"
    r"(?:물어|물었|물은|질문|뭐라고|말했|말한|얘기|이야기|대화)"
)
_ABOUT_IMAGE = re.compile(
    r"(?:이미지|사진|그림|스크린샷|캡처|화면)[^.?!]{0,20}(?:뭐|뭔|무엇|무슨|누구|어디|보이|보여|설명|묘사|나와|나오|적혀|쓰여|써|읽|내용|있)"
    r"|(?:what|who|where|describe|read|see)\b[^.?!]{0,40}\b(?:image|picture|photo|screenshot)",
    re.IGNORECASE,
)
_ASKED_FIRST = re.compile(r"처음|첫 ?번째")
_LETTERS_ALONE = re.compile(r"[ㄱ-ㅎㅏ-ㅣ\s\d\W]+")
_LATIN = re.compile(r"[A-Za-z]+")
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9]*[._/]\w+|(?<![a-z])[a-z]+[A-Z]\w*")
_VOWELS = frozenset("aeiouy")
_TOPIC_WORDS = 3
_UNREADABLE = "‘{text}’은(는) 뜻을 알 수 없는 글자입니다. "
_OTHER_SUBJECT = "말씀하신 내용은 {topic}에 관한 것으로 보입니다. "


class TalkParameters(BaseModel):
    """Parameters of the ability in a pack. ``history``: messages that everyday talk is answered from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    history: int = Field(4, ge=0, le=20)


class TalkAbility(Ability):
    """Answers everyday talk, also from the conversation and an image, and says of other subjects what can be asked instead."""

    name: ClassVar[str] = "talk"

    def __init__(self, tools: AbilityTools) -> None:
        super().__init__(tools)
        self.parameters = tools.parameters_as(TalkParameters)

    async def after_classify(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Decide the kind of a question that no model classified, and take over all that is not for the documents."""
        result = state["classification_result"]
        if result.method != "llm":
            kind = await self.tools.chain.in_pool(self._kind, state)
            result = self._result(kind, result)
        changes: RouterState = {"classification_result": result, "domains": result.domains}
        if not result.domains:
            return {**changes, "claimed_by": self.name}
        understanding = state["understanding"]
        asked = await self.tools.chain.in_pool(self._without_talk, understanding.question)
        return {**changes, "understanding": replace(understanding, question=asked)}

    def _without_talk(self, question: str) -> str:
        """The sentences of a question but for those that are everyday talk; all of them where nothing else is left."""
        sentences = [question[start:end] for start, end in split_sentences(question)]
        if len(sentences) < 2:
            return question
        read = self.tools.routing.classifier.reader.read
        kept = [sentence for sentence in sentences if kind_of(sentence, read(sentence)) != _TALK]
        return " ".join(kept) or question

    def _kind(self, state: RouterState) -> str:
        """The kind by rule. A question about its picture is talk; one about what it shows is read with the description."""
        read = self.tools.routing.classifier.reader.read
        typed = state["query"].partition(LEAD)[0]
        if state.get("image") and _ABOUT_IMAGE.search(typed):
            kind = kind_of(typed, read(typed))
            return kind if kind == "consult" else _TALK
        return kind_of(state["query"], read(state["understanding"].question))

    def _result(self, kind: str, before: DomainClassificationResult) -> DomainClassificationResult:
        main = self.tools.routing.packs.keys()[0]
        if kind == "consult":
            return DomainClassificationResult((main,), before.confidence, True, before.method, before.matched_keywords)
        return DomainClassificationResult((), before.confidence, False, before.method, kind=kind)

    async def answer(self, state: RouterState, runtime: Runtime[RunContext]) -> RouterState:
        """Answer without documents: from the conversation, or with what the pack says to talk and to other subjects."""
        kind = state["classification_result"].kind
        content = await self.tools.chain.in_pool(self._by_rule, state, kind)
        model, degraded = "rule", tuple[Degradation, ...]()
        if kind != _UNINTELLIGIBLE and self.tools.model.supports(ModelPurpose.TALK):
            content, model, degraded = await self._written(state, kind, content, runtime)
        else:
            runtime.stream_writer(TokenEvent(content=content))
        return {
            "answer": Answer(content, (), (), model, is_final=True),
            "degraded": degraded,
            "actions": (),
            "sub_queries": (),
            "retry_count": 0,
        }

    async def _written(
        self, state: RouterState, kind: str, by_rule: str, runtime: Runtime[RunContext]
    ) -> tuple[str, str, tuple[Degradation, ...]]:
        """The answer of the small model, streamed; what the rules say where it fails, and that it failed."""
        run, pieces = runtime.context, list[str]()
        messages = await self.tools.chain.in_pool(self._messages, state, kind)
        try:
            async with aclosing(self.tools.model.stream(ModelPurpose.TALK, messages, run.deadline, run.usage)) as texts:
                async for text in texts:
                    runtime.stream_writer(TokenEvent(content=text))
                    pieces.append(text)
        except ModelUnavailable as error:
            failed = Degradation(component=Component.LLM, reason=f"talk: {error.reason}")
            replaced = ReplaceEvent(reason="degraded", content=by_rule, sources=[])
            runtime.stream_writer(replaced if pieces else TokenEvent(content=by_rule))
            return by_rule, "rule", (failed,)
        return "".join(pieces).strip(), self.tools.model.name, ()

    def _messages(self, state: RouterState, kind: str) -> list[BaseMessage]:
        packs = self.tools.routing.packs
        main = packs.domains[0]
        template = prompt.TALK_PROMPT if kind == _TALK else prompt.REFUSAL_PROMPT
        turns = state["history"][-self.parameters.history :] if self.parameters.history else ()
        user = prompt.USER_TEMPLATE.format(
            history="\n".join(f"- {turn.role}: {on_one_line(as_data(turn.content))}" for turn in turns),
            image=as_data(state.get("seen", "")),
            question=as_data(state["query"].partition(LEAD)[0]),
        )
        return [SystemMessage(template.format(label=main.label, scope=main.description)), HumanMessage(user)]

    def _by_rule(self, state: RouterState, kind: str) -> str:
        response = self.tools.routing.packs.response_to(kind)
        if kind == _TALK:
            typed = state["query"].partition(LEAD)[0]
            turns = state["history"][-self.parameters.history :] if self.parameters.history else ()
            return asked_before(typed, turns) or _of_image(state, typed) or response
        other = self.tools.routing.packs.response_to(DEFAULT_REJECTION)
        if kind == _UNINTELLIGIBLE:
            return _UNREADABLE.format(text=state["query"][:20]) + other
        topic = self._topic(state["query"].partition(LEAD)[0])
        return (_OTHER_SUBJECT.format(topic=topic) if topic else "") + other

    def _topic(self, question: str) -> str:
        """The nouns of a question that name its subject, as one says them."""
        nouns = [m.form for m in self.tools.analyzer.morphemes(question) if m.tag in ("NNG", "NNP", "SL")]
        return ", ".join(list(dict.fromkeys(noun for noun in nouns if len(noun) > 1))[:_TOPIC_WORDS])


def _of_image(state: RouterState, typed: str) -> str:
    """Return the description of the picture that a question is about; nothing where it is about none."""
    if not state.get("image") or not _ABOUT_IMAGE.search(typed):
        return ""
    return SEEN.format(seen=state["seen"]) if state.get("seen") else UNSEEN


def kind_of(text: str, evidence: QuestionEvidence) -> str:
    """Return ``consult``, ``chitchat``, ``out_of_scope`` or ``unintelligible``.

    A sure word of the documents makes a question one for them, whatever talk stands beside it; a word of another subject outweighs talk.
    """
    if is_unreadable(text):
        return _UNINTELLIGIBLE
    found = [words for clause in evidence.clauses for words in clause.words.keywords]
    cued = {kind for clause in evidence.clauses for _, kind in clause.words.cues}
    sure = sum(tier is Tier.CORE for _, _, tier in found)
    if _IDENTIFIER.search(text) or (sure and (DEFAULT_REJECTION not in cued or sure > 1)):
        return "consult"
    if DEFAULT_REJECTION in cued:
        return DEFAULT_REJECTION
    if evidence.stock_phrase is not None or _TALK in cued or _ASKED_BEFORE.search(text):
        return _TALK
    if found:
        return "consult"
    weighed = dict(evidence.rejected)
    return max(weighed, key=weighed.__getitem__, default=DEFAULT_REJECTION)


def is_unreadable(text: str) -> bool:
    """Return True for letters without meaning: Hangul letters that make no syllable, or rows of keys."""
    bare = text.strip()
    if _LETTERS_ALONE.fullmatch(bare):
        return not set(bare) <= set("ㅋㅎㅠㅜㅇㄴ!?~. ^;-_ㄱㄷㅅ") or len(set(bare) - set(" .!?~")) > 2
    words = _LATIN.findall(bare)
    if not words or re.search(r"[가-힣]", bare):
        return False
    return all(_is_row_of_keys(word.lower()) for word in words)


def _is_row_of_keys(word: str) -> bool:
    """No word of English, as far as its letters tell: keys that lie side by side, or a run without vowels."""
    rows = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    beside = sum(any(pair in row or pair[::-1] in row for row in rows) for pair in map("".join, pairwise(word)))
    return len(word) > 3 and (beside >= len(word) - 2 or not _VOWELS & set(word))


def asked_before(question: str, history: Sequence[Turn]) -> str:
    """Return what the user asked before, where the question is about that; else nothing."""
    if not _ASKED_BEFORE.search(question):
        return ""
    asked = [turn.content for turn in history if turn.role == "user"]
    if not asked:
        return "아직 물어보신 것이 없습니다. 궁금한 것을 물어보세요."
    if _ASKED_FIRST.search(question):
        asked = asked[:1]
    return "\n".join(("이전에 이렇게 물어보셨습니다.", *(f"- {text}" for text in asked)))
