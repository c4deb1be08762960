import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.routing import DOMAINS_DIR, LABOR, LAW, STARTUP, TAX
from utils.domain_classifier import DomainClassifier
from utils.routing.calibration import RoutingCalibration
from utils.routing.domain_pack import PackSet, load_pack_files
from vectorstores.embedders.kiwi import KiwiEmbedder
from vectorstores.tokenizer import KiwiTokenizer


@pytest.fixture(scope="module")
def packs() -> PackSet:
    return load_pack_files(DOMAINS_DIR)


@pytest.fixture(scope="module")
def classifier(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, packs: PackSet) -> DomainClassifier:
    return DomainClassifier(tokenizer, embedder, packs, RoutingCalibration.load())


@pytest.mark.parametrize(
    ("question", "domains"),
    [
        ("부가가치세는 언제까지 신고해야 하나요?", {TAX}),
        ("VAT 신고 방법", {TAX}),
        ("카페를 열려고 해요. 사업자등록은 어떻게 하고 처음에 세금은 뭘 챙겨야 하나요?", {STARTUP, TAX}),
        ("직원을 내보내려면 법적으로 어떤 절차를 밟아야 하고 퇴직금은 어떻게 계산하나요?", {LABOR}),
        ("알바가 말도 없이 안 나오는데 월급 줘야 하나요", {LABOR}),
        ("거래처에서 물건값 3천만원을 반년째 안 주고 있어요", {LAW}),
        ("임대인이 재계약 안 해준다는데 권리금은 어떻게 받나요", {LAW}),
        ("하도급 대금을 두 달째 못 받았고 세금계산서는 이미 끊었어요. 어떻게 해야 하나요?", {LAW, TAX}),
        ("퇴직금", {LABOR}),
    ],
)
def test_a_founders_question_goes_to_its_domains(
    classifier: DomainClassifier, question: str, domains: set[str]
) -> None:
    result = classifier.classify(question)
    assert set(result.domains) == domains
    assert result.is_relevant
    assert result.kind == "consult"


def test_a_story_without_known_words_is_no_small_talk(classifier: DomainClassifier) -> None:
    case = "딸기 농사를 지어 택배로 보냈는데 가는 길에 상자가 다 터졌다고 손님이 연락했어요 택배사는 과일은 물어 주지 않는다는데 맞나요"
    private = "어제 친구랑 영화 보고 밥 먹고 집에 왔는데 너무 피곤해서 바로 잠들었어요 오늘은 뭐 하고 놀까요"
    assert classifier.classify(case).is_relevant
    assert not classifier.classify(private).is_relevant


@pytest.mark.parametrize(
    ("question", "method"),
    [("부가세 신고는 언제까지인가요?", "keyword"), ("거래처에서 물건값 3천만원을 반년째 안 주고 있어요", "vector")],
)
def test_the_method_names_the_signal_that_decided(classifier: DomainClassifier, question: str, method: str) -> None:
    result = classifier.classify(question)
    assert result.method == method
    assert bool(result.matched_keywords) == (method == "keyword")


