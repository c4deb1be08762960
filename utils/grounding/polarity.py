"""Find sentences that deny their source in its own words: 신고하지 않아도 됩니다 where the source has 신고하여야 한다.

Each clause of the answer is compared with the clauses of a source. It contradicts the source if a source clause has its words but
the opposite ending, and no source clause that agrees is as close. When in doubt the check stays silent: a clause that names
other figures or limits, or that negates something else on the way, is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

_FEWEST = 2  # words of a clause that is judged
_SOME = 4  # words from which the last one may stand anywhere in the source
_MANY = 6  # words from which one may be missing in the source
_HELD = 0.8  # share of the words of such a clause that the source must hold
_NEARER = 0.15  # by how much an agreeing clause may hold less and still speak for the answer
_LAST = 3  # words among which the last of the other clause must be
_TAIL = 48  # characters in which a clause says yes or no

_SENTENCE_END = re.compile(r"(?<=[다요음함됨])[.。!?]+\s*|\n+|;\s?|(?:^|\s)(?:다만|그러나|하지만|단),?\s")
_CLAUSE_END = re.compile(
    # 신고, 해고 and 보고 are nouns
    r"(?<=[하되이있없않받주두내시었았였했됐겠으][고며])[,\s]\s*(?!있|계|나서|하지)|(?<=지만)[,\s]\s*|(?<=으나)[,\s]\s*|(?<=는데)[,\s]\s*"
)
_SOURCE_CLAUSE_END = re.compile(rf"{_CLAUSE_END.pattern}|(?<=므로)[,\s]\s*")
_ASIDE = re.compile(r"\([^()\n]{0,80}+\)")
_WORD = re.compile(r"[가-힣]{1,30}|[A-Za-z]{1,30}|\d[\d.,]{0,20}[%가-힣]{0,5}")
_FIGURE_TAIL = re.compile(r"(?<=[가-힣%])(?:인|이|입니다|이다|이라면|이면)$")
_PARTICLES = re.compile(
    r"(?:에게서는|에서는|으로는|에게는|까지는|부터는|에서도|으로도|에는|에도|로는|로도|에서|에게|으로|까지|부터|이나|이란|처럼|보다|마다|라도|조차|밖에"
    r"|만|은|는|이|가|을|를|의|에|로|와|과|도|나|께)$"
)
# Nouns that end as if in a particle.
_WHOLE = re.compile(
    r"(?:휴가|허가|인가|평가|국가|대가|증가|추가|참가|단가|원가|물가|시가|제도|한도|정도|연도|년도|별도|양도|매도|인도|과도|회의|협의|합의|동의|이의|주의|고의|임의"
    r"|결과|효과|초과|경과|부과|통과|성과|해고|신고|예고|통보|도로)$"
)
_VERB = re.compile(
    r"^([가-힣]{2,}?)(?:하|해|했|한|할|함|합|되|돼|된|될|됨|됩|됐|시키|시켜|받|당하|드리|이며|이고|입니|이다|인)[가-힣]*$"
)
# 알리지 and 알려야, 갚지 and 갚아야 are one verb; a noun of one syllable keeps its particle out as well.
_SHORT = re.compile(r"^([가-힣])(?:[가-힣]?(?:지|야)|고|아|어|으면|아도|어도|은|는|을|으므로|으며|습니다)$")
_HOLLOW = frozenset(
    "수 것 경우 때 등 및 또는 그 이 저 위 해당 대하여 대해 대한 관하여 관한 따라 따른 의하여 의한 통해 위해 위하여 위한 또한 반드시 모두 각각 바로 즉시 그러나 따라서 그리고"
    " 네 예 하 하려면 하는 하여 하여야 하면 하고 하지 해 해야 해도 해서 한 한다 할 함 합니다 되 되는 되어 되면 되지 된 된다 될 됨 됩니다 됐습니다 안 못 말 입니다 이다 필요 의무".split()
)
_HOLLOW_STEM = re.compile(r"^(?:않|없|있|아니[하한할합]|아닙|아닌|아니|못[하한할합]|필요[하한할합]|무방|상관|괜찮)")
_AUXILIARY = r"(?:\s(?:됩니다|된다|되|되며|되고|돼요|합니다|한다|하다|수|있습니다|있다|있음|것입니다|것이다|무방합니다|무방하다|괜찮습니다|좋습니다|상관없습니다|됨|함))"
_NEGATION = re.compile(
    rf"지(?:는|도|를|가|만)?\s?(?:않|아니|못|말)[가-힣]{{0,8}}{_AUXILIARY}{{0,4}}$"
    r"|수(?:가|는|도)?\s?없[가-힣]{0,6}$"
    r"|(?:필요|의무|책임|이유|근거|제한|불이익|문제|상관|권리|효력|것|바|자격|대상|부담|방법|일|적|규정|기준)(?:가|는|이|도|은)?\s?없[가-힣]{0,6}$"
    r"|(?:면|서는|어도)\s?안\s?(?:되|된|됩|돼)[가-힣]{0,6}$"
    rf"|(?:^|\s)(?:안\s|못\s?|안(?!내))(?:해|하|합|한|됩|되|받|내|갑)[가-힣]{{0,6}}{_AUXILIARY}?$"
    r"|(?:^|\s)없(?:습니다|다|음|어요)$|아닙니다$|아니다$|아님$|아니에요$"
)
_OPPOSITE = re.compile(
    rf"(?:불가|불가능|금지|면제|제외|배제|불필요|무효|비과세|면세|생략|무관)(?:대상|사유)?(?:입니다|이다|[하한할합되된될됩돼]?[가-힣]{{0,6}}){_AUXILIARY}{{0,3}}$"
)
_DOUBLE = re.compile(
    r"(?:지(?:는|도)?\s?(?:않|아니)[가-힣]{0,4}|없으)(?:면|서는)\s?안\s?(?:되|된|됩|돼)[가-힣]{0,6}$"
    r"|지(?:는|도)?\s?않을\s수(?:가|는)?\s?없[가-힣]{0,6}$"
)
_NEED_NOT = re.compile(r"지\s?(?:않|아니)(?:아도|하여도|해도|을 수|할 수)\s?[가-힣\s]{0,8}$")
_MAY = re.compile(r"수(?:도)?\s?있[가-힣]{0,6}$")
_ANTONYM = re.compile(r"불가능|금지|면제|제외|배제|불필요|무효|비과세|면세|생략|무관")
# Denied or turned round on the way to the end of a clause.
_TURNED = re.compile(r"(?:않|아니|없|못)(?!더라도|하더라도|므로|으므로)|아닌|아닙|외에|이외|제외|전에|이전")
_LIMITS = re.compile(r"이상|이하|미만|초과|이내|이전|이후|부터|까지|만\s")
_NOT_A_WORD = re.compile(r"(?<![^가-힣A-Za-z0-9])[^가-힣A-Za-z0-9]+$")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its words as stems, and how it ends."""

    words: frozenset[str]
    affixes: frozenset[str]  # words and what they begin or end with: two syllables or more, or one of a short verb
    last: str  # the last word: what the clause says of the others
    ends_in: frozenset[str]  # the last words with their affixes
    is_negative: bool
    may_be: bool  # it only allows something, or lets it be left
    turns: int  # denials before its end
    limits: frozenset[str]
    ending: str  # its last words as written


