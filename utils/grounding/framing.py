"""Which sentences of an answer state nothing that a source would have to hold: framing, questions, greetings, next steps."""

from __future__ import annotations

import re

from utils.prompts.messages import says_not_found

_HEADING = re.compile(r"#{1,6}\s.*|\*\*[^*]+\*\*:?|.*[:：]", re.DOTALL)
_QUESTION = re.compile(r".*\?[\"'”’)\]*]*", re.DOTALL)
_GREETING = re.compile(
    r"안녕하세요|반갑습니다|감사합니다|고맙습니다|도움이\s?(?:되|됐|될)|(?:성공|번창|행복)[^.]{0,20}(?:바랍|기원|응원)|응원(?:합|하|드)|축하(?:합|드)|죄송합니다|유감입니다"
)
_LEAD_IN = re.compile(
    r"(?:다음|아래|이하|순서|위)[^.]{0,40}(?:같습니다|살펴|보겠|봅시다|있습니다)[^가-힣]*$"
    r"|(?:설명|안내|정리|말씀|답변|소개|요약|답|알려)(?:해|을|를)?\s?(?:드리겠|드립니다|드릴게|하겠|합니다|했습니다|해 보)|살펴보(?:겠|면)[^.]{0,20}$"
    r"|(?:정리|요약|결론)(?:하면|하자면|부터)[^.]{0,20}(?:같습니다)"
)
_RETOLD = re.compile(
    r"(?:문의|질문|말씀|언급|궁금해?)\s?(?:하셨|하신|해\s?주셨|주셨)(?:습니다|네요|군요|는데요|어요)|(?:관한|대한) (?:질문|문의)(?:이시|입니다|이네|이군|시네)|궁금하시군요|고민이시"
)
# A request to do something that the answer leads to: ask, look up, prepare. A duty (신고하세요) is a statement.
_NEXT_STEP = re.compile(
    r"(?:확인|문의|상담|참고|참조|말씀|질문|검토|연락|방문|도움|자문|의뢰|요청|이용|활용|추천|권장|살펴|알려|적어|남겨|입력|선택|클릭|준비|점검|대조|검색|다시|읽어|물어)"
    r"[가-힣\s]{0,12}?(?:하세요|하십시오|하시길|해\s?보세요|해\s?주세요|해\s?주십시오|보세요|보시길|보시기|주세요|주십시오|주시면|바랍니다|받으세요|받으시길"
    r"|드립니다|권합니다|권장합니다|추천합니다|좋습니다|좋겠습니다|안전합니다|필요합니다|바람직합니다|드리겠습니다|하시면 됩니다|도와드리겠습니다)[^가-힣]*$"
)
_FORBIDS = re.compile(r"지\s?(?:마|말|않)|없(?:이|습|다|어)|안\s?(?:해|하|돼|됩)|불필요|면제|제외")
# A predicate at the end makes words a statement. 임대차계약서 in a list, or a cell of a table, is none.
_PREDICATE = re.compile(r"(?:다|(?<![개필중수주소])요|죠|까|[있없않같]음|[^포]함|됨|것임|불가)[\"'”’)\]*_.!。…\s|]*$")
_PROOF_OF_REFUSAL = re.compile(
    r"(?:문서|자료|출처|근거|정보)[^.]{0,40}(?:확인할 수 없|확인되지 않|찾을 수 없|나와 있지 않|포함되어 있지 않|(?<!수 )없습니다|(?:알|답할|판단할) 수 없습니다|부족합니다|담겨 있지 않)"
    r"|(?:답변|답|안내|판단)(?:을|를|해)?\s?(?:드릴|드리기|할|하기)\s?(?:수 없|어렵)"
)


def is_heading(text: str) -> bool:
    """Return True if ``text``, without its source marks, is a heading or ends in a colon."""
    return bool(_HEADING.fullmatch(text))


def is_question(text: str) -> bool:
    """Return True if ``text``, without its source marks, is a question."""
    return bool(_QUESTION.fullmatch(text))


def is_refusal(text: str) -> bool:
    """Return True if ``text`` says that the documents do not answer."""
    return says_not_found(text) or bool(_PROOF_OF_REFUSAL.search(text))


def states_nothing(text: str) -> bool:
    """Return True if ``text``, without its source marks, needs no source as long as it names no figure.

    Headings, questions, lead-ins, greetings, what the user said, admissions that the documents are silent, requests to
    ask or look up, and words without a predicate.
    """
    if is_heading(text) or is_question(text) or not _PREDICATE.search(text):
        return True
    if is_refusal(text) or _GREETING.search(text) or _LEAD_IN.search(text) or _RETOLD.search(text):
        return True
    return bool(_NEXT_STEP.search(text)) and not _FORBIDS.search(text)