@pytest.mark.parametrize(
    ("question", "domain"),
    [
        ("드론 방제업을 하려면 어떤 자격이나 신고가 필요한가요?", STARTUP),
        ("남편 명의로 사업자등록을 해도 되나요?", STARTUP),
        ("직원이 임신했는데 회사에서 뭘 해줘야 하나요?", LABOR),
        ("프로그래밍 외주 개발 대금을 못 받았어요", LAW),
        ("비상장 주식을 팔면 양도세를 내나요?", TAX),
    ],
)
def test_a_word_of_private_life_does_not_turn_a_founder_away(
    classifier: DomainClassifier, question: str, domain: str
) -> None:
    assert domain in classifier.classify(question).domains


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("점심 메뉴 골라 줘", "chitchat"),
        ("안녕하세요! 반갑습니다~", "chitchat"),
        ("ㅋㅋㅋㅋㅋ", "chitchat"),
        ("고마워요!", "thanks"),
        ("너 사람이야?", "identity"),
        ("답이 왜 이래요", "complaint"),
        ("여친이랑 헤어졌어", "chitchat"),
        ("블랙홀은 어떻게 생기나요?", "out_of_scope"),
        ("테슬라 주식 지금 사도 되나요?", "out_of_scope"),
        ("송도 오피스텔 투자 어때요?", "out_of_scope"),
        ("파이썬으로 크롤링하는 방법 알려줘", "out_of_scope"),
        ("How do I cook pasta at home?", "out_of_scope"),
        ("ㅋㅌㅊㅍ", "unintelligible"),
        ("asdkjh", "unintelligible"),
        ("???", "unintelligible"),
        ("12345", "unintelligible"),
    ],
)
def test_what_is_not_for_the_service_is_turned_away(classifier: DomainClassifier, question: str, kind: str) -> None:
    result = classifier.classify(question)
    assert result.domains == ()
    assert not result.is_relevant
    assert result.kind == kind
    assert 0.5 <= result.confidence <= 1.0


def test_a_greeting_before_a_question_does_not_hide_it(classifier: DomainClassifier) -> None:
    assert classifier.classify("안녕하세요. 부가세 신고는 언제까지인가요?").domains == (TAX,)


def test_one_short_hit_does_not_hide_the_second_domain(classifier: DomainClassifier) -> None:
    question = (
        "세금계산서를 받았습니다. 그런데 납품한 부품에 하자가 있다며 거래처가 손해배상을 요구하고 계약 해지를 통보했습니다. "
        "위약금을 물어야 하는지, 그리고 이미 낸 부가세는 어떻게 되는지 알려 주세요."
    )
    assert set(classifier.classify(question).domains) == {TAX, LAW}


def test_with_rejection_off_the_best_domain_answers(
    tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, packs: PackSet
) -> None:
    lenient = DomainClassifier(tokenizer, embedder, packs, RoutingCalibration.load(), rejects=False)
    result = lenient.classify("블랙홀은 어떻게 생기나요?")
    assert len(result.domains) == 1
    assert result.is_relevant
    assert result.method == "fallback"


def test_a_keyword_added_to_the_data_counts(
    tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, packs: PackSet, classifier: DomainClassifier
) -> None:
    question = "쿼크무늬비용지를 어떻게 하나요?"
    assert TAX not in classifier.classify(question).domains
    tax = packs.get(TAX)
    keywords = tax.keywords.model_copy(update={"core": (*tax.keywords.core, "쿼크무늬비용지")})
    edited = tax.model_copy(update={"keywords": keywords})
    changed = PackSet(domains=(edited, *(p for p in packs.domains if p.key != TAX)), rejections=packs.rejections)
    rebuilt = DomainClassifier(tokenizer, embedder, changed, RoutingCalibration.load())
    assert TAX in rebuilt.classify(question).domains


def test_the_domains_are_not_built_in(tokenizer: KiwiTokenizer, embedder: KiwiEmbedder, packs: PackSet) -> None:
    """Another service brings other domains, of which the fit knows nothing."""
    renamed = packs.get(TAX).model_copy(update={"key": "money", "neighbours": ()})
    calibration = RoutingCalibration.load()
    alone = DomainClassifier(tokenizer, embedder, PackSet(domains=(renamed,), rejections=packs.rejections), calibration)
    assert alone.classify("부가세 신고는 언제까지인가요?").domains == ("money",)
    assert alone.classify("점심 메뉴 골라 줘").domains == ()


@settings(max_examples=80)
@given(question=st.text(max_size=200))
def test_any_message_gets_a_decision(classifier: DomainClassifier, question: str) -> None:
    result = classifier.classify(question)
    assert result.is_relevant == bool(result.domains) == (result.kind == "consult")
    assert 0.0 <= result.confidence <= 1.0
    assert len(set(result.domains)) == len(result.domains)
