"""Which statutes and articles a question cites, in every spelling."""

from __future__ import annotations

import json
import re
import tarfile

import pytest

from utils.config.settings import PROJECT_ROOT
from utils.korean.glossary import load_glossary
from utils.law.question_references import LawNameFinder, last_cited

STATUTES = PROJECT_ROOT.parent / "shared" / "corpus" / "statutes-md.tar.gz"
QUESTIONS = PROJECT_ROOT / "evaluation" / "datasets"

VAT, DECREE = "부가가치세법|", "부가가치세법시행령|"
PENSION = "근로자퇴직급여보장법|"
LABOUR = "근로기준법|"
HOUSING, COMMERCIAL = "주택임대차보호법|", "상가건물임대차보호법|"


@pytest.fixture(scope="module")
def finder() -> LawNameFinder:
    glossary = load_glossary()
    return LawNameFinder(glossary.laws, glossary.law_aliases, glossary.ambiguous_laws)


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("부가가치세법 제48조 내용이 뭐야?", [VAT + "제48조"]),
        ("부가가치세법48조", [VAT + "제48조"]),
        ("부가가치세 법 제48조", [VAT + "제48조"]),
        ("부 가 가 치 세 법 제 48 조", [VAT + "제48조"]),
        ("「부가가치세법」 제48조", [VAT + "제48조"]),
        ("『부가가치세법』제48조", [VAT + "제48조"]),
        ("'부가가치세법' 제48조", [VAT + "제48조"]),
        ("**부가가치세법** 제48조", [VAT + "제48조"]),
        ("《부가가치세법》 48조", [VAT + "제48조"]),
        ("부가세법 §48", [VAT + "제48조"]),
        ("부가세법 48", [VAT + "제48조"]),
        ("부가세법 48-2", [VAT + "제48조의2"]),
        ("부가세법 제사십팔조", [VAT + "제48조"]),
        ("부가세법 ４８조", [VAT + "제48조"]),
        ("부가세법 第48條", [VAT + "제48조"]),
        ("현행부가가치세법 48조", [VAT + "제48조"]),
        ("부가가치세법상 48조", [VAT + "제48조"]),
        ("부가가치세법에서 48조의 2", [VAT + "제48조의2"]),
        ("부가가치세법 내용 중 제48조 설명", [VAT + "제48조"]),
        ("제48조 부가가치세법", [VAT + "제48조"]),
        ("제48조(부가가치세법)", [VAT + "제48조"]),
        ("부가세법 48, 49조", [VAT + "제48조", VAT + "제49조"]),
        ("부가세법 48조와 49조", [VAT + "제48조", VAT + "제49조"]),
        ("부가세법 48조부터 50조까지", [VAT + "제48조", VAT + "제49조", VAT + "제50조"]),
        ("부가가치세법 시행령 제90조", [DECREE + "제90조"]),
        ("부가세법시행령 90조", [DECREE + "제90조"]),
        ("「부가가치세법」 시행령 제90조", [DECREE + "제90조"]),
        ("부가가치세법의 시행령 90조", [DECREE + "제90조"]),
        ("부가가치세법 령 90조", [DECREE + "제90조"]),
        ("부가세법 시행규칙 3조", ["부가가치세법시행규칙|제3조"]),
        ("상법 시행규칙 3조", ["상법시행규칙|제3조"]),
        ("부가가치세법 제48조, 같은 법 시행령 제90조", [VAT + "제48조", DECREE + "제90조"]),
        ("부가가치세법 제48조와 시행령 제90조, 제91조", [VAT + "제48조", DECREE + "제90조", DECREE + "제91조"]),
        ("부가가치세법 시행령 90조와 법 48조", [DECREE + "제90조", VAT + "제48조"]),
        ("부가가치세법 48조 및 동법 50조", [VAT + "제48조", VAT + "제50조"]),
        ("부가가치세법 시행령 90조, 동법 48조", [DECREE + "제90조", VAT + "제48조"]),
        ("부가가치세법 시행령이 90조에서", [DECREE + "제90조"]),
        ("부가가치세법 48조, 같은 영 90조", [VAT + "제48조", DECREE + "제90조"]),
        ("근퇴법 8조", [PENSION + "제8조"]),
        ("퇴직급여법 제8조", [PENSION + "제8조"]),
        ("근로자퇴직급여보장법 제팔조", [PENSION + "제8조"]),
        ("근로자 퇴직급여 보장법 8조", [PENSION + "제8조"]),
        ("근기법23조", [LABOUR + "제23조"]),
        ("근로기준법23조위반", [LABOUR + "제23조"]),
        ("근로기준법은 언제 적용되나요? 11조에 있나요?", [LABOUR + "제11조"]),
        ("상법 제382조의3과 민법 750조", ["상법|제382조의3", "민법|제750조"]),
        ("소득세, 법인세법 3조", ["법인세법|제3조"]),
        ("조특법 6조", ["조세특례제한법|제6조"]),
        ("조특령 3조", ["조세특례제한법시행령|제3조"]),
        ("상증법 §53", ["상속세및증여세법|제53조"]),
        ("상임법 10조의4", ["상가건물임대차보호법|제10조의4"]),
        ("상가 임대차보호법 10조", ["상가건물임대차보호법|제10조"]),
        ("전셋집 임대차보호법 3조", [HOUSING + "제3조"]),
        ("임대차보호법 3조", [HOUSING + "제3조", COMMERCIAL + "제3조"]),
        ("망법 44조", ["정보통신망이용촉진및정보보호등에관한법률|제44조"]),
        ("개보법 제15조제1항제2호", ["개인정보보호법|제15조"]),
        ("표시·광고의 공정화에 관한 법률 제3조", ["표시ㆍ광고의공정화에관한법률|제3조"]),
        ("표시, 광고의 공정화에 관한 법률 제3조", ["표시ㆍ광고의공정화에관한법률|제3조"]),
        ("표시 및 광고의 공정화에 관한 법률 제3조", ["표시ㆍ광고의공정화에관한법률|제3조"]),
        ("표시광고법 3조", ["표시ㆍ광고의공정화에관한법률|제3조"]),
        ("남녀고용평등과 일‧가정 양립 지원에 관한 법률 제19조", ["남녀고용평등과일ㆍ가정양립지원에관한법률|제19조"]),
        ("남고법 19조", ["남녀고용평등과일ㆍ가정양립지원에관한법률|제19조"]),
        ("fta특례법 8조", ["자유무역협정의이행을위한관세법의특례에관한법률|제8조"]),
        ("중처법 4조", ["중대재해처벌등에관한법률|제4조"]),
        ("창업법 제5조", ["중소기업창업지원법|제5조"]),
        ("헌법 제10조", ["대한민국헌법|제10조"]),
        ("법인세법인데요 3조가 뭐죠", ["법인세법|제3조"]),
        # of statutes that no list knows: the user is told that they are not there
        ("반려동물법 제3조", ["반려동물법|제3조"]),
        ("우주개발 촉진에 관한 법률 제20조", ["우주개발촉진에관한법률|제20조"]),
    ],
)  # fmt: skip
def test_every_spelling_leads_to_the_label(finder: LawNameFinder, question: str, labels: list[str]) -> None:
    assert [reference.label for reference in finder.articles(question)] == labels


