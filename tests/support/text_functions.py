"""The functions that read what users and models write, so that each of them can be pumped."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from agents.abilities.answer_check import is_evasive
from agents.abilities.bullets import bullets_of, words_of
from agents.abilities.talk import asked_before, is_unreadable
from agents.answering.company_profile import with_stated_headcount
from agents.answering.said_units import said_sentences
from agents.notices.dates import times_in
from agents.notices.references import references_in, step_in, without_references
from agents.serving.answer_text import answer_alone
from agents.understanding import UnderstandingReply
from chains.extractive.document_items import items_of
from chains.extractive.further_sentences import without_references as without_law_references
from chains.extractive.sentence_features import headcount_fit
from chains.extractive.sentence_scoring import quotable
from chains.models.errors import AttemptFailed
from chains.models.structured_reply import parse_reply
from schemas.chat import ChatRequest, Turn
from tests.support.hits import make_hit
from utils.calculators.reading.canonical import canonical
from utils.calculators.reading.figures import QuestionFigures
from utils.calculators.reading.from_text import calculate_from_text
from utils.calculators.reading.pay import read_pay
from utils.calculators.reading.readers import READERS
from utils.calculators.reading.topics import TOPICS
from utils.conclusions.thresholds import measured
from utils.conclusions.yes_no_questions import quantities, read_question
from utils.config.settings import PROJECT_ROOT
from utils.documents import is_web_address, on_one_line
from utils.english import lexicon as english_lexicon
from utils.english import reading as english
from utils.english.term_pairs import identifier_parts
from utils.figures.figures import find_figures
from utils.figures.numeral_scripts import in_arabic_digits
from utils.figures.numeral_words import legible
from utils.figures.numerals import parse_amount
from utils.figures.wanted_amounts import Amount, names_another_price, tells, wanted_amount
from utils.grounding import framing as grounding_framing
from utils.grounding import links as grounding_links
from utils.grounding.alignment import Retold, passages_of
from utils.grounding.answer_sentences import Sentence, SentenceStream, cited_numbers, split_sentences
from utils.grounding.check import AnswerChecker, GroundingSource, check_answer
from utils.grounding.claims import claims_of
from utils.grounding.facts import figures_of, readable, source_facts
from utils.grounding.polarity import clauses_of, content_words, contradicted, whole_clause
from utils.grounding.verdicts import misjudged
from utils.knowledge.case import case_of
from utils.knowledge.case_choices import choice_places, industries_of, stated_choices
from utils.knowledge.case_numbers import stated_numbers
from utils.knowledge.headcount import headcount_change, headcount_place, renamed_headcount, stated_headcount
from utils.knowledge.regions import place_spans, places_of
from utils.knowledge.validity import is_validity_note
from utils.korean import sentence_spans as document_sentences
from utils.korean.beyond_documents import asks_beyond_documents, is_of_another_country
from utils.korean.glossary import load_glossary
from utils.korean.keyword_matcher import normalise
from utils.korean.question_intent import intents_of, sentence_fit
from utils.korean.question_words import without_parties
from utils.korean.word_rarity import squeezed, syllable_pairs
from utils.law import article_numbers, statute_names
from utils.law.article_text import starts_line
from utils.law.question_references import LawNameFinder, LawReference, last_cited
from utils.law.tax_calendar import deadlines_for, move_off_holidays
from utils.law.text_citations import StatuteResolver
from utils.observability.personal_data import mask_personal_data, replace_personal_data
from utils.observability.pseudonyms import Pseudonyms
from utils.paperwork.rules.clauses import void_clauses
from utils.paperwork.templates.text_checks import harmless_line, harmless_text, has_resident_number
from utils.prompts.data import as_data
from utils.prompts.messages import (
    english_lead,
    not_found,
    says_not_found,
    without_english_lead,
    without_verdict,
)
from utils.protocols import Morpheme
from utils.resilience.response_cache import normalized
from utils.routing.follow_up import HISTORY_TURNS, LONGEST_TURN
from utils.routing.replaced_fact import with_replaced_fact
from utils.sanitizing.folded_text import Squeezed, fold
from utils.sanitizing.injection import addressed_spans
from utils.sanitizing.output_text import OutputCleaner
from utils.sanitizing.sanitize import clean_text, neutralize_injection, printable, sanitize_question
from vectorstores.search.chat_endings import written_out
from vectorstores.units.catalogue import UnitCatalogue

TextFunction = Callable[[str], object]

MESSAGE, TURN, SENTENCE = 2_000, 8_000, 4_000
"""Characters of a question, of a turn of the history or a model's text, and of the longest sentence of an answer."""

