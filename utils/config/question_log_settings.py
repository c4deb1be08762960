"""Settings of the question log; `utils.config.settings.Settings` takes them in."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings

from utils.config.values import Words


class QuestionLogSettings(BaseSettings):
    """The log of answered questions and of the verdicts on the answers, in DATA_DIR."""

    question_log_days: int = Field(90, ge=1, description="Days that questions and verdicts are kept.")
    question_log_file_bytes: int = Field(4_194_304, ge=65_536, description="Size from which a new file is begun.")
    question_log_files: int = Field(
        200, ge=2, description="Files kept, at least one for each day with questions; the oldest go first."
    )
    question_log_excluded_clients: Words = Field(
        (),
        description="Names of API clients whose questions are kept neither there nor in chat.log, separated by commas.",
    )
