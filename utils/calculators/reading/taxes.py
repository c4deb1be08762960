"""Readers of the sums of tax law: what was sold, paid, earned or not returned."""

from __future__ import annotations

from typing import Any

from utils.calculators.reading.figures import QuestionFigures
from utils.calculators.reading.reading import Reading

_SALES = "연 ?매출|매출액?|공급대가|수입금액|수입"
_PURCHASES = r"매입(?:액|[^\d?!\n]{0,14}(?:합쳐서?|합해서?|합하면|모두|전부|다))?"
_CARD_SALES = "카드 ?매출액?|(?:신용)?카드로|카드 ?결제액?|카드|현금 ?영수증 ?매출|결제액"
_INDUSTRIES = (
    ("음식점업", "음식점|식당|카페|커피|치킨|분식|술집|호프|주점|빵집|베이커리|제과"),
    ("소매업", "소매|쇼핑몰|스마트스토어|편의점|옷가게|옷 가게|슈퍼|마트|문구|꽃집|온라인 ?판매"),
    ("제조업", "제조|공방|공장"),
    ("숙박업", "숙박|민박|펜션|모텔|게스트하우스|에어비앤비"),
    ("건설업", "건설|인테리어|시공"),
    ("부동산임대업", "부동산 ?임대|임대업|상가 ?임대"),
    ("소화물전문운송업", "택배|퀵|배달 ?라이더|배달 ?대행"),
    ("운수창고업", "운수|운송|화물|용달|창고"),
    ("정보통신업", "정보통신|소프트웨어|앱 ?개발|웹 ?개발|유튜브|유튜버"),
    ("전문과학기술서비스업", "디자인|컨설팅|광고|마케팅|번역|전문 ?서비스"),
    ("그밖의서비스업", "미용|네일|헤어|세탁|학원|필라테스|헬스|수리|서비스업"),
)
_CROWDED = "서울|인천|수원|성남|분당|안양|고양|일산|부천|의정부|과천|광명|군포|의왕|하남|구리|과밀억제권역|대도시"
_UNCROWDED = (
    "강원|충청|충남|충북|전라|전남|전북|경상|경남|경북|제주|부산|대구|대전|광주|울산|세종|지방(?!교육세|소득세|세|법원)|비수도권|시골"
    "|평택|안산|용인|화성|김포|파주|이천|안성|오산|양주|포천|동두천|여주|양평|가평|연천"
)


def withholding(asked: QuestionFigures) -> Reading:
    occasional = asked.has("기타소득|8[.]8|강연|강사료|원고료|자문료|일시적")
    inputs = {"payment": asked.only_money(), "kind": "other" if occasional and not asked.has("3[.]3") else "business"}
    return Reading(inputs, {"payment": "지급할 금액"})


def day_labour(asked: QuestionFigures) -> Reading:
    days = asked.found(r"(?<!\d)([2-9]|[1-8]\d)일(?!당|용)")
    return Reading({"daily_pay": asked.pay.daily, "days": days}, {"daily_pay": "일당"})


def vat(asked: QuestionFigures) -> Reading:
    sales, purchases = asked.money(_SALES), asked.money(_PURCHASES)
    includes = asked.has("(?:부가세|부가가치세|세금)(?:를|가|까지)? ?(?:포함|합친|합쳐)|공급대가")
    if includes and purchases is None and asked.has("공급가액|그중|그 ?중|얼마가 부가세|부가세가 얼마|세액이 얼마"):
        return Reading({"kind": "split", "sales": asked.only_money()}, {"sales": "부가세를 포함한 금액"})
    value = asked.money("공급가액?")
    if value is None and asked.has("(?:부가세|부가가치세)(?:는|가|를)? ?(?:별도|따로|제외|빼고)|[+] ?(?:부가세|vat)"):
        value = asked.only_money()
    if value is not None and sales is None and not includes:
        return Reading({"kind": "added", "sales": value}, {"sales": "공급가액"})
    inputs: dict[str, Any]
    if not asked.has("간이"):
        inputs = {"sales": sales, "purchases": purchases, "sales_include_tax": True if includes else None}
        assumptions: tuple[str, ...] = () if includes else ("부가세를 뺀 매출과 매입으로 계산했습니다.",)
        if purchases is None:
            assumptions += ("매입은 없는 것으로 계산했습니다.",)
        return Reading(inputs, {"sales": "매출"}, assumptions)
    industry = next((name for name, words in _INDUSTRIES if asked.has(words)), None)
    inputs = {"kind": "simplified", "sales": sales, "purchases": purchases, "industry": industry}
    return Reading(inputs, {"sales": "매출", "industry": "업종"}, ("부가세를 포함한 1년 매출로 계산했습니다.",))


