"""Making a follow-up question stand alone: what it leaves out is taken from the last turns of the conversation.

"그럼 다섯 명이 안 되면 달라지나요?" after a question on dismissal becomes "해고 관련해서 다섯 명이 안 되면 달라지나요?". A question that
names its own subject is left as it is, so that a change of subject does not drag the old one along.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from utils.korean.keyword_matcher import normalise
from utils.protocols import Morpheme
from utils.routing.domain_pack import Tier
from utils.routing.evidence import ClauseEvidence, EvidenceReader, QuestionEvidence
from utils.routing.replaced_fact import with_replaced_fact

HISTORY_TURNS = 3  # exchanges of a user's and an assistant's message
LONGEST_TURN = 2_000
"""Characters of a turn before that are read: as many as a question may have."""

_MAX_TOPICS = 3
_LONGEST_REPEATED = 400  # characters of a question that is asked again of another case
# 안 하면요?, 아예 안 끊으면 어떻게 돼요?: a condition of the subject before, of which the consequence is asked.
_CONDITION_ALONE = re.compile(
    r"(?:(?:그럼|그러면|근데|그런데|만약에?|만일|혹시)[,\s]\s?){0,2}"
    r"(?P<condition>(?:아예\s|계속\s|제때\s|중간에\s)?(?:(?:안|못)\s?)?[가-힣]{1,5}면)"
    r"(?:요|은요)?(?:\s(?:어떻게|어찌|무슨\s일이)\s?(?:되나요|돼요|되죠|되는데요|되는\s?거예요|됩니까|생기나요))?\s?[?.!~]{0,3}"
)
_SHORT_QUESTION = 30  # characters; a longer one without a subject is more likely a new story than an ellipsis
_LEFT_OUT = re.compile(r"(?:안|못)\s?하")
_FILING = re.compile(r"(?<!세)(?<!세\s)(?:등록|신고|허가)$")  # what is said of tax returns is 가산세
_CONTINUATIONS = frozenset(
    "그럼 그러면 그렇다면 그런데 근데 그리고 그래도 그래서 또 또한 혹시 아니면 만약 만일".split()
)
_PRONOUNS = frozenset("그거 그것 이거 이것 저거 저것 거기 여기 그때 이때 그쪽 그곳".split())
_DEMONSTRATIVES = frozenset({"그", "이", "저", "그런", "이런", "그러한", "이러한", "해당", "위"})
_PREDICATES = ("VV", "VA", "VX", "XSV", "XSA", "VCP", "VCN")
_FUNCTION_TAGS = ("J", "E", "SF", "SP", "SS", "SE", "SO")  # particles, endings, punctuation
_NOUNS = ("NNG", "NNP", "SL", "XR")
# Words that ask about some side of a subject and are no subject themselves.
_ASPECTS = frozenset(
    "위반 위반시 처벌 벌칙 벌금 과태료 의무 책임 불이익 절차 서류 기한 기간 비용 방법 조건 요건 예외 대상 신고 신청 금액 지급 계산 기준 규정 제한 금지 법 법적 법적으로 "
    "법률 효력 제재 신고기한 신고기간 납부 납부기한 등록절차 허가 인증 혜택 지원 지원대상 신청자격 공제 환급 대응 청구 보상 동의 등록 적용대상 보호 "
    "서식 양식 준비물 수수료 세율 한도 요율 효력 자격 날짜 순서 장소 기관 얼마 최대 최소".split()
)
# A subject where nothing else is asked about, else a side of it.
_GENERIC = frozenset("지원금 보조금 장려금 가산세 환급금 수당 계약서 신고서".split())


class Message(Protocol):
    """A message of a conversation."""

    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...


@dataclass(frozen=True, slots=True)
class _Turn:
    """A message of the conversation, a user's as it reads without the ones before it."""

    role: str
    content: str


def told_by_user(history: Sequence[Message]) -> tuple[str, ...]:
    """Return the user's texts of the last `HISTORY_TURNS` exchanges, the earliest first, each cut to `LONGEST_TURN` characters.

    A request may bring turns of the user alone, so there are as many texts as exchanges at most.
    """
    said = [message.content for message in history[-2 * HISTORY_TURNS :] if message.role == "user"]
    return tuple(text[:LONGEST_TURN] for text in said[-HISTORY_TURNS:])


def resolve_follow_up(question: str, history: Sequence[Message], reader: EvidenceReader) -> str:
    """``question`` itself when it stands alone or the last turns name no subject, else a rewrite that names it.

    A question that names nothing but a fact is the one before, asked of another case; see `utils.routing.replaced_fact`.
    Only the last `HISTORY_TURNS` exchanges are looked at.
    """
    recent = [message for message in history if message.content.strip()][-2 * HISTORY_TURNS :]
    if not question.strip():
        return question
    turns: list[_Turn] = []
    for message in recent:
        content = message.content[:LONGEST_TURN]
        turns.append(_Turn(message.role, _resolved(content, turns, reader) if message.role == "user" else content))
    return _resolved(question, turns, reader)


def _resolved(question: str, turns: Sequence[_Turn], reader: EvidenceReader) -> str:
    if not turns:
        return question
    evidence = reader.read(question)
    if evidence.stock_phrase is not None:
        return question
    topics = _topics(turns, reader)
    if (again := _asked_again(question, turns, reader)) is not None:
        named = any(normalise(topic) in normalise(again) for topic in topics)
        return again if named or not topics else f"{topics[0]} 관련해서 {again}"
    if not _depends(evidence):
        return question
    topics = [topic for topic in topics if topic not in question]
    if not topics:
        return question
    if (failure := _CONDITION_ALONE.fullmatch(question.strip())) is not None:
        asked = "어떤 불이익이 있나요?" if _is_filing_left_out(topics, failure["condition"]) else "어떻게 되나요?"
        return f"{' '.join(topics)} {failure['condition']} {asked}"
    return _with_topics(evidence, topics)


