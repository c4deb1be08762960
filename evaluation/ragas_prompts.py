"""Gives RAGAS's metrics the Korean prompts of `utils.prompts.ragas`.

RAGAS has its own way to another language: ``BasePrompt.adapt`` has a model translate the examples at every start, and leaves the frame
around them English. These prompts are written once, and no call is made for them.
"""

from __future__ import annotations

import json
from typing import Any

from utils.prompts.ragas import (
    EXAMPLE,
    FAITHFULNESS,
    FRAME,
    PRECISION,
    RECALL,
    RELEVANCY,
    STATEMENTS,
    MetricPrompt,
)

LANGUAGE = "korean"


def speak_korean(faithfulness: Any, relevancy: Any, precision: Any, utilization: Any, recall: Any) -> None:
    """Put the Korean prompts in the place of those that RAGAS's metrics are made with.

    Raises:
        pydantic.ValidationError: an example does not fit the input or output of this version of RAGAS.
        AttributeError: a metric has no prompt of that name in this version.
    """
    for metric, name, wanted in (
        (faithfulness, "statement_generator_prompt", STATEMENTS),
        (faithfulness, "nli_statement_prompt", FAITHFULNESS),
        (relevancy, "prompt", RELEVANCY),
        (precision, "prompt", PRECISION),
        (utilization, "prompt", PRECISION),
        (recall, "prompt", RECALL),
    ):
        setattr(metric, name, _korean(getattr(metric, name), wanted))


def _korean(english: Any, wanted: MetricPrompt) -> Any:
    """Return a prompt with the input and output of ``english``, in Korean."""

    class KoreanPrompt(type(english)):  # type: ignore[misc]
        language = LANGUAGE
        instruction = wanted.instruction

        def to_string(self, data: Any) -> str:
            return FRAME.format(
                instruction=self.instruction,
                schema=json.dumps(self.output_model.model_json_schema(), ensure_ascii=False),
                examples="\n\n".join(
                    EXAMPLE.format(number=number, given=_as_json(given), wanted=_as_json(reply))
                    for number, (given, reply) in enumerate(self.examples, start=1)
                ),
                given=data.model_dump_json(indent=2, exclude_none=True),
            )

    korean = KoreanPrompt()
    korean.examples = [
        (english.input_model.model_validate(given), english.output_model.model_validate(reply))
        for given, reply in wanted.examples
    ]
    return korean


def _as_json(value: Any) -> str:
    text: str = value.model_dump_json()
    return text