def card_credit(asked: QuestionFigures) -> Reading:
    return Reading({"card_sales": asked.money(_CARD_SALES)}, {"card_sales": "1년 카드 매출"})


def income_tax(asked: QuestionFigures) -> Reading:
    taxable = asked.money("과세표준|과표") or asked.money("공제(?:까지|도|를)? ?(?:다 |모두 )?(?:빼고|빼서|빼면|뺀)")
    salary = asked.pay.yearly if taxable is None else None
    net = None if taxable is not None or salary is not None else asked.money("소득금액|순수익|순이익|소득이|순소득")
    inputs = {"taxable_income": taxable, "salary": salary, "net_income": net}
    told = any(value is not None for value in inputs.values())
    return Reading(inputs, {} if told else {"income": "과세표준이나 소득금액 또는 연봉"})


def corporate_tax(asked: QuestionFigures) -> Reading:
    taxable = asked.money("과세표준|과표")
    profit = asked.money("순이익|당기순이익|이익|소득|순수익") if taxable is None else None
    assumptions: tuple[str, ...] = (
        () if profit is None else ("이익을 그대로 과세표준으로 보았고, 세무조정과 공제는 넣지 않았습니다.",)
    )
    return Reading({"taxable_income": taxable or profit}, {"taxable_income": "과세표준"}, assumptions)


def entertainment(asked: QuestionFigures) -> Reading:
    inputs = {
        "revenue": asked.money(_SALES),
        "small_company": False if asked.has("대기업|중견|중소기업이 아닌|중소기업 아닌") else None,
        "spent": asked.money("접대비로|업무추진비로"),
    }
    return Reading(
        inputs, {"revenue": "매출"}, ("중소기업으로 계산했습니다.",) if inputs["small_company"] is None else ()
    )


def deemed_interest(asked: QuestionFigures) -> Reading:
    amount, days = asked.money("가지급금|빌려|회사 ?돈") or asked.only_money(), asked.days()
    return Reading(
        {"amount": amount, "days": days},
        {"amount": "가지급금"},
        () if days is not None else ("1년 동안 빌린 것으로 계산했습니다.",),
    )


def depreciation(asked: QuestionFigures) -> Reading:
    years = asked.count("내용연수") or asked.found(
        r"(?<!\d)([2-9]|[1-6]\d)년(?:간|으로|에 걸쳐|동안)?\s?(?:정액|상각|감가)"
    )
    car = years is None and asked.has("승용차|승용자동차|법인차|업무용 ?차")
    assumptions: tuple[str, ...] = (
        ("업무용승용차는 5년 정액법이고 감가상각비는 1년에 800만원까지 인정됩니다(법인세법 제27조의2).",) if car else ()
    )
    return Reading(
        {"cost": asked.only_money(), "years": 5 if car else years},
        {"cost": "취득가액", "years": "내용연수"},
        assumptions,
    )


