"""Tell apart two uses of a figure that the user brought in: as a condition or circumstance, or as a fact.

직원이 3명이면 … and 말씀하신 매출 9천만원은 … take up what the user said; 네, 37퍼센트입니다 agrees with it, which only a
source may do. Read from the words around the figure; where they do not tell, a cited figure counts as asserted.
"""

from __future__ import annotations

import re

# Words for what users know of themselves, and for what only a source can know.
_OWN = re.compile(
    r"직원|근로자|알바|아르바이트|종업원|인원|사원|가족|매출|수입|소득|연봉|월급|급여|시급|임금|자본금|보증금|월세|임대료|차임|임차|근속|근무"
    r"|재직|일하|업력|개업|창업|설립|입사|퇴사|퇴직|나이|연령|만\s?$|지분|투자|대출|계약|거래|사업장|가게|매장|점포|대표|면적|물건|대금|외상|채권"
    r"|인건비|재고|구입|매입|판매|고용|채용|출자|경력|운영|구청|동업|자녀|부양|수강|회원|고객|벌|상시|체납|연체|부채|사업 기간|주식|발행|취득가|양도|공사"
)
_OF_LAW = re.compile(
    r"세율|요율|이율|비율|할증|가산|과태료|벌금|과징금|징역|기한|마감|신고|납부|납기|제출|공제|감면|한도|상한|하한|최저|기준(?!으로|을 넘|보다|에 못)|법정|의무|수당|예고"
    r"|지원금|보조금|면제|부과|적용|유예|시효|보험료|부담|지급해야|부담금|환급|처벌|소멸|이내|까지|조건|요건|자격|대상|인정|보장|규정|시행|효력|수수료|이자|지연|위약금|허용|가능"
)
_AGREES = re.compile(
    r"^[\s>*\-•]*(?:네|예|맞습니다|그렇습니다|맞아요|그래요|물론|정확합니다|옳습니다)(?:[,.!\s]|$)"
    r"|(?:대로|것처럼|바와 같이|것과 같이|듯이)\b|맞습니다|맞고|맞으며|맞는\s|옳습니다|정확합니다|그렇습니다|틀림없|다르지 않|틀리지 않|다름없|사실입니다"
)
_CLAUSE_BREAK = re.compile(r"(?:(?<=[고며만나데면니라서])|(?<=경우))\s|[,;:]\s|(?<=때)\s")