@pytest.mark.parametrize(
    "question",
    [
        "특허법인을 세우려면 어떻게 하나요?",
        "특허법원에 소송을 내려고 해요",
        "상법인 설립",
        "가상법인",
        "민법학 공부",
        "소득세 법정 신고기한",
        "이 물건을 사면 법에 걸리나요",
        "보상법 없나요",
        "방법 3조",
        "세법 5조",
        "망법",
        "동법 50조",
        "법 제5조",
        "제48조가 뭐야?",
        "취업규칙 제10조에 따라 해고할 수 있나요?",
        "매출이 5조 원이에요",
    ],
)
def test_no_statute_is_read_into_other_words(finder: LawNameFinder, question: str) -> None:
    assert finder.find(question) == []


def test_a_shift_is_no_article(finder: LawNameFinder) -> None:
    assert finder.articles("근로기준법상 4조 3교대 근무의 연장수당은?") == []


def test_ordinary_questions_cite_no_article(finder: LawNameFinder) -> None:
    questions = [
        json.loads(line)["question"]
        for file in sorted(QUESTIONS.glob("starter_*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert len(questions) >= 200
    assert [question for question in questions if finder.articles(question)] == []
    named = {question for question in questions if finder.find(question)}
    assert [question for question in named if not re.search(r"[가-힣]법", question)] == []


@pytest.mark.parametrize(
    ("text", "articles"),
    [
        ("제48조가 뭐야?", ["제48조"]),
        ("48조의2와 49조", ["제48조의2", "제49조"]),
        ("부가세법 48조", []),
        ("4조 3교대로 일해요", []),
        ("매출이 5조 원이에요", []),
    ],
)
def test_articles_of_no_statute_are_told_apart(finder: LawNameFinder, text: str, articles: list[str]) -> None:
    assert finder.articles_of_no_statute(text) == articles


@pytest.mark.parametrize(
    ("before", "question", "spelled"),
    [
        ("부가세법 48조 알려줘", "동법 50조", "부가가치세법 제50조"),
        ("부가세법 48조 알려줘", "그럼 제49조는?", "그럼 부가가치세법 제49조는?"),
        ("부가세법 48조 알려줘", "시행령 90조도 알려줘", "부가가치세법 시행령 제90조도 알려줘"),
        ("부가세법 48조 알려줘", "2항은?", "부가가치세법 제48조 2항은?"),
        ("부가세법 48조 알려줘", "법인세법 3조는?", "법인세법 제3조는?"),
        ("부가세법 48조 알려줘", "퇴직금은 언제 주나요?", "퇴직금은 언제 주나요?"),
        ("안녕하세요", "근퇴법 §8②", "근로자퇴직급여 보장법 제8조 제2항"),
        ("안녕하세요", "「근기법」 23조와 24조", "근로기준법 제23조와 제24조"),
    ],
)  # fmt: skip
def test_a_citation_is_spelled_out_with_what_was_spoken_of(
    finder: LawNameFinder, before: str, question: str, spelled: str
) -> None:
    assert finder.spelled_out(question, last_cited([before], finder)) == spelled


@pytest.mark.parametrize(
    ("question", "laws"),
    [
        ("가게 월세를 올리려면 임대차보호법 한도가 있나요?", ["상가건물 임대차보호법"]),
        ("임대차보호법으로 권리금도 보호되나요?", ["상가건물 임대차보호법"]),
        ("사무실도 임대차 보호법이 적용되나요?", ["상가건물 임대차보호법"]),
        ("집을 빌렸는데 임대차보호법상 갱신은 몇 번인가요?", ["주택임대차보호법"]),
        ("월세방도 임대차보호법이 적용되나요?", ["주택임대차보호법"]),
        ("임대차보호법에서 월세는 몇 %까지 올리나요?", ["주택임대차보호법", "상가건물 임대차보호법"]),
        ("강제집행과 임대차보호법", ["주택임대차보호법", "상가건물 임대차보호법"]),
        ("집과 가게 모두 임대차보호법이 있나요?", ["주택임대차보호법", "상가건물 임대차보호법"]),
        ("가게인데 임대차보호법 시행령도 있나요?", ["상가건물 임대차보호법 시행령"]),
        ("집인데 상가건물 임대차보호법이 적용되나요?", ["상가건물 임대차보호법"]),
    ],
)
def test_the_words_of_a_question_tell_which_tenancy_act(finder: LawNameFinder, question: str, laws: list[str]) -> None:
    assert [reference.law for reference in finder.find(question)] == laws


def test_both_tenancy_acts_go_on_where_nothing_tells(finder: LawNameFinder) -> None:
    labels = [reference.label for reference in finder.articles("임대차보호법 3조와 동법 시행령 4조")]
    decrees = ["주택임대차보호법시행령|제4조", "상가건물임대차보호법시행령|제4조"]
    assert labels == [HOUSING + "제3조", COMMERCIAL + "제3조", *decrees]
    assert finder.spelled_out("임대차보호법 §3") == "임대차보호법 제3조"
    assert finder.spelled_out("가게 임대차보호법 §3") == "가게 상가건물 임대차보호법 제3조"


@pytest.mark.corpus
def test_every_statute_of_the_alias_table_exists() -> None:
    if not STATUTES.exists():
        pytest.skip("the statute corpus (../shared/corpus) is not here")
    glossary = load_glossary()
    assert len(glossary.law_aliases) >= 120
    with tarfile.open(STATUTES, "r|gz") as archive:
        heads = (
            content.read(2_048).decode("utf-8", "ignore")
            for member in archive
            if member.name.endswith(".md") and (content := archive.extractfile(member)) is not None
        )
        titles = {
            match[1].strip("'\" ") for head in heads if (match := re.search(r"^제목: *(.+)$", head, re.MULTILINE))
        }
    assert sorted(glossary.laws - titles) == []
    squeezed = {title.replace(" ", "") for title in titles}
    assert [alias for alias in glossary.law_aliases if alias in squeezed] == [], "a title is no short name of another"
