"""Text from outside as plain text: no invisible or undecodable characters, no instructions to a model.

Questions and documents are data. What is removed here carries no meaning a reader could see; what is neutralised tries
to speak to the model instead of asking.
"""

from __future__ import annotations

import re
import unicodedata

INJECTION_MARK = "[제외된 지시문]"
_MAX_COMBINING_RUN = 3

# C0 and C1 controls but tab and newline, surrogates, bidirectional overrides and isolates, zero-width and other
# invisible format characters, variation selectors, tags, non-characters.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e0fff]"
)
_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029|\x0b|\x0c|\x85")

# Delimiters of chat templates and prompts, and role labels that open a line.
_TEMPLATE_TOKENS = re.compile(
    r"<\|[^|<>]{1,40}\|>|</?s>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|instructions?|context|documents?)>"
    r"|^[ \t]*(?:#{1,6}[ \t]*)?(?:system|assistant|developer|시스템|어시스턴트)[ \t]*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
# "앞의 지시를 무시하고": not when somebody owns the instructions ("상사의 이전 지시를 무시하고"), which is a labour question.
_KOREAN_OVERRIDE = re.compile(
    r"(?<!의 )(?<!의)(?<![가-힣])"
    r"(?:(?:이전|위|위의|앞|앞의|앞선|기존|지금까지의?|이제까지의?|시스템|너의|네|당신의)[ \t]*)"
    r"(?:(?:의|에|모든|있는|받은|준|내린)[ \t]*)*"
    r"(?:지시|지침|명령|명령어|규칙|프롬프트|설정|instruction)(?:사항|문|들)?(?:은|는|을|를|도)?[ \t]*(?:모두|다|전부|완전히|싹)?[ \t]*"
    r"(?:무시|잊|따르지|지우|삭제|취소|버리)(?:하고|하여|해서|해|하세요|하십시오|하라|하시오|고|어|어라|지|지 말고|지 마|말고|워|줘|버려)*",
)
_KOREAN_REVEAL = re.compile(
    r"(?:(?:너의|네|당신의|숨겨진|내부)[ \t]*)?(?:시스템[ \t]*(?:프롬프트|메시지|지시문?|명령)|프롬프트[ \t]*(?:원문|전문|내용)?)"
    r"(?:을|를|은|는|의 내용을)?[ \t]*(?:그대로|모두|전부|다)?[ \t]*"
    r"(?:출력|공개|보여|알려|말해|반복|인쇄|유출)(?:하|해|줘|라|세요|십시오| 줘| 주세요|주세요)*"
)
_KOREAN_ROLE = re.compile(
    r"(?:(?:이제|지금)[ \t]*부터[ \t]*)?(?:너는|넌|당신은)[ \t]*(?:이제|지금)?[ \t]*(?:부터)?[^\n.?!]{0,40}?"
    r"(?:(?:제한|제약|규칙|검열)(?:이|은)?[ \t]*없는|탈옥한?|DAN|개발자[ \t]*모드|관리자[ \t]*모드)[^\n.?!]{0,40}",
    re.IGNORECASE,
)
_ENGLISH_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^\n.?!]{0,30}?"
    r"\b(?:previous|prior|above|earlier|preceding|all|any|your|system|the)\b[^\n.?!]{0,30}?"
    r"\b(?:instructions?|prompts?|rules?|directions?|guidelines?|messages?|context)\b",
    re.IGNORECASE,
)
_ENGLISH_REVEAL = re.compile(
    r"\b(?:reveal|print|show|output|repeat|display|leak)\b[^\n.?!]{0,30}?\b(?:system|initial|hidden|your)[ \t]+"
    r"(?:prompts?|instructions?|messages?|rules)\b",
    re.IGNORECASE,
)
_ENGLISH_ROLE = re.compile(
    r"\b(?:you are now|from now on,? you(?: are|'re| will)|act as|pretend (?:to be|you are))\b[^\n.?!]{0,60}?"
    r"\b(?:DAN|jailbroken|unrestricted|developer mode|without (?:any )?(?:restrictions?|rules?|limits?)|no (?:rules|restrictions))\b",
    re.IGNORECASE,
)
_INJECTIONS = (_KOREAN_OVERRIDE, _KOREAN_REVEAL, _KOREAN_ROLE, _ENGLISH_OVERRIDE, _ENGLISH_REVEAL, _ENGLISH_ROLE)


def clean_text(text: str) -> str:
    """``text`` in NFC without invisible characters; line ends become ``\\n``; over-long combining runs are cut.

    Never longer than ``text`` beyond what NFC composes; idempotent; always encodable as UTF-8.
    """
    if text.isascii() and text.isprintable():
        return text
    visible = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text))
    return unicodedata.normalize("NFC", _cut_combining_runs(visible))


def neutralize_injection(text: str) -> str:
    """``text`` with phrasings that address the model replaced by a mark; everything else stays as it was."""
    for pattern in (_TEMPLATE_TOKENS, *_INJECTIONS):
        text = pattern.sub(INJECTION_MARK, text)
    return text


def sanitize_question(text: str) -> str:
    """What the pipeline sees of a user's text: clean, neutralised, trimmed; may be empty."""
    return neutralize_injection(clean_text(text)).strip()


def printable(text: str, limit: int) -> str:
    """``text`` on one line for a message or a log, cut to ``limit`` characters."""
    return clean_text(text[:limit]).replace("\n", " ")


def _cut_combining_runs(text: str) -> str:
    if not any(map(unicodedata.combining, text)):
        return text
    kept: list[str] = []
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= _MAX_COMBINING_RUN:
            kept.append(character)
    return "".join(kept)
