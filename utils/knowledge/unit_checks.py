"""Rules that a base of answer units keeps beyond its form: phrasings enough and unique, whole sentences, references, dates."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import get_args

from utils.documents import DocumentType, is_web_address
from utils.knowledge.references import references_of
from utils.knowledge.unit_parser import Fault
from utils.knowledge.units import AnswerUnit, UnitDocument, UnitSentence
from utils.korean.sentence_spans import split_sentences

FEWEST_ASKS = 6
_BLANK = re.compile(r"\s")
_NOT_COMPARED = re.compile(r"[\W_]+")
_WHOLE_SENTENCE = re.compile(r"[^()]*(?:\([^()]*\)[^()]*)*니다(?:\([^()]*\))*\.")
_ADDRESS = re.compile(r"(?<![A-Za-z])[A-Za-z]+://[^\s()<>]+")


def document_faults(document: UnitDocument) -> Iterator[Fault]:
    """Yield what is to be corrected in one document that has been read without faults of its form, or with."""
    if _BLANK.search(document.id):
        yield Fault(1, f"id에 빈칸이 있습니다: {document.id}")
    if document.type not in get_args(DocumentType):
        yield Fault(1, f"알 수 없는 type입니다: {document.type} (가능한 값: {', '.join(get_args(DocumentType))})")
    if not is_web_address(document.source_url):
        yield Fault(1, f"source_url은 http:// 또는 https:// 주소여야 합니다: {document.source_url}")
    if document.effective_date > document.collected_at:
        yield Fault(
            1, f"effective_date({document.effective_date})가 collected_at({document.collected_at})보다 뒤입니다"
        )
    for unit in document.units:
        yield from _unit_faults(unit)


def _unit_faults(unit: AnswerUnit) -> Iterator[Fault]:
    if len(unit.asks) < FEWEST_ASKS:
        yield Fault(unit.line, f"묻는 말이 {len(unit.asks)}개입니다 ({FEWEST_ASKS}개 이상이어야 합니다): {unit.name}")
    if unit.review_by is not None:
        if unit.valid_until is not None and unit.review_by > unit.valid_until:
            yield Fault(unit.line, f"검토({unit.review_by})가 유효가 끝나는 날({unit.valid_until})보다 뒤입니다")
        if unit.valid_from is not None and unit.review_by < unit.valid_from:
            yield Fault(unit.line, f"검토({unit.review_by})가 유효가 시작하는 날({unit.valid_from})보다 앞섭니다")
    for sentence in unit.sentences:
        yield from _sentence_faults(sentence)


def _sentence_faults(sentence: UnitSentence) -> Iterator[Fault]:
    text = sentence.text
    if len(split_sentences(text)) != 1:
        yield Fault(sentence.line, f"한 줄에는 한 문장만 씁니다: {text}")
    elif not _WHOLE_SENTENCE.fullmatch(text):
        yield Fault(sentence.line, f"'…니다.' 또는 '…니다(법령 제N조).'로 끝나는 완전한 문장이어야 합니다: {text}")
    for part in references_of([text]).malformed:
        yield Fault(sentence.line, f"근거 조문은 '(법령의 온전한 이름 제N조, …)'처럼 씁니다: ({part})")
    for address in _ADDRESS.findall(text):
        if not is_web_address(address):
            yield Fault(sentence.line, f"http:// 또는 https:// 주소여야 합니다: {address}")


class BaseRegister:
    """Ids, phrasings and sentences of a whole base, each of which may stand there only once."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self._asks: dict[str, str] = {}
        self._sentences: dict[str, str] = {}

    def add(self, path: str, document: UnitDocument) -> Iterator[Fault]:
        """Enter a document and yield what another one, or itself before, has already."""
        if place := _entered(self._ids, document.id, path):
            yield Fault(1, f"id가 다른 문서와 겹칩니다: {document.id} ({place})")
        for unit in document.units:
            for ask in unit.asks:
                if place := _entered(self._asks, compared(ask.text), f"{path}:{ask.line}"):
                    yield Fault(ask.line, f"같은 묻는 말이 또 있습니다: {ask.text} ({place})")
            for sentence in unit.sentences:
                if place := _entered(self._sentences, compared(sentence.text), f"{path}:{sentence.line}"):
                    yield Fault(sentence.line, f"같은 문장이 또 있습니다: {sentence.text} ({place})")


def compared(text: str) -> str:
    """``text`` as phrasings are compared: without blanks, punctuation and case."""
    return _NOT_COMPARED.sub("", unicodedata.normalize("NFKC", text)).casefold()


def _entered(known: dict[str, str], key: str, place: str) -> str | None:
    """Enter a key; returns the place that has it already."""
    before = known.setdefault(key, place)
    return None if before == place else before
