"""Chat models of Hugging Face in this process, with a tiny one that a test builds on disk."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from chains.models.errors import ModelStreamCut, ModelUnavailable
from chains.models.local import build_local_model, load_causal_model
from chains.models.usage import ModelFailureReason, ModelPurpose, UsageMeter
from tests.support.tiny_models import save_tiny_causal_model
from utils.config.settings import Settings, SettingsError, load_settings
from utils.resilience.deadline import Deadline
from vectorstores.errors import ProviderUnavailable

WORDS = ["문서로 답한다.", "부가세 신고 기한 25일"]
MESSAGES = [SystemMessage("문서로 답한다."), HumanMessage("부가세 신고 기한")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_causal_model(tmp_path_factory.mktemp("endless"), WORDS, ends=False)


def settings_of(folder: Path, **changes: Any) -> Settings:
    return Settings(llm_provider="local", local_llm=str(folder), openai_temperature=0.0, **changes)


async def written(settings: Settings, most: int | None = None) -> tuple[str, UsageMeter, ModelFailureReason | None]:
    """The text, of at most so many pieces, the meter, and how it broke off."""
    model, meter, pieces = build_local_model(settings), UsageMeter(), list[str]()
    try:
        async with aclosing(model.stream(ModelPurpose.GENERATION, MESSAGES, Deadline.after(60), meter)) as texts:
            async for text in texts:
                pieces.append(text)
                if most is not None and len(pieces) >= most:
                    break
    except ModelStreamCut as error:
        return "".join(pieces), meter, error.reason
    except ModelUnavailable as error:
        return "", meter, error.reason
    finally:
        await model.aclose()
    return "".join(pieces), meter, None


def test_it_writes_within_its_limit_and_what_the_limit_cuts_is_no_answer(folder: Path) -> None:
    text, meter, reason = asyncio.run(written(settings_of(folder, local_llm_max_tokens=16)))
    assert text
    assert reason is ModelFailureReason.TRUNCATED
    assert meter.calls[0].failure is ModelFailureReason.TRUNCATED


def test_a_text_that_comes_to_its_end_is_an_answer_and_accounted_for(tmp_path: Path) -> None:
    folder = save_tiny_causal_model(tmp_path / "model", WORDS, ends=True)
    text, meter, reason = asyncio.run(written(settings_of(folder, local_llm_max_tokens=16)))
    assert (bool(text), reason) == (True, None)
    assert 0 < meter.calls[0].output_tokens <= 16
    assert meter.calls[0].outcome == "ok"


def test_who_leaves_ends_the_writing(folder: Path) -> None:
    text, _, reason = asyncio.run(written(settings_of(folder, local_llm_max_tokens=64), most=1))
    assert (bool(text), reason) == (True, None)


def test_a_prompt_longer_than_it_reads_is_refused(folder: Path) -> None:
    text, _, reason = asyncio.run(written(settings_of(folder, local_llm_max_tokens=4096)))
    assert (text, reason) == ("", ModelFailureReason.REJECTED)


def test_defaults_are_those_of_the_guide_and_pictures_are_not_its_matter(folder: Path) -> None:
    causal = load_causal_model(str(folder), settings_of(folder))
    assert (causal.max_new_tokens, causal.repetition_penalty) == (512, 1.1)
    assert str(causal.model.device) == "cpu"
    model = build_local_model(settings_of(folder))
    assert model.supports(ModelPurpose.GENERATION)
    assert not model.supports(ModelPurpose.IMAGE)
    assert not model.supports(ModelPurpose.VOICE)
    asyncio.run(model.aclose())


def test_a_model_that_is_not_there_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ProviderUnavailable, match="LLM_PROVIDER=local"):
        build_local_model(settings_of(tmp_path / "nothing"))


def test_the_provider_needs_its_model() -> None:
    with pytest.raises(SettingsError, match="LOCAL_LLM"):
        load_settings({"LLM_PROVIDER": "local"})
