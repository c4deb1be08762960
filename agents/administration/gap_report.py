"""The gap report of the running service: questions of the log that nothing answered, by topic."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from agents.question_log.gaps import NO_DOMAIN, Topic, TopicFinder, read_gaps
from agents.question_log.journal import read_journal
from schemas.administration.gaps import GapCause, GapReport, GapTopic
from schemas.problems import ErrorCode
from utils.http.problems import ProblemError, retry_after
from utils.korean.word_rarity import WordRarity

logger = logging.getLogger(__name__)

_EXAMPLES = 5
_RETRY_SECONDS = 10.0
_AWAY = "지금은 질문 기록을 읽을 수 없습니다. 잠시 후 다시 시도해 주세요."


class GapReporter:
    """Reads the question log of a data directory; ``terms`` gives the content terms of a text, as they are indexed."""

    def __init__(self, data_dir: Path, terms: Callable[[str], Sequence[str]]) -> None:
        self._data_dir = data_dir
        self._terms = terms
        self._one_at_a_time = asyncio.Lock()  # a log of a quarter is read whole

    async def report(self, since: date | None, limit: int) -> GapReport:
        """Return the ``limit`` topics asked most often, of all days or from ``since`` on (UTC).

        Raises:
            ProblemError: the log cannot be read.
        """
        async with self._one_at_a_time:
            try:
                return await asyncio.to_thread(self._read, since, limit)
            except OSError as error:
                logger.warning("the question log cannot be read: %s", error.strerror)
                problem = ErrorCode.SERVICE_UNAVAILABLE
                raise ProblemError(problem, _AWAY, headers=retry_after(_RETRY_SECONDS)) from error

    def _read(self, since: date | None, limit: int) -> GapReport:
        log = read_gaps(read_journal(self._data_dir, since))
        topics = TopicFinder(self._terms, WordRarity.load()).topics(log.gaps)
        most_asked = sorted(topics, key=lambda topic: -topic.questions)
        return GapReport(
            asked=log.asked,
            with_gap=len({gap.question.key for gap in log.gaps}),
            outages=log.outages,
            total=len(topics),
            topics=[_told(topic) for topic in most_asked[:limit]],
        )


def _told(topic: Topic) -> GapTopic:
    return GapTopic(
        domain="" if topic.domain == NO_DOMAIN else topic.domain,
        topic=topic.label,
        questions=topic.questions,
        causes=[GapCause(why=why, count=count) for why, count in topic.why],
        examples=topic.examples[:_EXAMPLES],
        comments=topic.comments[:_EXAMPLES],
        nearest=topic.nearest,
    )