def clauses_of(text: str, *, of_source: bool = False) -> tuple[Clause, ...]:
    """The clauses of ``text`` that have words enough to be compared, and its sentences of several as wholes.

    What follows from a reason (…이므로) a source states by itself, and with its reason; in an answer it rests on the reason, so they stay
    together.
    """
    parts: dict[str, None] = {}
    for sentence in filter(None, _SENTENCE_END.split(_ASIDE.sub("", text))):
        for ends in (_SOURCE_CLAUSE_END, _CLAUSE_END) if of_source else (_CLAUSE_END,):
            parts |= dict.fromkeys(part for part in ends.split(sentence) if part)
        parts[sentence] = None
    return tuple(clause for part in parts if (clause := _clause(part)))


def content_words(text: str) -> list[str]:
    """The words of ``text`` that say something, as stems, without what stands in brackets and without figures."""
    found = [stem for word in _WORD.findall(_ASIDE.sub("", text)) if (stem := _stem(word))]
    return [stem for stem in found if not stem[0].isdigit()]


def with_affixes(words: Iterable[str]) -> frozenset[str]:
    """``words`` and what they begin or end with, so that 신고서 is found in 정정신고서."""
    return frozenset(part for word in words for part in _affixes(word))


def whole_clause(text: str) -> Clause | None:
    """``text`` as one clause; None where its words are too few to be compared."""
    return _clause(_ASIDE.sub("", text))


def turned_round(told: Clause, known: Clause) -> bool:
    """Return True if two clauses of the same words end in opposite ways."""
    return told.is_negative != known.is_negative and told.turns % 2 == known.turns % 2 and told.last in known.ends_in