def executive_severance(asked: QuestionFigures) -> Reading:
    nth, months = asked.ordinal_year(), asked.months_of_service()
    pay = asked.pay.a_year()
    assumptions: tuple[str, ...] = (
        "정관이나 정관이 위임한 규정에 임원 퇴직금이 정해져 있지 않은 경우로 계산했습니다.",
    )
    if asked.pay.yearly is None:
        assumptions += ("월급의 12배를 1년 총급여로 보았습니다.",)
    if nth is not None and asked.span() is None:
        months = 12 * nth
        assumptions += (
            f"{nth}년차를 만 {nth}년으로 보았습니다. 만 {nth - 1}년 몇 개월이면 그 개월 수만큼 줄어듭니다.",
        )
    return Reading(
        {"yearly_pay": pay, "months_of_service": months},
        {"yearly_pay": "최근 1년 총급여", "months_of_service": "근속연수"},
        assumptions,
    )


def filing_penalty(asked: QuestionFigures) -> Reading:
    under = asked.has("과소|적게 ?신고|덜 ?신고|수정 ?신고")
    none_filed = asked.has("무신고|신고를? ?(?:안|못)|기한 ?후")
    only_late = asked.has("납부 ?지연|납부만|늦게 ?(?:냈|납부|내)|연체") and not none_filed and not under
    days = asked.days()
    filed_late = days is not None and asked.has("기한 ?후 ?신고|수정 ?신고")
    report_alone = asked.has("(?:납부 ?지연|이자)[^?!]{0,8}(?:말고|빼고|제외)")
    inputs = {
        "tax": None if asked.money(_SALES) == asked.only_money() else asked.only_money(),
        "kind": "under_return" if under else "late_payment" if only_late else "no_return",
        "days_late": None if report_alone else days,
        "months_late": None if not filed_late or days is None else max(1, -(-days // 30)),
    }
    needed = {"tax": "신고하지 않았거나 적게 신고한 세액"} | ({"days_late": "늦은 일수"} if only_late else {})
    return Reading(inputs, needed)


def invoice_penalty(asked: QuestionFigures) -> Reading:
    faults = (
        ("late_report", "지연 ?전송|늦게 ?전송|전송[^?!]{0,6}(?:늦|지연)"),
        ("no_report", "미전송|전송[을도]? ?(?:안|못)"),
        ("fictitious", "가공|가짜|거래 ?없이|허위"),
        ("paper_instead", "종이"),
        ("no_issue", "미발급|미발행|(?:발급|발행)[을도]? ?(?:안|못)|안 ?(?:끊|발급|발행)|못 ?(?:끊|발급|발행)"),
        ("late_issue", "늦|지연|지나"),
        ("wrong_entry", "잘못|누락|틀리"),
    )
    fault = next((name for name, words in faults if asked.has(words)), None)
    inputs = {"supply_value": asked.money("공급가액?") or asked.only_money(), "fault": fault}
    return Reading(inputs, {"supply_value": "공급가액", "fault": "어긴 내용(늦은 발급, 미발급 등)"})


def unregistered_penalty(asked: QuestionFigures) -> Reading:
    return Reading({"sales": asked.money(_SALES) or asked.only_money()}, {"sales": "등록 전 매출"})


def cash_receipt_penalty(asked: QuestionFigures) -> Reading:
    voluntary = asked.has("자진|스스로|10일 ?(?:이내|안|내)")
    return Reading({"amount": asked.only_money(), "voluntary": voluntary or None}, {"amount": "발급하지 않은 금액"})


def incorporation(asked: QuestionFigures) -> Reading:
    outside = asked.has(rf"(?:{_CROWDED}) ?(?:밖|외|아닌|아니)")
    crowded = False if outside else True if asked.has(_CROWDED) else False if asked.has(_UNCROWDED) else None
    return Reading(
        {"capital": asked.money("자본금|출자금|자본"), "metropolitan": crowded},
        {"capital": "자본금", "metropolitan": "본점을 둘 지역(과밀억제권역인지)"},
    )