def _is_filing_left_out(topics: Sequence[str], condition: str) -> bool:
    """The condition is that a registration is not made, of which 어떻게 alone would ask the way to make it."""
    return _LEFT_OUT.match(condition) is not None and any(_FILING.search(topic) for topic in topics)


def _asked_again(question: str, turns: Sequence[_Turn], reader: EvidenceReader) -> str | None:
    """The latest question of the user, asked of the case that ``question`` names; None where it names none."""
    for turn in reversed(turns):
        if turn.role != "user":
            continue
        evidence = reader.read(turn.content)
        if evidence.stock_phrase is not None:
            continue
        asking = [clause.segment.sentence for clause in evidence.clauses if clause.segment.asks]
        if not asking or not _is_of_business(evidence) or len(turn.content) > _LONGEST_REPEATED:
            return None
        asks_at = min(clause.segment.start for clause in evidence.clauses if clause.segment.sentence == asking[0])
        return with_replaced_fact(question, turn.content, asks_at)
    return None


def _topics(recent: Sequence[_Turn], reader: EvidenceReader) -> list[str]:
    """The subjects of the latest user message that has any; the reply to it names them where the user did not."""
    for position in range(len(recent) - 1, -1, -1):
        if recent[position].role != "user":
            continue
        evidence = reader.read(recent[position].content)
        found = _subjects(evidence)
        if found:
            return found[:_MAX_TOPICS]
        replies = [message.content for message in recent[position + 1 : position + 2] if message.role != "user"]
        if replies and _has_subject(evidence):
            return _frequent_subjects(reader.read(replies[0]))
    return []


def _depends(evidence: QuestionEvidence) -> bool:
    """Return whether the question refers back, or names no subject of its own and is too short to be a story."""
    morphemes = evidence.morphemes
    if _refers_back(morphemes):
        return True
    continues = bool(morphemes) and morphemes[0].form in _CONTINUATIONS
    has_predicate = any(m.tag.startswith(_PREDICATES) for m in morphemes)
    has_subject = _has_subject(evidence) and not _GENERIC.issuperset(_subjects(evidence) or ("",))
    if has_subject:
        return continues and not has_predicate
    if any(clause.words.cues for clause in evidence.clauses):
        return False
    if continues:
        return True
    unknown = _unknown_subjects(evidence)
    return len(evidence.text) <= _SHORT_QUESTION and (not unknown or (unknown == 1 and not has_predicate))


def _unknown_subjects(evidence: QuestionEvidence) -> int:
    """Return the number of nouns that could be a subject unknown to the service: no verbal nouns, aspects or words of business."""
    known = {word for clause in evidence.clauses for word, _, _ in clause.words.keywords}
    morphemes = evidence.morphemes
    verbal = {n for n, m in enumerate(morphemes[1:]) if m.tag in ("XSV", "XSA")}
    return sum(
        m.tag in _NOUNS
        and n not in verbal
        and m.form not in _ASPECTS
        and not any(word.startswith(m.form) for word in known)
        for n, m in enumerate(morphemes)
    )


def _refers_back(morphemes: Sequence[Morpheme]) -> bool:
    for number, morpheme in enumerate(morphemes):
        if morpheme.tag in ("NP", "MAG", "NNG") and morpheme.form in _PRONOUNS:
            return True
        following = morphemes[number + 1] if number + 1 < len(morphemes) else None
        demonstrative = morpheme.tag in ("MM", "NP") and morpheme.form in _DEMONSTRATIVES
        if demonstrative and following is not None and following.tag.startswith("N"):
            return True
    return False


def _has_subject(evidence: QuestionEvidence) -> bool:
    return bool(_subjects(evidence)) or any(clause.words.rules for clause in evidence.clauses)


def _is_of_business(evidence: QuestionEvidence) -> bool:
    return any(clause.words.keywords or clause.words.rules for clause in evidence.clauses)


def _subjects(evidence: QuestionEvidence) -> list[str]:
    """Core keywords that are nouns, those asked about first, bare aspects left out."""
    nouns = list(dict.fromkeys(_core_nouns(sorted(evidence.clauses, key=lambda clause: not clause.segment.asks))))
    return [noun for noun in nouns if noun not in _GENERIC] or nouns


def _frequent_subjects(evidence: QuestionEvidence) -> list[str]:
    return [word for word, _ in Counter(_core_nouns(evidence.clauses)).most_common(1)]


def _core_nouns(clauses: Iterable[ClauseEvidence]) -> list[str]:
    return [
        word
        for clause in clauses
        for word, _, tier in clause.words.keywords
        if tier is Tier.CORE and not word.endswith("다") and normalise(word) not in _ASPECTS
    ]


def _with_topics(evidence: QuestionEvidence, topics: Sequence[str]) -> str:
    """The question with a leading connective or pronoun replaced by the topics; kept where nothing else is said (그건요?)."""
    text, morphemes = evidence.text, evidence.morphemes
    skip = 1 if morphemes[0].form in _CONTINUATIONS and morphemes[0].tag.startswith(("MA", "IC")) else 0
    while skip < len(morphemes) and morphemes[skip].tag == "SP":
        skip += 1
    if skip < len(morphemes) and morphemes[skip].form in _PRONOUNS:
        skip += 1
        while skip < len(morphemes) and morphemes[skip].tag.startswith("J"):
            skip += 1
    says_more = any(not morpheme.tag.startswith(_FUNCTION_TAGS) for morpheme in morphemes[skip:])
    rest = text[morphemes[skip].start :].strip() if says_more else text
    return f"{', '.join(topics)} 관련해서 {rest}"