class Source(Protocol):
    """A source with its clauses, as an answer is compared with it."""

    @property
    def body(self) -> str: ...

    @property
    def clauses(self) -> Sequence[Clause]: ...


def contradicted(text: str, sources: Sequence[Source], *, is_cited: bool) -> str | None:
    """The words with which a clause of ``text`` denies what a clause of ``sources`` says; None if none does."""
    told = [clause for clause in clauses_of(text) if is_cited or len(clause.words) > _FEWEST]
    # to read the clauses of a source takes a hundred times as long as to see that it has not the words
    told = [clause for clause in told if any(_may_hold(source.body, clause) for source in sources)]
    known = [clause for source in sources for clause in source.clauses] if told else []
    for clause in told:
        compared = [(fact, _held(clause, fact)) for fact in known]
        against = max((held for fact, held in compared if _denies(clause, fact, held)), default=0.0)
        agreeing = max((held for fact, held in compared if fact.is_negative == clause.is_negative), default=0.0)
        if against and agreeing < against - _NEARER:
            return clause.ending
    return None


def _may_hold(body: str, clause: Clause) -> bool:
    """Return False if too few of the words of ``clause`` stand anywhere in a text for one of its clauses to hold it."""
    text = _ASIDE.sub("", body).casefold()
    return _is_enough(sum(word.removesuffix("~") in text for word in clause.words) / len(clause.words), clause)


def _is_enough(held: float, clause: Clause) -> bool:
    return held >= (_HELD if len(clause.words) >= _MANY else 1.0)


def _denies(clause: Clause, other: Clause, held: float) -> bool:
    return (
        _is_enough(held, clause)
        and clause.last in (other.affixes if len(clause.words) >= _SOME else other.ends_in)
        and clause.is_negative != other.is_negative
        and not (clause.may_be and other.may_be)
        and clause.turns % 2 == other.turns % 2
        and clause.limits <= other.limits
    )


def _held(clause: Clause, other: Clause) -> float:
    return sum(word in other.affixes for word in clause.words) / len(clause.words)


def _clause(text: str) -> Clause | None:
    """The clause; None where its words are too few to be compared."""
    said = [stem for word in _WORD.findall(text) if (stem := _stem(word))]
    words = frozenset(said)
    if len(words) < _FEWEST:
        return None
    text = _NOT_A_WORD.sub("", text[-400:])
    body, tail = text[:-_TAIL], text[-_TAIL:]
    negations, before = _end(tail)
    is_negative = negations % 2 == 1
    return Clause(
        words,
        with_affixes(words),
        said[-1],
        with_affixes(said[-_LAST:]),
        is_negative,
        bool(_NEED_NOT.search(tail) or (not is_negative and _MAY.search(tail))),
        len(_TURNED.findall(body + tail[:before])),
        frozenset(_LIMITS.findall(text)),
        " ".join(text.split()[-3:]),
    )


def _end(tail: str) -> tuple[int, int]:
    """The number of times that the end of a clause denies and where that begins: one for 제외됩니다, two for 제외되지 않습니다."""
    if double := _DOUBLE.search(tail):
        return 0, double.start()
    denied = _NEGATION.search(tail)
    before = tail[: denied.start()].rstrip() if denied else tail
    opposite = _OPPOSITE.search(before)
    return bool(denied) + bool(opposite), opposite.start() if opposite else len(before)


def _affixes(word: str) -> set[str]:
    return {
        word,
        f"{word[0]}~",
        *(word[:size] for size in range(2, len(word))),
        *(word[-size:] for size in range(2, len(word))),
    }


def _stem(word: str) -> str:
    """A word without its particle or ending; empty for words that say nothing by themselves."""
    if not "가" <= word[0] <= "힣":
        return _FIGURE_TAIL.sub("", _PARTICLES.sub("", word.rstrip(".,").casefold()))
    if (short := _SHORT.match(word)) and not (word in _HOLLOW or _HOLLOW_STEM.match(word) or _WHOLE.search(word)):
        return f"{short[1]}~"
    stem = word if _WHOLE.search(word) else _PARTICLES.sub("", word)
    if stem == word and not _WHOLE.search(word) and (verb := _VERB.match(word)):
        stem = verb[1]
    if len(stem) > 2 and stem.endswith("받"):  # 공제받을 and 공제받지 are one verb
        stem = stem[:-1]
    is_hollow = word in _HOLLOW or stem in _HOLLOW or bool(_HOLLOW_STEM.match(word)) or bool(_ANTONYM.fullmatch(stem))
    return "" if is_hollow or len(stem) < 2 else stem
