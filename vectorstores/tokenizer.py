"""Korean content terms: what is indexed, what is searched for.

One named, versioned part. Everything that changes its output changes ``TOKENIZER_VERSION``, and with it the id that an
index records: an index built by another tokenizer is refused at start instead of searched wrongly.

Rules: content morphemes only (particles and endings do not stick); verbs and adjectives in dictionary form; figures,
dates and statute references survive as one canonical term each; one-syllable nouns survive; a negating or narrowing
prefix is kept on its noun beside the plain noun (비과세 → 비과세, 과세).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache

from kiwipiepy import Kiwi, Token
from kiwipiepy import __version__ as kiwi_version

from utils.documents import LocatedTerms
from utils.figures.figures import Figure, FigureKind, find_figures
from utils.protocols import Morpheme

TOKENIZER_VERSION = 2
TOKENIZER_ID = f"kiwi-{kiwi_version}-v{TOKENIZER_VERSION}"

NOUN_TAGS = frozenset({"NNG", "NNP", "XR", "SL", "SH"})
PREDICATE_TAGS = frozenset({"VV", "VA", "VV-I", "VA-I", "VV-R", "VA-R"})
_CONTENT_TAGS = NOUN_TAGS | PREDICATE_TAGS

# Function-like predicates and nouns: they stand in nearly every question and say nothing about its subject.
STOP_TERMS = frozenset(
    "하다 되다 있다 없다 같다 받다 주다 보다 가다 오다 알다 싶다 어떻다 그렇다 이렇다 않다 못하다 말다 "
    "경우 때 것 수 등 전 후 중 상 하 시 내 점 바 데 뿐 대로 만큼 무엇 어디 언제 누구 얼마 여부".split()
)

# Kiwi's cost grows faster than the text (100,000 characters: 1.5 s, 800,000: 180 s), so long texts go in pieces.
_MAX_PIECE = 4_000
_CACHED_PIECES = 4_096
# Kiwi analyses a sentence by itself, whatever stands before and after it (the same morphemes and probabilities for all 519 questions
# of several sentences that are kept for evaluation). After a syllable alone: "2026. 3. 1." is no end.
_SENTENCE_BREAK = re.compile(r"(?<=[가-힣][.!?])\s+")
# No language writes so many syllables without a break. What follows them is not analysed: it would take the analyser a tenth
# of a second, holding the GIL.
_MOST_SYLLABLES = 200
_UNBROKEN = re.compile(rf"(?<![가-힣])[가-힣]{{{_MOST_SYLLABLES}}}([가-힣]++)")
_HELD_LENGTH = 100  # characters up to which handing over costs more than it frees
_PIECE_BREAK = re.compile(r"(?<=[.!?\n])\s+")
# Bare list numerals are noise; a figure with a unit is a term.
_INDEXED_FIGURES = frozenset(FigureKind) - {FigureKind.NUMBER, FigureKind.CLAUSE}


class KiwiTokenizer:
    """The `Analyzer` of this service, over one shared Kiwi instance.

    Kiwi's analysis is thread-safe; the instance takes ~330 MB, so there is one a process. ``load_multi_dict=False`` gives the
    same tokens on statutes and loads in a third of the time.
    """

    def __init__(self, workers: int = 2) -> None:
        self._kiwi = Kiwi(num_workers=workers, load_multi_dict=False, load_typo_dict=False)
        self._kiwi.tokenize("준비")  # the first call builds the model; do it here and not in a request
        # The steps of a request read the question, its sentences and some of them together: each sentence is analysed once.
        self._sentence = lru_cache(_CACHED_PIECES)(self._analyze)
        self._located = lru_cache(_CACHED_PIECES)(self._locate)
        self._morphemes = lru_cache(_CACHED_PIECES)(self._read_morphemes)

    @property
    def id(self) -> str:
        return TOKENIZER_ID

    @property
    def kiwi(self) -> Kiwi:
        """The analyser itself, for its embedded language model."""
        return self._kiwi

    def terms(self, text: str) -> list[str]:
        return list(self._located(text).terms)

    def located(self, text: str) -> LocatedTerms:
        return self._located(text)

    def located_many(self, texts: Iterable[str]) -> Iterator[LocatedTerms]:
        # Kiwi reads ahead of what it yields, so the pieces under way wait in a queue: (offset, piece, is it the text's last).
        under_way: deque[tuple[int, str, bool]] = deque()

        def pieces() -> Iterator[str]:
            for text in texts:
                parts = _pieces(text)
                for number, (offset, part) in enumerate(parts, start=1):
                    under_way.append((offset, part, number == len(parts)))
                    yield part

        current = _Terms()
        for tokens in self._kiwi.tokenize(pieces()):
            offset, piece, is_last = under_way.popleft()
            current.read(offset, piece, tokens)
            if is_last:
                yield current.located()
                current = _Terms()

    def morphemes(self, text: str) -> list[Morpheme]:
        return list(self._morphemes(text))

    def _read_morphemes(self, text: str) -> tuple[Morpheme, ...]:
        return tuple(
            _moved(morpheme, offset) for offset, piece in _pieces(text) for morpheme in self._morphemes_of_piece(piece)
        )

    def _morphemes_of_piece(self, piece: str) -> list[Morpheme]:
        """The morphemes of a piece, sentence by sentence."""
        found: list[Morpheme] = []
        start = 0
        for end in [*(match.end() for match in _SENTENCE_BREAK.finditer(piece)), len(piece)]:
            found += [_moved(morpheme, start) for morpheme in self._sentence(piece[start:end].rstrip())]
            start = end
        return found

    def _analyze(self, sentence: str) -> tuple[Morpheme, ...]:
        return tuple(
            Morpheme(token.form, str(token.tag), token.start, token.end, token.score)
            for token in self._tokens(sentence)
        )

    def _tokens(self, sentence: str) -> list[Token]:
        # A single text is analysed with the GIL held, some 20 ms a thousand characters in which nothing else runs, the event
        # loop least of all. A batch of one is handed to Kiwi's own threads.
        held = len(sentence) <= _HELD_LENGTH
        tokens: list[Token] = self._kiwi.tokenize(sentence) if held else next(iter(self._kiwi.tokenize([sentence])))
        return tokens

    def _locate(self, text: str) -> LocatedTerms:
        found = _Terms()
        for offset, piece in _pieces(text):
            found.read(offset, piece, self._morphemes_of_piece(piece))
        return found.located()


def term_of(form: str, tag: str) -> str | None:
    """The index term of one morpheme, or None when it carries no content."""
    if tag in NOUN_TAGS:
        term = form.lower()
    elif tag in PREDICATE_TAGS:
        term = form + "다"
    else:
        return None
    return None if not form or term in STOP_TERMS else term


class _Terms:
    """The index terms of one text, read piece by piece: figures in canonical form at their place."""

    def __init__(self) -> None:
        self._terms: list[str] = []
        self._starts: list[int] = []

    def located(self) -> LocatedTerms:
        return LocatedTerms(tuple(self._terms), tuple(self._starts))

    def read(self, offset: int, piece: str, tokens: Iterable[Token | Morpheme]) -> None:
        """Add the terms of the next piece, which begins at ``offset`` and is analysed as ``tokens``."""
        add = self._add
        pending = iter(find_figures(piece))
        figure: Figure | None = next(pending, None)
        prefix: Token | Morpheme | None = None
        for token in tokens:
            start = token.start
            while figure is not None and figure.end <= start:
                self._add_figure(offset, figure)
                figure = next(pending, None)
            if figure is not None and start < figure.end and token.end > figure.start:
                prefix = None
                continue
            tag = token.tag
            if tag in _CONTENT_TAGS:  # asked here too, since most tokens are particles and endings
                term = term_of(token.form, tag)
                if term is not None:
                    if prefix is not None and prefix.end == start:
                        add(prefix.form + term, offset + start)
                    add(term, offset + start)
            prefix = token if tag == "XPN" else None
        while figure is not None:
            self._add_figure(offset, figure)
            figure = next(pending, None)

    def _add(self, term: str, start: int) -> None:
        self._terms.append(term)
        self._starts.append(start)

    def _add_figure(self, offset: int, figure: Figure) -> None:
        if figure.kind in _INDEXED_FIGURES:
            self._add(figure.canonical, offset + figure.start)


def _moved(morpheme: Morpheme, offset: int) -> Morpheme:
    """The morpheme in a text in which what was analysed begins at ``offset``."""
    if not offset:
        return morpheme
    start, end = morpheme.start + offset, morpheme.end + offset
    return Morpheme(morpheme.form, morpheme.tag, start, end, morpheme.log_probability)


def _pieces(text: str) -> list[tuple[int, str]]:
    """Return what of ``text`` is analysed, in order: offset and piece."""
    if len(text) <= _MOST_SYLLABLES:
        return [(0, text)]
    pieces: list[tuple[int, str]] = []
    begin = 0
    for start, end in [*(match.span(1) for match in _UNBROKEN.finditer(text)), (len(text), len(text))]:
        for piece in _split_long(text[begin:start]):
            pieces.append((begin, piece))
            begin += len(piece)
        begin = end
    return pieces


def _split_long(text: str) -> list[str]:
    if len(text) <= _MAX_PIECE:
        return [text]
    pieces: list[str] = []
    start = 0
    while len(text) - start > _MAX_PIECE:
        window = text[start : start + _MAX_PIECE]
        breaks = [match.end() for match in _PIECE_BREAK.finditer(window)]
        end = start + (breaks[-1] if breaks else (window.rfind(" ") + 1 or _MAX_PIECE))
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces
