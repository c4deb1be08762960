"""Questions on a single notice are answered from its own lines."""

from __future__ import annotations

from dataclasses import replace

from schemas.funding.notices import NoticeStatus
from tests.support.notice_files import DAY, sample_records
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.notices.catalogue import read_notices
from vectorstores.notices.pack import NoticeData
from vectorstores.notices.passages import NoticeText, expanded, facts_of, readable_line
from vectorstores.notices.store import StoredNotice
from vectorstores.tokenizer import KiwiTokenizer

DATA = NoticeData.load()


def text_of(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, body: str | None = None) -> NoticeText:
    record = sample_records()[0] if body is None else replace(sample_records()[0], body=body)
    pack = DATA.packs["support"]
    stored = StoredNotice(record, "", (), ())
    [notice] = read_notices([stored], pack, DATA.regions["support"], tokenizer)
    facts = facts_of(notice, NoticeStatus.OPEN, pack, DAY)
    return NoticeText(facts, f"{record.summary}\n{record.body}", tokenizer, embedder)


def first(text: NoticeText, question: str) -> str:
    found = text.search(question, expanded(question, DATA.words.synonyms, DATA.words.outranks))
    return found[0].passage.text


def test_words_of_notices_for_the_words_of_people() -> None:
    asked = expanded("신청기간이 언제인가요?", DATA.words.synonyms, DATA.words.outranks)
    assert {"접수기간", "청약기간", "모집기간"} <= set(asked)
    contact = expanded("어디에 문의해요?", DATA.words.synonyms, DATA.words.outranks)
    assert "문의처" in contact
    assert "접수처" not in contact, "where to ask is not where to apply"


def test_the_line_that_answers_comes_first(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> None:
    text = text_of(tokenizer, embedder)
    assert "2026-11-27" in first(text, "접수 언제까지야?")
    assert "사업계획서" in first(text, "제출 서류 뭐야")
    assert "02-000-1101" in first(text, "어디에 문의해?")
    assert "70점" in first(text, "평가는 어떻게 해")
    assert len(text.search("지원 사업 신청", ("지원대상",))) <= 10


def test_a_long_and_an_empty_notice(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder) -> None:
    long = text_of(tokenizer, embedder, "가나다 " * 15_000)
    assert max(len(passage.text) for passage in long.passages) <= 420
    assert len(long.passages) <= 400
    empty = NoticeText([], "", tokenizer, embedder)
    assert empty.search("신청기간") == []


def test_a_quote_is_one_readable_line() -> None:
    assert readable_line("□ 제출서류\n- 사업계획서 1부", 100) == "제출서류 사업계획서 1부"
    assert readable_line("가나 " * 100, 20).endswith(" …")
