"""Clauses in free text that are void between employer and worker: penalties fixed beforehand, and forced saving."""

from __future__ import annotations

import re
from collections.abc import Iterator

from utils.paperwork.rules.findings import Finding, error, warning

_LEAVING = r"(?:퇴사|퇴직|사직|그만\s?두|그만\s?둘|중도\s?해지|계약\s?기간을?\s?(?:못|채우지)|무단\s?(?:결근|퇴사)|이직|지각|결근|위반)"
_AMOUNT = r"(?:\d[\d,.]{0,14}\s?(?:만|천|백|억)?\s?원|\d{1,3}\s?(?:%|퍼센트)|\d{1,3}\s?(?:개월|달)\s?(?:치|분)|(?:월급|임금|급여|연봉)(?:의|에서)?\s?(?:전액|절반|일부)?)"
_PAYS = r"(?:배상|변상|반환|물어|물고|지급하고\s?퇴사|공제|차감|삭감|몰수|내야|내기로|부담)"
# Each reach is bounded: a sentence is looked through once.
_PENALTY_WORD = re.compile(r"위약금|위약\s?벌|손해배상(?:액|금)?(?:을|은)?\s?(?:예정|미리\s?정|정액)|벌금|벌과금")
_FIXED_SUM = re.compile(rf"{_LEAVING}[^.\n]{{0,60}}{_AMOUNT}[^.\n]{{0,30}}{_PAYS}")
_NO_WAGE = re.compile(
    rf"{_LEAVING}[^.\n]{{0,60}}(?:임금|월급|급여|시급)[^.\n]{{0,20}}(?:지급하지\s?(?:않|아니)|주지\s?않|포기|반납)"
)
_TRAINING = re.compile(r"(?:교육|연수)비[^.\n]{0,60}(?:반환|배상|변상|물어|상환)")
_SAVING = re.compile(
    r"(?:의무|강제|회사가|사업주가|매월|매달)[^.\n]{0,30}(?:저축|적금|적립금?|예치)"
    r"|(?:급여|임금|월급)(?:에서|의|중)?[^.\n]{0,20}(?:저축|적금|예치|보증금)[^.\n]{0,20}(?:공제|보관|관리|예치|하기로|한다)"
)
_PENSION = re.compile(r"퇴직연금|퇴직급여|마일리지|포인트|충당금")
_DENIED = re.compile(
    r"(?:정하지|예정하지|약정하지|두지|하지|물리지|청구하지|공제하지|받지|부과하지|요구하지)\s?(?:않|아니|못)|없다|없음|없이|금지|무효"
)
_NON_COMPETE = re.compile(
    r"(?:경쟁\s?(?:업체|회사|사|업종)|동종\s?(?:업종|업계|업체))[^.\n]{0,40}(?:취업|이직|창업|근무|입사|종사)|경업\s?금지"
)
_SENTENCE = re.compile(r"[^.\n]{1,2000}")
_ARTICLES = {"penalty": "근로기준법 제20조", "saving": "근로기준법 제22조", "wages": "근로기준법 제43조제1항"}


def void_clauses(path: str, text: str | None) -> Iterator[Finding]:
    """Yield an error for each kind of void clause in a text between employer and worker, once each.

    Sources: 근로기준법 제20조 (위약 예정의 금지), 제22조 (강제 저금의 금지), 제43조제1항 (전액 지급). A clause that says there is none
    of it is no such clause; damages that really occurred may be claimed, and training costs may be lent, so those are warnings.
    """
    sentences = _SENTENCE.findall(text or "")
    bound = [sentence for sentence in sentences if not _DENIED.search(sentence)]
    if any(_PENALTY_WORD.search(sentence) or _FIXED_SUM.search(sentence) for sentence in bound):
        yield error(
            path,
            "근로계약을 어길 때의 위약금이나 손해배상액을 미리 정할 수 없습니다. 실제로 생긴 손해만 따로 청구할 수 있습니다.",
            _ARTICLES["penalty"],
        )
    if any(_NO_WAGE.search(sentence) for sentence in sentences):
        yield error(path, "이미 일한 시간의 임금은 어떤 사유로도 지급하지 않기로 할 수 없습니다.", _ARTICLES["wages"])
    if any(_SAVING.search(sentence) and not _PENSION.search(sentence) for sentence in bound):
        yield error(
            path,
            "근로계약에 덧붙여 강제로 저축하게 하거나 저축금을 회사가 관리하기로 할 수 없습니다.",
            _ARTICLES["saving"],
        )
    if any(_TRAINING.search(sentence) and not _FIXED_SUM.search(sentence) for sentence in bound):
        yield warning(
            path,
            "교육비를 돌려받는 약정은 실제로 쓴 비용을 빌려준 것으로 볼 수 있는 범위에서만 유효하고, 의무 근무의 대가이면 무효입니다.",
            _ARTICLES["penalty"],
        )
    if any(_NON_COMPETE.search(sentence) for sentence in sentences):
        yield warning(
            path,
            "경업금지 약정은 보호할 영업비밀이 있고 기간·지역·업무가 좁으며 대가를 줄 때에만 효력이 인정됩니다.",
            "민법 제103조",
        )