_HEDGE = r"(?:\s?(?:정도|가량|쯤|밖에|씩|짜리|차|째))?"  # 이상, 미만 make a threshold, which is a source's to set
_COPULA = r"(?:이었다|이|인|일|이시|이신|이실|이어)?"
# 3명이면, 3명인 경우, 5년이라도 — but not 26일이면 됩니다, which says what suffices.
_IF = re.compile(
    rf"{_HEDGE}\s?(?:{_COPULA}(?:라면|면|더라도|라도|어도|여도)|(?:인|일|의|이신|이실)\s?(?:경우|때)|{_COPULA}라고?\s?(?:가정|하면|해도|할 때|치면))"
    r"(?!\s?(?:됩니다|돼요|된다|되고|되며|충분|족합|족하))"
)
# 3명을 고용하면, 40시간 일하는 경우, 1억원을 넘으면.
_IF_VERB = re.compile(
    rf"{_HEDGE}\s?(?:을|를|이|가|은|는|으로|로|에|동안|간|만)?\s?(?:[가-힣]{{1,6}}(?:을|를|로|에게?|에서|게)?\s){{0,2}}"
    r"(?:고용|채용|근무|재직|근속|일|운영|사용|쓰|있|계시|두고\s계|두|받|벌|계약|임차|판매|투자|출자|보유|요구|지났|넘었|되었|됐|다니|다녔|뽑)"
    r"[가-힣]{0,4}?(?:면|더라도|어도|\s?(?:경우|때))(?!\s?(?:됩니다|돼요|된다|충분))"
    # 10일 전에 통보하셨다면: a condition in the past is of what the user did
    r"|(?:\s?(?:전|뒤|후))?(?:에|을|를|이|가|간|동안)?\s(?:[가-힣]{1,6}\s){0,2}[가-힣]{0,6}(?:셨|았|었|였|했|됐|렸|났)다면"
)
_THRESHOLD = re.compile(r"\s?(?:까지|이내|이상|이하|미만|초과|부터|마다|안에|내에|한도)")
# 3명이므로, 3명인 사업장, 3명이고: since the user's circumstances are so.
_SINCE = re.compile(
    rf"{_HEDGE}\s?(?:이므로|이라서|라서|이니|이기\s?때문|이어서|여서|이고|이며|이지만|인데|이어도|으로서|으로\s?(?:보|계산|가정|추정)"
    r"|(?:인|이신|의|을 둔|있는|규모의)\s?(?:사업장|회사|기업|법인|사업자|직원|근로자|분|가게|매장|카페|상황|상태|점|곳|이상|사람|대표|계약|경우)"
    r"|(?:을|를|이|가)?\s?[가-힣]{1,6}(?:던|하고|하시고|하므로|하셨으므로|했으므로|했고|있으므로|있고|있어|계시므로|으므로|하시므로|므로|는데|은데|지만|하는|하신|한|된|었으므로|았으므로|되었으므로|되었고)\s)"
)
_SAID = re.compile(
    r"(?:\s?(?:까지|부터|이내|이상|이하|미만|초과))?\s?(?:이|가|을|를|은|는)?\s?(?:이?라고|으?로(?=\s?(?:알고|들으|생각))|이?라는|이?라던|이?란|다고|으로)\s?[가-힣\s]{0,10}?(?:하셨|하신|하시|말씀|알고|들으|문의|질문|적|쓰|알려|주셨|보셨|주장|생각)"
)
_DENIED = re.compile(
    r"(?:\s?(?:이|가|은|는|을|를|의|에|도|라는|이라는|라고|이라고|로|으로|이란)?\s?(?:[가-힣]{1,8}\s){0,4}?)"
    r"(?:아니라|아니고|아니며|아닙니다|아닌\s|아니다|다릅니다|다르며|다르고|틀립니다|틀린|틀렸|사실이 아|사실과 다|잘못|확인할 수 없|확인되지|찾을 수 없|나와 있지"
    r"|없습니다|없으|없고|없는|없다|알 수 없|적혀 있지|보이지 않|근거가 없|규정이 없)"
)
_ADDRESSED = re.compile(
    r"귀사|귀하|고객님|사장님|대표님|의뢰인|질문자|질문하신|질문에서|질문 내용|말씀하신|말씀하셨|말씀 ?주신|문의하신|문의 ?주신|알려\s?주신|적어\s?주신|입력하신|언급하신|제시하신"
    r"|하신다면|하셨|계신|보유하신|고용하신|운영하시는|주신|님의|상담자"
)
_REACH = 60  # characters beside a figure that tell how it is used
_PEOPLE = re.compile(r"\s?(?:명|인)$")


class Usage:
    """The use that a sentence makes of the user's figures.

    A sentence without a source mark may also state the user's circumstances plainly (직원은 5명입니다); a rate, an amount due or a
    deadline may not.
    """

    def __init__(self, sentence: str, *, is_cited: bool) -> None:
        self._sentence = sentence
        self._is_cited = is_cited
        self._agrees = bool(_AGREES.search(sentence))

    def is_restated(self, start: int, end: int, *, is_compared: bool) -> bool:
        """Return True if the figure at ``start``:``end`` only repeats what the user said.

        ``is_compared``: a figure of the same unit that a source holds follows, which it may be measured by.
        """
        sentence = self._sentence
        if _DENIED.match(sentence, end):
            return True
        if self._agrees:
            return False
        if _IF.match(sentence, end) or _SAID.match(sentence, end):
            return True
        before = _clause_before(sentence, start)
        if _OF_LAW.search(before):
            return False
        if _IF_VERB.match(sentence, end) or (is_compared and not _THRESHOLD.match(sentence, end)):
            return True
        if not (_OWN.search(before) or _OWN.search(sentence, end, end + 8) or _PEOPLE.search(sentence, start, end)):
            return False
        if _SINCE.match(sentence, end) or _ADDRESSED.search(sentence, max(0, start - _REACH), start):
            return True
        return not self._is_cited and not _OF_LAW.search(_clause_after(sentence, end))


def _clause_before(sentence: str, start: int) -> str:
    before = sentence[max(0, start - _REACH) : start]
    breaks = list(_CLAUSE_BREAK.finditer(before))
    return before[breaks[-1].end() :] if breaks else before


def _clause_after(sentence: str, end: int) -> str:
    after = sentence[end : end + _REACH]
    found = _CLAUSE_BREAK.search(after)
    return after[: found.start()] if found else after
