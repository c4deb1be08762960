"""Hangul as it is typed on the two-set keyboard: text to keys, and keys to text as an input method composes them.

The key sequence is what typing errors happen to, so it is also what they are measured by: 근로기준볍 and 근로기준법 are one key apart.
"""

from __future__ import annotations

_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = ("ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ ㅕ ㅖ ㅗ ㅗㅏ ㅗㅐ ㅗㅣ ㅛ ㅜ ㅜㅓ ㅜㅔ ㅜㅣ ㅠ ㅡ ㅡㅣ ㅣ").split()
_FINALS = (
    "",
    *"ㄱ ㄲ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ ㅁ ㅂ ㅂㅅ ㅅ ㅆ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ".split(),
)
_FIRST, _LAST = "가", "힣"
# Jamo that one key does not give, as they stand alone: ㅘ, ㄳ.
_COMPOUNDS = dict(
    zip(
        "ㅘㅙㅚㅝㅞㅟㅢㄳㄵㄶㄺㄻㄼㄽㄾㄿㅀㅄ",
        [*(letters for letters in _VOWELS if len(letters) > 1), *(letters for letters in _FINALS if len(letters) > 1)],
        strict=True,
    )
)
_WRITTEN = {keys: jamo for jamo, keys in _COMPOUNDS.items()}

_INITIAL_NUMBER = {jamo: number for number, jamo in enumerate(_INITIALS)}
_VOWEL_NUMBER = {keys: number for number, keys in enumerate(_VOWELS)}
_FINAL_NUMBER = {keys: number for number, keys in enumerate(_FINALS)}
_SYLLABLE_KEYS = {
    chr(ord(_FIRST) + (first * len(_VOWELS) + middle) * len(_FINALS) + last): _INITIALS[first] + vowel + final
    for first in range(len(_INITIALS))
    for middle, vowel in enumerate(_VOWELS)
    for last, final in enumerate(_FINALS)
}

# The two-set layout row by row; each row begins half a key further right than the one above.
_ROWS = ("ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ", "ㅁㄴㅇㄹㅎㅗㅓㅏㅣ", "ㅋㅌㅊㅍㅠㅜㅡ")
_SHIFTED = {"ㄲ": "ㄱ", "ㄸ": "ㄷ", "ㅃ": "ㅂ", "ㅆ": "ㅅ", "ㅉ": "ㅈ", "ㅒ": "ㅐ", "ㅖ": "ㅔ"}
_PLACES = {key: (row, column + row / 2) for row, keys in enumerate(_ROWS) for column, key in enumerate(keys)}


def keys_beside(key: str) -> str:
    """The keys that a finger may hit instead: left and right, above and below, and the same one with or without shift."""
    row, column = _PLACES.get(_SHIFTED.get(key, key), (-9, 0.0))
    near = [other for other, (r, c) in _PLACES.items() if abs(row - r) <= 1 and abs(column - c) <= 1 and other != key]
    return "".join([*near, *(shifted for shifted, plain in _SHIFTED.items() if plain == key)])


def is_syllable(character: str) -> bool:
    """Return True if a character is a whole Hangul syllable."""
    return _FIRST <= character <= _LAST


def keys_of(text: str) -> str:
    """The keys that type ``text``, one character a key; what no Hangul key gives stays as it is."""
    return "".join(_SYLLABLE_KEYS.get(letter) or _COMPOUNDS.get(letter, letter) for letter in text)


def composed(keys: str) -> str:
    """Compose a sequence of keys as an input method does; ``composed(keys_of(text))`` is ``text`` for whole syllables."""
    written: list[str] = []
    first = vowel = final = ""

    def flush() -> None:
        nonlocal first, vowel, final
        if first and vowel:
            number = (_INITIAL_NUMBER[first] * len(_VOWELS) + _VOWEL_NUMBER[vowel]) * len(_FINALS)
            written.append(chr(ord(_FIRST) + number + _FINAL_NUMBER[final]))
        elif first or vowel:
            written.append(_WRITTEN.get(first + vowel, first + vowel))
        first = vowel = final = ""

    for key in keys:
        if key in _VOWEL_NUMBER:
            if final:  # the last consonant begins the next syllable: 각 + ㅏ → 가가
                moved, final = final[-1], final[:-1]
                flush()
                first, vowel = moved, key
            elif vowel + key in _VOWEL_NUMBER:
                vowel += key
            else:
                if vowel:
                    flush()
                vowel = key
        elif key in _INITIAL_NUMBER:
            if first and vowel and final + key in _FINAL_NUMBER:
                final += key
            else:
                flush()
                first = key
        else:
            flush()
            written.append(key)
    flush()
    return "".join(written)
