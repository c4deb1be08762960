"""Questions as people type them: the same questions without spaces, with spaces in wrong places, with typing errors, with parties.

Made by rule from a seed, so that the same question is spoilt in the same way each time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from evaluation.questions import EvaluationQuestion
from utils.korean.hangul import composed, is_syllable, keys_beside, keys_of

SEED = 20_240_601

_TYPO_RATE = 1 / 8  # of the words
_SPACE_DROPPED, _SPACE_MOVED, _SPACE_INSERTED = 0.25, 0.08, 0.08  # of the gaps, of the gaps, of the longer words
_LONGER_WORD = 3  # syllables

_CONFUSED = str.maketrans("ㅐㅔㅒㅖ", "ㅔㅐㅖㅒ")


def perturbed(question: str, kind: str, seed: int = SEED) -> str:
    """``question`` spoilt in one way; the kinds are the keys of `PERTURBATIONS`."""
    return PERTURBATIONS[kind](question, random.Random(f"{seed}:{kind}:{question}"))  # noqa: S311  # repeatable, not secret


def perturbed_question(question: EvaluationQuestion, kind: str) -> EvaluationQuestion:
    """The same with its text `perturbed`."""
    return question.model_copy(update={"question": perturbed(question.question, kind)})


def _joined(question: str, _: random.Random) -> str:
    return "".join(question.split())


def _spaced(question: str, chance: random.Random) -> str:
    """Gaps between words lost or one syllable off, and gaps inside words."""
    text = ""
    for whole in question.split():
        word = whole
        drawn = chance.random()
        if not text or drawn < _SPACE_DROPPED:
            gap = ""
        elif drawn < _SPACE_DROPPED + _SPACE_MOVED and is_syllable(text[-1]):
            text, gap = f"{text[:-1]} {text[-1]}", ""
        else:
            gap = " "
        if len(word) >= _LONGER_WORD and chance.random() < _SPACE_INSERTED:
            cut = chance.randrange(1, len(word))
            if is_syllable(word[cut - 1]) and is_syllable(word[cut]):
                text, gap, word = f"{text}{gap}{word[:cut]}", " ", word[cut:]
        text += gap + word
    return text


def _with_typos(question: str, chance: random.Random) -> str:
    """Put a typing error into about every eighth word, of a random kind and at a random place."""
    words = question.split(" ")
    for number, word in enumerate(words):
        if chance.random() < _TYPO_RATE and any(map(is_syllable, word)):
            words[number] = _mistyped(word, chance)
    return " ".join(words)


def _with_parties(question: str, _: random.Random) -> str:
    """As a case is told in an exam: the names say nothing."""
    return f"갑은 을과 병에게 {question}"


def _mistyped(word: str, chance: random.Random) -> str:
    while True:
        error = chance.choice(_ERRORS)
        spoilt = error(word, chance)
        if spoilt != word:
            return spoilt


def _slipped(word: str, chance: random.Random) -> str:
    """The key beside the right one."""
    keys = keys_of(word)
    at = chance.choice([place for place, key in enumerate(keys) if keys_beside(key)])
    return composed(keys[:at] + chance.choice(keys_beside(keys[at])) + keys[at + 1 :])


def _dropped(word: str, chance: random.Random) -> str:
    keys = keys_of(word)
    at = chance.randrange(len(keys))
    return composed(keys[:at] + keys[at + 1 :]) if keys_beside(keys[at]) and len(keys) > 1 else word


def _doubled(word: str, chance: random.Random) -> str:
    keys = keys_of(word)
    at = chance.randrange(len(keys))
    return composed(keys[: at + 1] + keys[at:]) if keys_beside(keys[at]) else word


def _confused(word: str, chance: random.Random) -> str:
    """ㅐ for ㅔ, ㅖ for ㅒ, or the other way round; the word itself where it has none of them, as for every error here."""
    places = [place for place, letter in enumerate(word) if keys_of(letter).translate(_CONFUSED) != keys_of(letter)]
    if not places:
        return word
    at = chance.choice(places)
    return word[:at] + composed(keys_of(word[at]).translate(_CONFUSED)) + word[at + 1 :]


def _without_final(word: str, chance: random.Random) -> str:
    """A syllable without its final consonant: 근로 → 그로."""
    places = [place for place, letter in enumerate(word) if is_syllable(letter) and (ord(letter) - ord("가")) % 28]
    if not places:
        return word
    at = chance.choice(places)
    return word[:at] + chr(ord(word[at]) - (ord(word[at]) - ord("가")) % 28) + word[at + 1 :]


_ERRORS: tuple[Callable[[str, random.Random], str], ...] = (_slipped, _dropped, _doubled, _confused, _without_final)

PERTURBATIONS: Mapping[str, Callable[[str, random.Random], str]] = {
    "joined": _joined,
    "spacing": _spaced,
    "typos": _with_typos,
    "parties": _with_parties,
}
