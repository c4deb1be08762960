"""Fixed sentences that users read."""

from __future__ import annotations

import re
from collections.abc import Sequence

NOT_FOUND = "제공된 문서에서 질문하신 내용을 확인할 수 없습니다."
EMPTY_FEEDBACK = "답변에 내용이 없습니다."
NOT_FOUND_HINT = "질문을 조금 더 구체적으로 적어 주시거나 관할 기관에 확인해 주세요."
YES, NO = "네, ", "아니요, "
_NOT_FOUND_PART = "‘{asked}’에 대한 답은 제공된 문서에서 확인할 수 없습니다."
NEAREST = "가장 가까운 내용은 다음과 같습니다."
_NOT_QUITE = "질문하신 내용에 꼭 맞는 답은 제공된 문서에서 확인할 수 없습니다."
_NOT_QUITE_PART = "‘{asked}’에 꼭 맞는 답은 제공된 문서에서 확인할 수 없습니다."
_NOT_CONFIRMED = "말씀하신 {claims}에 대해서는 제공된 문서에서 확인할 수 없습니다."
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
# The ways in which a model may write it, too.
_SAYS_NOT_FOUND = re.compile(
    r"문서(?:(?!문서)\S)*(?:\s(?:(?!문서)\S)+){0,12}?\s?(?:확인할 수 없|확인되지 않|찾을 수 없|나와 있지 않|포함되어 있지 않|(?:내용|정보|답)[이은]? 없습니다)"
    r"|문서에 없습니다"
)

_CRITERION_FEEDBACK = {
    "retrieval_quality": "질문과 관련이 높은 문서를 찾지 못했습니다.",
    "accuracy": "출처가 표시되지 않았거나 출처와 다른 사실이 있습니다.",
    "completeness": "질문에서 물은 것 가운데 답하지 않은 부분이 있습니다.",
    "relevance": "질문과 관계없는 내용이 섞여 있습니다.",
    "citation": "출처 번호가 없는 문장이 있습니다.",
}

_UNINTELLIGIBLE = (
    "질문을 이해하지 못했습니다. 궁금한 점을 한 문장으로 다시 적어 주세요. "
    "예: “직원이 그만두면 퇴직금은 며칠 안에 줘야 하나요?”"
)
_NOT_FOR_US = "이 질문은 제가 다루는 분야가 아닙니다."

_ENGLISH_LEAD = "Answered from Korean documents; the text below is in Korean.\n\n"
_ENGLISH_NOT_FOUND = "The Korean documents do not answer this question; the text below says so in Korean.\n\n"
_ENGLISH_FIXED = {
    "chitchat": "Hello! I answer questions about tax, labour, law and start-up support in Korea from Korean documents.",
    "identity": "I am a program, not a person. I answer questions about tax, labour, law and start-up support in Korea from Korean documents.",
    "thanks": "You are welcome! Ask on if there is anything else about your business in Korea.",
    "complaint": "I am sorry that the answer did not help. Please ask again with a little more about your case.",
}
_ENGLISH_UNKNOWN = (
    "I could not tell what this asks about tax, labour, law or start-up support for a business in Korea. "
    "Please ask in Korean, or in simple English words such as “When do I have to file VAT?”"
)


def direct_response(kind: str, response: str, *, in_english: bool = False) -> str:
    """Return the answer to a question that needs no documents; ``response`` is that of the domain data, if they have one.

    One who asks in English gets an English line before it.
    """
    korean = _UNINTELLIGIBLE if kind == "unintelligible" else response or _NOT_FOR_US
    return f"{_ENGLISH_FIXED.get(kind, _ENGLISH_UNKNOWN)}\n\n{korean}" if in_english else korean


def english_lead(text: str) -> str:
    """The English line before an answer in Korean that begins with ``text``."""
    return _ENGLISH_NOT_FOUND if says_not_found(text) else _ENGLISH_LEAD


def without_english_lead(text: str) -> str:
    """``text`` without the English line that leads it."""
    return text.removeprefix(_ENGLISH_LEAD).removeprefix(_ENGLISH_NOT_FOUND)


def which_statute(articles: Sequence[str]) -> str:
    """The question back to one who cites articles and no statute."""
    cited = ", ".join(articles)
    return f"어느 법의 {cited}인지 알려 주세요. 법 이름과 함께 “부가가치세법 {articles[0]}”처럼 적어 주시면 그 조문을 찾아 드립니다."


def not_found(question: str | None = None) -> str:
    """The sentence that says that the documents do not answer, or do not answer one ``question`` of several.

    The question is named by its last sentence: those before it tell the circumstances.
    """
    if not question:
        return NOT_FOUND
    return _NOT_FOUND_PART.format(asked=_last_sentence(question))


def nearest_follows(question: str | None = None) -> str:
    """The sentences before the nearest there is to a question, or to one ``question`` of several: that it is not quite what was asked."""
    lead = _NOT_QUITE_PART.format(asked=_last_sentence(question)) if question else _NOT_QUITE
    return f"{lead} {NEAREST}"


def _last_sentence(question: str) -> str:
    return _SENTENCE_END.split(question.strip())[-1].rstrip(" .?!")


def without_verdict(text: str) -> str:
    """``text`` without the yes or no that leads it."""
    return text.removeprefix(YES) if text.startswith(YES) else text.removeprefix(NO)


def not_confirmed(claims: Sequence[str]) -> str:
    """The sentence that says that the documents do not hold these figures, which the user named."""
    return _NOT_CONFIRMED.format(claims=", ".join(claims))


def says_not_found(text: str) -> bool:
    """Return True if ``text`` says somewhere that the documents do not answer the question."""
    return bool(_SAYS_NOT_FOUND.search(text))


def evaluation_feedback(passed: bool, weakest: str) -> str:
    """Return a sentence about an answer: that it passed, or the fault that its weakest criterion found."""
    return "모든 문장이 출처로 확인되었고 질문에 답하고 있습니다." if passed else _CRITERION_FEEDBACK[weakest]


def unsupported_feedback(claims: Sequence[str]) -> str:
    """That the sources do not hold these figures or citations."""
    return f"출처에서 확인되지 않는 내용이 있습니다: {', '.join(claims)}"


def unanswered_feedback(asked: str) -> str:
    """That something asked is not answered."""
    return f"물으신 것에 답하지 못했습니다: {_SENTENCE_END.split(asked.strip())[-1]}"


def refusal_feedback(held: bool) -> str:
    """Of an answer that says the documents are silent: whether they are."""
    return (
        "문서에 답이 있는데도 확인할 수 없다고 답했습니다."
        if held
        else "문서에서 답을 찾을 수 없어 그 사실을 밝혔습니다."
    )
