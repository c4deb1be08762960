"""An English question as a Korean one, so that everything behind it reads Korean.

No translation: the things that are named, what is done to them, the figures, and a Korean ending for the way it is asked. "When do
I have to file VAT if I'm a sole proprietor?" becomes "개인사업자 부가세 언제까지 신고해야 하나요?". Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from utils.english.figures import figure_at
from utils.english.lexicon import Frame, Lexicon, Noun, Verb, load_lexicon

_HANGUL = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_PROPER_NAME = re.compile(r"(?<=[a-z,] )[A-Z][A-Za-z]{2,40}\b")
_FEWEST_WORDS = 2
_LONGEST = 2_000  # characters that are read: as many as a question may have
_STOPS = frozenset(".?!;\n,")
_ASKING = frozenset("is are do does did can could will would was were".split())

_ADVERBS = {
    Frame.WHEN: "언제까지",
    Frame.AMOUNT: "얼마",
    Frame.DAYS: "며칠",
    Frame.MONTHS: "몇 개월",
    Frame.YEARS: "몇 년",
    Frame.HOURS: "몇 시간",
    Frame.PEOPLE: "몇 명",
    Frame.TIMES: "몇 번",
    Frame.SPAN: "며칠",
    Frame.WHERE: "어디서",
    Frame.HOW: "어떻게",
    Frame.WHICH: "무엇",
    Frame.WHO: "누가",
}
_OF_ACTS = frozenset({Frame.WHERE, Frame.HOW, Frame.WHO})  # 어디서 하나요, not 어디서인가요
_AMOUNTS = frozenset({Frame.AMOUNT, Frame.DAYS, Frame.MONTHS, Frame.YEARS, Frame.HOURS, Frame.PEOPLE})
_MODALS = frozenset({Frame.MUST, Frame.MAY, Frame.ABLE})
_CLOSED = {
    Frame.DOCUMENTS: "필요한 서류는 무엇인가요?",
    Frame.BETTER: "뭐가 유리한가요?",
    Frame.ELIGIBLE: "대상인가요?",
}
_DO, _GET = Verb("하", "해", ""), Verb("받", "받아", "")


@dataclass(slots=True)
class _Clause:
    """The words between two stops: things in ``groups`` that prepositions part, and the first thing done."""

    groups: list[list[str]] = field(default_factory=lambda: [[]])
    verb: Verb | None = None
    frames: list[Frame] = field(default_factory=list)
    asks: bool = False
    opens: bool = False
    is_negated: bool = False
    is_condition: bool = False
    lacks: bool = False
    joins: bool = False

    @property
    def has_things(self) -> bool:
        return any(self.groups)

    @property
    def is_empty(self) -> bool:
        return not (self.has_things or self.verb or self.frames or self.is_negated)

    @property
    def is_question(self) -> bool:
        return bool(self.frames) or ((self.asks or self.opens) and not self.is_condition)

    @property
    def things(self) -> str:
        """The things, what is behind a preposition first, as Korean has it."""
        return " ".join(dict.fromkeys(thing for group in reversed(self.groups) for thing in group))

    def name(self, thing: str) -> None:
        self.groups[-1].append(f"{thing} 없이" if self.lacks else thing)
        self.lacks = False

    def act(self, verb: Verb) -> None:
        """The first thing done is the predicate; another one is a thing."""
        if self.verb is None and not self.lacks:
            self.verb = verb
        elif verb.noun:
            self.name(verb.noun)


def is_english(text: str) -> bool:
    """Return True if ``text`` has Latin words and no Hangul."""
    return _HANGUL.search(text) is None and _LATIN_WORD.search(text) is not None


def in_korean(text: str, *, follows_up: bool = False) -> str | None:
    """An English question in the Korean words of owners; None where it is none, or names nothing that is known here.

    One that ``follows_up`` need name nothing.
    """
    if not is_english(text) or len(_LATIN_WORD.findall(text[:_LONGEST])) < _FEWEST_WORDS:
        return None
    clauses = _settled(_clauses(text[:_LONGEST], load_lexicon()))
    named = any(_HANGUL.search(clause.things) or (clause.verb and clause.verb.noun) for clause in clauses)
    if not clauses or not (named or follows_up):
        return None
    questions = [clause for clause in clauses if clause.is_question] or clauses[-1:]
    told = [_told(clause) for clause in clauses if not any(clause is asked for asked in questions)]
    return " ".join(filter(None, [*told, *map(_asked, questions)]))


def _clauses(text: str, lexicon: Lexicon) -> list[_Clause]:
    """The clauses in order."""
    words = lexicon.words(text)
    names = {word: name for name in _PROPER_NAME.findall(text) for word in lexicon.words(name)}
    clauses = [_Clause()]
    place = 0
    while place < len(words):
        if words[place] in _STOPS:
            clauses[-1].asks |= words[place] == "?"
            clauses.append(_Clause(joins=words[place] == ","))
            place += 1
            continue
        place += _read(words, place, clauses, lexicon, names)
    return [clause for clause in clauses if not clause.is_empty]


def _read(words: Sequence[str], place: int, clauses: list[_Clause], lexicon: Lexicon, names: Mapping[str, str]) -> int:
    """Put what stands at ``place`` into the last clause, or into a new one; the number of words read.

    A proper name that is not known stays as it is: an answer that says nothing of it is no answer.
    """
    clause = clauses[-1]
    known = lexicon.items.at(words, place)
    figure = figure_at(words, place, lexicon) if known is None or known[1] == 1 else None
    if figure is not None:
        if figure[0]:
            clause.name(figure[0])
        return figure[1]
    if known is None and words[place] in names:
        clause.name(names[words[place]])
        return 1
    if known is None:
        clause.opens |= clause.is_empty and words[place] in _ASKING
        return 1
    item, length = known
    if isinstance(item, Noun):
        clause.name(item.korean)
    elif isinstance(item, Verb):
        clause.act(item)
    else:
        _frame(item, clauses)
    return length


def _frame(frame: Frame, clauses: list[_Clause]) -> None:
    clause = clauses[-1]
    if frame is Frame.BREAK:
        clauses.append(_Clause(joins=True))
    elif frame is Frame.CONDITION:
        clauses.append(_Clause(is_condition=True))
    elif frame is Frame.NEGATED:
        clause.is_negated = True
    elif frame is Frame.LACKING:
        clause.lacks = True
    elif frame is Frame.OF or (frame is Frame.WHO and not clause.is_empty):
        clause.groups.append([])
    elif frame not in clause.frames:
        if frame in _MODALS and clause.has_things:  # how much capital | do I need to set up a company
            clause.groups.append([])
        clause.frames.append(frame)


def _settled(clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses with what they leave out: things alone behind "and" belong to the clause before, and "is that allowed?" asks of it."""
    settled: list[_Clause] = []
    for clause in clauses:
        before = settled[-1] if settled else None
        if before is not None and clause.joins and not (clause.verb or clause.frames or clause.is_condition):
            before.groups[-1].extend(thing for group in clause.groups for thing in group)
            before.asks |= clause.asks
            continue
        if before is not None and clause.is_question and not clause.has_things:
            clause.groups = before.groups
            clause.verb = clause.verb or before.verb
            if not before.is_question:
                settled.pop()
        settled.append(clause)
    return settled


