"""Whether a question also needs the law itself."""

from __future__ import annotations

from collections.abc import Sequence

from utils.legal_reference import LawReference
from utils.protocols import Analyzer

LEGAL_DOMAIN = "law_common"

# Lemmas, matched as whole terms: 방법, 용법 and 편법 hold the syllable 법 and are not among them.
_LEGAL_LEMMAS = frozenset(
    "법 법률 법적 법령 소송 손해배상 배상 판결 판례 고소 고발 위법 불법 합법 적법 소장 재판 법원 변호사 민사 형사 처벌 벌칙 가압류 가처분".split()
)
# Whether the analyser keeps a compound whole depends on the words around it, so these are looked for in unbroken text.
_LEGAL_COMPOUNDS = frozenset("소멸시효 강제집행 지급명령 내용증명 이의신청 행정심판 구제신청".split())
# Penalties are no sign of a dispute: nearly every guide names one.
_DISPUTE_LEMMAS = frozenset("소송 분쟁 손해배상 침해 고소 고발 가압류 가처분 판결 승소 패소 배상".split())
_DISPUTE_COMPOUNDS = frozenset({"구제신청"})
_TOP_DOCUMENTS = 5
_DISPUTES_NEEDED = 2


class LegalSupplement:
    """Decides from the question, and from what kind of trouble the found documents speak of."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer

    def question_is_legal(self, question: str, references: Sequence[LawReference]) -> bool:
        """The question names a statute or has a legal lemma."""
        unbroken = "".join(question.split())
        return bool(references) or bool(
            _named(self._analyzer.terms(question), unbroken, _LEGAL_LEMMAS, _LEGAL_COMPOUNDS)
        )

    def documents_are_disputes(self, documents: Sequence[Sequence[str]]) -> bool:
        """The top five documents, each given as its terms, hold two different dispute lemmas."""
        found: set[str] = set()
        for terms in documents[:_TOP_DOCUMENTS]:
            found |= _named(terms, "".join(terms), _DISPUTE_LEMMAS, _DISPUTE_COMPOUNDS)
        return len(found) >= _DISPUTES_NEEDED


def _named(terms: Sequence[str], unbroken: str, lemmas: frozenset[str], compounds: frozenset[str]) -> frozenset[str]:
    return lemmas.intersection(terms) | {compound for compound in compounds if compound in unbroken}