_GLOSSARY = load_glossary()
_SOURCE = GroundingSource(
    1, "부가가치세는 7월 25일까지 신고합니다. 제48조 제1항에 따라 3만원입니다.", "부가가치세법 제48조"
)
_CHECKER = AnswerChecker(_GLOSSARY.law_aliases)
_ARTICLE = LawReference("상법", "제1조")
_TODAY = date(2026, 11, 22)
move_off_holidays(_TODAY)  # holidays are loaded once, which takes longer than any reading


_FINDER = LawNameFinder(_GLOSSARY.laws, _GLOSSARY.law_aliases, _GLOSSARY.ambiguous_laws)


def _laws() -> LawNameFinder:
    """The finder without what it remembers."""
    _FINDER._read_once.cache_clear()
    return _FINDER


def _syllables(text: str) -> list[Morpheme]:
    """Every letter a word: the glossary has never more to look at."""
    return [Morpheme(letter, "NNG", place, place + 1) for place, letter in enumerate(text)]


def _morphemes(text: str) -> list[Morpheme]:
    """Every letter a denied word, and an ending that asks behind them all: as much to look at as there can be."""
    tags = ("MAG", "VV", "NNG", "XSV", "SN")
    words = [Morpheme(letter, tags[place % len(tags)], place, place + 1) for place, letter in enumerate(text)]
    return [*words, Morpheme(text, "SL", 0, len(text)), Morpheme("나요", "EF", len(text), len(text))]


_NAMES = Pseudonyms()
_NAMES.masked("010-1234-5678, hong@example.com, 900101-1234567")


def _restore_pieces(text: str) -> None:
    restorer = _NAMES.restored_pieces()
    for start in range(0, len(text), 8):
        restorer.feed(text[start : start + 8])
    restorer.flush()


def _parse(text: str) -> None:
    try:
        parse_reply(text, UnderstandingReply)
    except AttemptFailed:
        return


def _without_links(text: str) -> None:
    grounding_links.without(text, grounding_links.find_links(text))


def _misjudged(text: str) -> None:
    misjudged(text, [1], {1: frozenset({True})})


def _claims(text: str) -> None:
    claims_of(text, StatuteResolver(), None, names_agencies=True)


def _retold(text: str) -> None:
    """Held against a source that is the text itself."""
    retold = Retold(text, passages_of(GroundingSource(1, text), StatuteResolver()))
    retold.replaced(claims_of(text, StatuteResolver(), None, names_agencies=True)[0])
    retold.turned_round()


def _contradicted(text: str) -> None:
    contradicted(text, [source_facts(_SOURCE, StatuteResolver())], is_cited=True)


def _sums(text: str) -> None:
    asked = QuestionFigures(text, _TODAY)
    for read in READERS.values():
        read(asked)
    for topic in TOPICS.values():
        topic.is_of(text)
    calculate_from_text("weekly_holiday_pay", text, _TODAY)


def _said(text: str) -> None:
    """Every sentence cites a document, and every blank is one; what its units have is of a base, not of a user."""
    cited = text.replace(" ", " [1]. ")
    report = check_answer(cited, [_SOURCE])
    said_sentences(cited, report, [make_hit(_SOURCE.text)], UnitCatalogue({}))


def _stream(size: int) -> TextFunction:
    def feed(text: str) -> None:
        stream = SentenceStream()
        for start in range(0, len(text), size):
            stream.feed(text[start : start + size])
        stream.flush()

    return feed


def _clean_output(text: str) -> None:
    cleaner = OutputCleaner()
    for start in range(0, len(text), 4):
        cleaner.feed(text[start : start + 4])
    cleaner.flush()


def _check_sentence(text: str) -> None:
    _CHECKER.sentences([_SOURCE]).check(Sentence(text, 0, len(text)))


def _harmless_line(text: str) -> None:
    with suppress(PydanticCustomError):  # several lines, or nothing that can be seen
        harmless_line(text)


def _harmless_text(text: str) -> None:
    with suppress(PydanticCustomError):
        harmless_text(text)


def _as_request(text: str) -> None:
    turn = {"role": "user", "content": text or "x"}
    with suppress(ValidationError):  # half a surrogate pair is no text
        ChatRequest.model_validate({"message": "부가세는?", "history": [turn]})