def _told(clause: _Clause) -> str:
    """A circumstance or a condition, which stands before what is asked."""
    if clause.verb is None:
        return f"{clause.things} 안 하면".strip() if clause.is_negated and clause.is_condition else clause.things
    ending = "면" if clause.is_condition else "는데"
    return f"{clause.things} {_done(clause, _with_ending(clause.verb.stem, ending))}".strip()


def _asked(clause: _Clause) -> str:
    """A question."""
    verb = clause.verb or _DO
    adverbs = " ".join(_ADVERBS[frame] for frame in clause.frames if frame in _ADVERBS)
    if Frame.CONSEQUENCE in clause.frames:
        done = _done(clause, _with_ending(verb.stem, "면")) if clause.verb or clause.is_negated else ""
        return _joined(clause.things, done, "어떻게 되나요?")
    for frame, ending in _CLOSED.items():
        if frame in clause.frames:
            return _joined(clause.things, verb.noun, ending)
    if Frame.ABLE in clause.frames:
        return _joined(clause.things, adverbs, f"{_able(clause.verb or _GET)} 수 있나요?")
    if Frame.MUST in clause.frames and clause.verb is None and not _AMOUNTS.isdisjoint(clause.frames):
        return _joined(clause.things, adverbs, "필요한가요?")
    if Frame.MUST in clause.frames:
        return _joined(clause.things, adverbs, f"{verb.linking}야 하나요?")
    if Frame.MAY in clause.frames:
        return _joined(clause.things, adverbs, f"{_done(clause, verb.linking)}도 되나요?")
    if Frame.EXISTS in clause.frames:
        return _joined(clause.things, verb.noun, "있나요?")
    if clause.verb is not None:
        return _joined(clause.things, adverbs, f"{verb.stem}나요?")
    if adverbs:
        acts = not _OF_ACTS.isdisjoint(clause.frames)
        return _joined(clause.things, f"{adverbs} 하나요?" if acts else f"{adverbs}인가요?")
    if clause.opens or not clause.has_things:
        return _joined(clause.things, "되나요?")
    if clause.is_condition:
        return f"{clause.things}이면요?"
    about = clause.asks or Frame.ABOUT in clause.frames
    return (
        f"{clause.things}{'는' if _ends_open(clause.things) else '은'}요?" if about else f"{clause.things} 알려 주세요."
    )


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _done(clause: _Clause, form: str) -> str:
    """A form of the predicate, denied where the clause denies it: 신고 안 하면."""
    if not clause.is_negated:
        return form
    noun = clause.verb.noun if clause.verb else ""
    return f"{noun} 안 {form.removeprefix(noun)}".strip()


def _ends_open(word: str) -> bool:
    """The last syllable has no final consonant."""
    return (ord(word[-1]) - ord("가")) % 28 == 0


def _with_ending(stem: str, ending: str) -> str:
    return f"{stem}{'으' if ending == '면' and not _ends_open(stem) else ''}{ending}"


def _able(verb: Verb) -> str:
    """The form before 수: 할, 받을."""
    return f"{verb.stem[:-1]}{chr(ord(verb.stem[-1]) + 8)}" if _ends_open(verb.stem) else f"{verb.stem}을"