# By name as `declared` gives it, then what is tried beside it; each with the size of what it may get.
FUNCTIONS: dict[str, tuple[TextFunction, int]] = {
    "agents.abilities.answer_check.is_evasive": (is_evasive, TURN),
    "agents.abilities.bullets.bullets_of": (lambda text: bullets_of(text, [text]), MESSAGE),
    "agents.abilities.bullets.words_of": (words_of, MESSAGE),
    "agents.abilities.talk.asked_before": (
        lambda text: asked_before(text, [Turn(role="user", content="질문")]),
        MESSAGE,
    ),
    "agents.abilities.talk.is_unreadable": (is_unreadable, MESSAGE),
    "agents.serving.answer_text.answer_alone": (answer_alone, TURN),
    "chains.extractive.document_items.items_of": (items_of, MESSAGE),
    "chains.extractive.further_sentences.without_references": (without_law_references, SENTENCE),
    "utils.english.term_pairs.identifier_parts": (identifier_parts, MESSAGE),
    "agents.answering.company_profile.with_stated_headcount": (lambda text: with_stated_headcount(None, text), MESSAGE),
    "agents.answering.said_units.said_sentences": (_said, SENTENCE // 8),
    "agents.notices.dates.times_in": (lambda text: times_in(text, _TODAY), MESSAGE),
    "agents.notices.references.references_in": (references_in, MESSAGE),
    "agents.notices.references.step_in": (step_in, MESSAGE),
    "agents.notices.references.without_references": (without_references, MESSAGE),
    "utils.korean.question_intent.intents_of": (intents_of, MESSAGE),
    "vectorstores.search.chat_endings.written_out": (written_out, MESSAGE),
    "utils.korean.beyond_documents.asks_beyond_documents": (asks_beyond_documents, MESSAGE),
    "utils.figures.wanted_amounts.names_another_price": (lambda text: names_another_price(text, text), MESSAGE),
    "utils.figures.wanted_amounts.tells": (lambda text: tells(text, Amount.MONEY), SENTENCE),
    "utils.figures.wanted_amounts.wanted_amount": (wanted_amount, MESSAGE),
    "utils.korean.beyond_documents.is_of_another_country": (lambda text: is_of_another_country(text, text), MESSAGE),
    "utils.korean.question_intent.sentence_fit": (sentence_fit, SENTENCE),
    "chains.extractive.sentence_features.headcount_fit": (lambda text: headcount_fit(text, 3), SENTENCE),
    "chains.extractive.sentence_scoring.quotable": (quotable, SENTENCE),
    "chains.models.structured_reply.parse_reply": (_parse, TURN),
    "utils.law.article_numbers.fold": (article_numbers.fold, TURN),
    "utils.law.article_numbers.find_articles": (article_numbers.find_articles, TURN),
    "utils.law.article_numbers.bare_article": (lambda text: article_numbers.bare_article(text, 0), TURN),
    "utils.law.article_text.starts_line": (starts_line, SENTENCE),
    "utils.calculators.reading.canonical.canonical": (canonical, TURN),
    "utils.calculators.reading.pay.read_pay": (read_pay, TURN),
    "utils.english.lexicon.stem": (english_lexicon.stem, MESSAGE),
    "utils.english.lexicon.tokens_of": (english_lexicon.tokens_of, TURN),
    "utils.english.reading.in_korean": (english.in_korean, TURN),
    "utils.english.reading.is_english": (english.is_english, TURN),
    "English words and numbers": (lambda text: english.in_korean(f"vat file 3 when if {text} 10 million"), TURN),
    "utils.figures.figures.find_figures": (find_figures, TURN),
    "utils.sanitizing.folded_text.fold": (fold, TURN),
    "utils.paperwork.templates.text_checks.harmless_line": (_harmless_line, TURN),
    "utils.paperwork.templates.text_checks.harmless_text": (_harmless_text, TURN),
    "utils.paperwork.templates.text_checks.has_resident_number": (has_resident_number, TURN),
    "utils.paperwork.rules.clauses.void_clauses": (lambda text: list(void_clauses("special_terms", text)), TURN),
    "utils.grounding.check.check_answer": (lambda text: check_answer(text, [_SOURCE]), SENTENCE),
    "utils.grounding.facts.figures_of": (figures_of, SENTENCE),
    "utils.grounding.facts.readable": (readable, TURN),
    "utils.grounding.framing.is_heading": (grounding_framing.is_heading, SENTENCE),
    "utils.grounding.framing.is_question": (grounding_framing.is_question, SENTENCE),
    "utils.grounding.framing.is_refusal": (grounding_framing.is_refusal, SENTENCE),
    "utils.grounding.framing.states_nothing": (grounding_framing.states_nothing, SENTENCE),
    "utils.grounding.links.addresses_of": (grounding_links.addresses_of, TURN),
    "utils.grounding.links.find_links": (grounding_links.find_links, SENTENCE),
    "utils.grounding.links.visible": (grounding_links.visible, SENTENCE),
    "utils.grounding.links.without": (_without_links, SENTENCE),
    "utils.grounding.alignment.Retold": (_retold, SENTENCE),
    "utils.grounding.claims.claims_of": (_claims, SENTENCE),
    "utils.grounding.polarity.content_words": (content_words, SENTENCE),
    "utils.grounding.polarity.whole_clause": (whole_clause, SENTENCE),
    "utils.grounding.polarity.clauses_of": (clauses_of, SENTENCE),
    "utils.grounding.polarity.contradicted": (_contradicted, SENTENCE),
    "utils.grounding.verdicts.misjudged": (_misjudged, SENTENCE),
    "utils.sanitizing.injection.addressed_spans": (addressed_spans, TURN),
    "utils.knowledge.case_choices.industries_of": (industries_of, MESSAGE),
    "utils.knowledge.case_choices.stated_choices": (stated_choices, MESSAGE),
    "utils.knowledge.case_numbers.stated_numbers": (stated_numbers, MESSAGE),
    "utils.knowledge.headcount.renamed_headcount": (renamed_headcount, MESSAGE),
    "utils.knowledge.headcount.headcount_change": (headcount_change, MESSAGE),
    "utils.knowledge.headcount.headcount_place": (headcount_place, MESSAGE),
    "utils.knowledge.headcount.stated_headcount": (stated_headcount, MESSAGE),
    "utils.knowledge.case_choices.choice_places": (choice_places, MESSAGE),
    "utils.routing.replaced_fact.with_replaced_fact": (lambda text: with_replaced_fact(text, text, 0), MESSAGE),
    "an earlier question asked again": (lambda text: with_replaced_fact("알바 3명 더 뽑으면요?", text, 0), MESSAGE),
    "utils.knowledge.regions.place_spans": (place_spans, MESSAGE),
    "utils.knowledge.regions.places_of": (places_of, MESSAGE),
    "utils.korean.keyword_matcher.normalise": (normalise, MESSAGE),
    "utils.documents.is_web_address": (is_web_address, TURN),
    "utils.documents.on_one_line": (on_one_line, TURN),
    "utils.figures.numeral_scripts.in_arabic_digits": (in_arabic_digits, TURN),
    "utils.figures.numeral_words.legible": (legible, TURN),
    "utils.figures.numerals.parse_amount": (parse_amount, TURN),
    "utils.observability.personal_data.mask_personal_data": (mask_personal_data, TURN),
    "utils.observability.personal_data.replace_personal_data": (
        lambda text: replace_personal_data(text, lambda kind, found: kind),
        TURN,
    ),
    "utils.observability.pseudonyms.Pseudonyms.masked": (lambda text: Pseudonyms().masked(text), TURN),
    "utils.observability.pseudonyms.Pseudonyms.restored": (_NAMES.restored, TURN),
    "utils.observability.pseudonyms.PieceRestorer.feed": (_restore_pieces, TURN),
    "utils.prompts.messages.english_lead": (english_lead, TURN),
    "utils.prompts.messages.without_english_lead": (without_english_lead, TURN),
    "utils.prompts.messages.not_found": (not_found, MESSAGE),
    "utils.prompts.messages.says_not_found": (says_not_found, TURN),
    "utils.prompts.messages.without_verdict": (without_verdict, SENTENCE),
    "utils.prompts.data.as_data": (as_data, TURN),
    "utils.knowledge.validity.is_validity_note": (is_validity_note, SENTENCE),
    "utils.conclusions.thresholds.measured": (lambda text: [*measured(text)], MESSAGE),
    "utils.conclusions.yes_no_questions.quantities": (lambda text: [*quantities(text)], MESSAGE),
    "utils.conclusions.yes_no_questions.read_question": (lambda text: read_question(text, _morphemes(text)), MESSAGE),
    "utils.korean.question_words.without_parties": (without_parties, MESSAGE),
    "utils.resilience.response_cache.normalized": (normalized, MESSAGE),
    "utils.sanitizing.sanitize.clean_text": (clean_text, TURN),
    "utils.sanitizing.sanitize.neutralize_injection": (neutralize_injection, TURN),
    "utils.sanitizing.sanitize.sanitize_question": (sanitize_question, TURN),
    "utils.sanitizing.sanitize.printable": (lambda text: printable(text, TURN), TURN),
    "utils.grounding.answer_sentences.split_sentences": (split_sentences, TURN),
    "utils.grounding.answer_sentences.cited_numbers": (cited_numbers, TURN),
    "utils.law.tax_calendar.deadlines_for": (lambda text: deadlines_for(text, _TODAY), MESSAGE),
    "utils.law.statute_names.squeeze": (statute_names.squeeze, TURN),
    "utils.law.statute_names.words_of": (statute_names.words_of, TURN),
    "utils.korean.word_rarity.squeezed": (squeezed, TURN),
    "utils.korean.word_rarity.syllable_pairs": (syllable_pairs, TURN),
    "utils.korean.sentence_spans.split_sentences": (document_sentences.split_sentences, TURN),
    "the sums of a question": (_sums, MESSAGE),
    # methods, and a text in the place of another
    "a request with a turn": (_as_request, TURN),
    "folded and squeezed": (lambda text: Squeezed(fold(text)), TURN),
    "everyday words": (lambda text: _GLOSSARY.formalize(text, _syllables), MESSAGE),
    "related words": (_GLOSSARY.expansions, MESSAGE),
    "headings asked for": (_GLOSSARY.headings, MESSAGE),
    "statutes of a text": (lambda text: _laws().find(text), TURN),
    "a text without its statutes": (lambda text: _laws().remainder(text), MESSAGE),
    "statutes spelled out": (lambda text: _laws().spelled_out(text, _ARTICLE), MESSAGE),
    "the article of a conversation": (lambda text: last_cited([text], _laws()), TURN),
    "citations of an answer": (lambda text: StatuteResolver().resolve(text, find_figures(text)), SENTENCE),
    "what a user said": (lambda text: source_facts(GroundingSource(0, text), StatuteResolver()), TURN),
    "a sentence against its source": (_check_sentence, SENTENCE),
    "the case of a conversation": (lambda text: case_of([text] * (HISTORY_TURNS + 1)), LONGEST_TURN),
    "an answer in one piece": (_stream(TURN), TURN),
    "an answer in deltas": (_stream(4), TURN),
    "a model's text, cleaned": (_clean_output, TURN),
}

ELSEWHERE: dict[str, str] = {
    "agents.abilities.talk.kind_of": "reads the evidence of routing: the engine's functions",
    "agents.answering.computed.compute_sums": "reads by utils.calculators.reading.from_text, which is tried",
    "utils.routing.follow_up.resolve_follow_up": "reads morphemes: the engine's functions",
    "utils.korean.asked_clauses.split_clauses": "reads morphemes: the engine's functions",
    "utils.korean.asked_clauses.is_noun_and": "reads morphemes: the engine's functions",
    "utils.korean.coordination.conjuncts": "reads morphemes: the engine's functions",
    "utils.korean.question_segments.split_segments": "reads morphemes: the engine's functions",
    "utils.korean.question_words.term_weights": "reads terms: the engine's functions",
    "utils.routing.evidence.analyzed": "reads morphemes: the engine's functions",
    "utils.figures.numerals.decimal_of": "of one number that a pattern found",
    "utils.figures.numerals.parse_native": "of one numeral that a pattern found",
    "utils.figures.numerals.parse_roman": "of one numeral that a pattern found",
    "utils.figures.numerals.parse_english": "of one numeral that a pattern found",
    "utils.config.settings_table.compose_file": "of a file of this repository",
    "utils.knowledge.bounds.number_of": "of one numeral that a pattern found",
    "utils.knowledge.bounds.won_of": "of one amount that a pattern found",
    "utils.knowledge.conditions.parse_condition": "of a line of a document that an operator ingests",
    "utils.knowledge.front_matter.split_front_matter": "of a document that an operator ingests",
    "utils.knowledge.unit_checks.compared": "of a sentence of a document that an operator ingests",
    "utils.conclusions.verdict_model.led": "of a sentence of a document that an operator ingests",
    "utils.knowledge.unit_parser.parse_unit_document": "of a document that an operator ingests",
    "utils.korean.hangul.keys_of": "of a word of at most 24 letters",
}
"""Functions that take a text and are no entry of `FUNCTIONS`, and why."""

_TEXTS = frozenset({"text", "question", "sentence", "answer", "message", "content", "phrase", "piece", "word"})
_PACKAGES = ("agents", "chains", "utils")
_BESIDE = ("utils/korean/sentence_spans.py",)


def declared() -> Iterator[str]:
    """The public functions of modules of the request path whose first argument is a text."""
    files = [file for package in _PACKAGES for file in sorted((PROJECT_ROOT / package).rglob("*.py"))]
    for file in [*files, *(PROJECT_ROOT / name for name in _BESIDE)]:
        module = ".".join(file.relative_to(PROJECT_ROOT).with_suffix("").parts)
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                first = next(iter(node.args.args), None)
                if first and first.annotation and first.arg in _TEXTS and ast.unparse(first.annotation) == "str":
                    yield f"{module}.{node.name}"
