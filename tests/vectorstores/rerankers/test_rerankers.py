"""Rerank providers against a real server and, where sentence-transformers is installed, a real tiny cross-encoder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.scripted_openai import Cut, Fail, Hang, Say, ScriptedOpenAI
from tests.support.scripted_providers import RUNPOD_KEY, overlap
from tests.support.tiny_models import save_tiny_cross_encoder
from utils.config.settings import Settings
from vectorstores.errors import ProviderUnavailable
from vectorstores.rerankers.base import (
    PassageTerms,
    QueryReading,
    Reranker,
    RerankerUnavailable,
    RerankPassage,
    RerankQuery,
)
from vectorstores.rerankers.factory import build_reranker

QUESTION = RerankQuery("퇴직금은 언제 지급하나요?", (QueryReading(("퇴직금", "지급"), (1.0, 1.0)),))
TEXTS = ["근로계약서를 쓴다.", "퇴직금은 14일 이내에 지급하여야 한다.", "상표를 출원한다."] * 15


def no_terms() -> PassageTerms:
    raise AssertionError("a reranker that reads texts wants no terms")


def passages(texts: list[str]) -> list[RerankPassage]:
    return [RerankPassage(str(number), "제9조", text, no_terms) for number, text in enumerate(texts)]


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as running:
        yield running


@pytest.fixture(params=["cohere", "tei", "runpod"])
def kind(request: pytest.FixtureRequest, server: ScriptedOpenAI) -> str:
    server.reset()
    server.providers.pending_polls = 0
    name: str = request.param
    return name


def build(server: ScriptedOpenAI, kind: str, timeout: float = 5.0, batch_size: int | None = None) -> Reranker:
    values = {
        "rerank_batch_size": batch_size,
        "rerank_provider": "runpod" if kind == "runpod" else "http",
        "rerank_url": f"{server.url}/{kind}/rerank",
        "runpod_rerank_endpoint": f"{server.url}/runpod/rerank",
        "runpod_api_key": RUNPOD_KEY,
        "provider_timeout": timeout,
    }
    return build_reranker(Settings.model_validate(values), None, None)  # type: ignore[arg-type]


def fault_key(kind: str) -> str:
    return "runpod" if kind == "runpod" else "rerank"


def test_scores_come_in_the_order_of_the_passages(server: ScriptedOpenAI, kind: str) -> None:
    reranker = build(server, kind)

    scores = reranker.rerank(QUESTION, passages(TEXTS))

    assert scores == pytest.approx([overlap(QUESTION.text, f"제9조\n{text}") for text in TEXTS])
    assert max(scores[:3]) == scores[1]
    assert reranker.rerank(QUESTION, []) == []


def sent(server: ScriptedOpenAI, kind: str) -> list[int]:
    """Return the number of passages in each request."""
    field = {"cohere": "documents", "tei": "texts", "runpod": "docs"}[kind]
    return [len((call.body["input"] if kind == "runpod" else call.body)[field]) for call in server.calls]


def test_a_passage_is_judged_once_for_a_question(server: ScriptedOpenAI, kind: str) -> None:
    reranker = build(server, kind)
    several = passages(TEXTS[:6])
    first = reranker.rerank(QUESTION, several[:4])
    server.reset()

    again = reranker.rerank(QUESTION, several[::-1])
    assert sent(server, kind) == [2]
    assert again[::-1][:4] == first

    other = RerankQuery("상표는 어떻게 출원하나요?", ())
    assert reranker.rerank(other, several) != again
    assert sent(server, kind) == [2, 6]


def test_what_a_failed_request_did_not_judge_is_asked_again(server: ScriptedOpenAI, kind: str) -> None:
    reranker = build(server, kind, batch_size=3)
    server.reset({fault_key(kind): [Say(""), Fail(500), Say("")]})
    with pytest.raises(RerankerUnavailable):
        reranker.rerank(QUESTION, passages(TEXTS[:6]))
    scores = reranker.rerank(QUESTION, passages(TEXTS[:6]))
    assert sent(server, kind) == [3, 3, 3]
    assert scores == pytest.approx([overlap(QUESTION.text, f"제9조\n{text}") for text in TEXTS[:6]])


def test_a_title_that_begins_the_text_is_not_repeated(server: ScriptedOpenAI) -> None:
    server.reset()
    reranker = build(server, "cohere")
    reranker.rerank(QUESTION, [RerankPassage("1", "제9조", "제9조(퇴직금의 지급)", no_terms)])

    assert server.calls[-1].body["documents"] == ["제9조(퇴직금의 지급)"]


def test_the_model_is_named(server: ScriptedOpenAI, kind: str) -> None:
    assert build(server, kind).id == f"{'runpod' if kind == 'runpod' else 'http'}-BAAI/bge-reranker-v2-m3"


@pytest.mark.parametrize("fault", [Fail(401), Fail(404), Fail(500), Cut()])
def test_a_provider_that_does_not_work_stops_the_start(server: ScriptedOpenAI, kind: str, fault: Fail | Cut) -> None:
    server.script[fault_key(kind)] = fault

    with pytest.raises(ProviderUnavailable, match=r"RERANK_URL|RUNPOD_RERANK_ENDPOINT"):
        build(server, kind)


def test_scores_of_another_scale_stop_the_start(server: ScriptedOpenAI) -> None:
    server.reset()
    with pytest.raises(ProviderUnavailable, match="0과 1"):
        build(server, "logits")


def test_a_failure_in_use_is_the_rerankers_own_error(server: ScriptedOpenAI, kind: str) -> None:
    reranker = build(server, kind, timeout=0.4)
    server.script[fault_key(kind)] = [Fail(500), Hang()]

    with pytest.raises(RerankerUnavailable):
        reranker.rerank(QUESTION, passages(TEXTS[:3]))
    with pytest.raises(RerankerUnavailable, match=r"0\.4초"):
        reranker.rerank(QUESTION, passages(TEXTS[:3]))


def test_the_local_provider_names_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    settings = Settings.model_validate({"rerank_provider": "local", "data_dir": tmp_path})

    with pytest.raises(ProviderUnavailable, match=r'RERANK_PROVIDER=local .*pip install "bizi-rag\[neural\]"'):
        build_reranker(settings, None, None)  # type: ignore[arg-type]


# A two-layer BERT cross-encoder with random weights, built on disk.


def local_settings(folder: Path, **values: Any) -> Settings:
    return Settings.model_validate(
        {"rerank_provider": "local", "rerank_model": str(folder), "data_dir": folder, **values}
    )


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_cross_encoder(tmp_path_factory.mktemp("cross"), [QUESTION.text, *TEXTS])


@pytest.fixture(scope="module")
def local_reranker(cross_encoder: Path) -> Any:
    return build_reranker(local_settings(cross_encoder), None, None)  # type: ignore[arg-type]


def test_scores_are_probabilities_of_each_pair(local_reranker: Any) -> None:
    scores = local_reranker.rerank(QUESTION, passages(TEXTS))

    assert len(scores) == len(TEXTS)
    assert all(0.0 < score < 1.0 for score in scores)
    assert scores[:3] == pytest.approx(scores[3:6], abs=1e-5)
    assert len({round(score, 6) for score in scores[:3]}) == 3
    assert local_reranker.rerank(QUESTION, []) == []


def ending_in(count: int, *last: str) -> list[RerankPassage]:
    """Passages of ``count`` equal words and one that differs; each of another key."""
    return [RerankPassage(f"{count}{word}", "제9조", f"{'상표를 ' * count}{word}", no_terms) for word in last]


def test_a_long_passage_is_truncated(local_reranker: Any) -> None:
    """The model takes 128 tokens."""
    score, other = local_reranker.rerank(QUESTION, ending_in(80, "쓴다", "이내에"))
    assert abs(score - other) > 1e-7
    score, other = local_reranker.rerank(QUESTION, ending_in(5_000, "쓴다", "이내에"))
    assert score == pytest.approx(other, abs=1e-7)


def test_tokens_and_batches_are_settings(cross_encoder: Path, local_reranker: Any) -> None:
    settings = local_settings(cross_encoder, rerank_max_tokens=32, rerank_batch_size=2)
    short = build_reranker(settings, None, None)  # type: ignore[arg-type]
    score, other = short.rerank(QUESTION, ending_in(80, "쓴다", "이내에"))
    assert score == pytest.approx(other, abs=1e-7)
    assert short.rerank(QUESTION, passages(TEXTS)) == pytest.approx(
        local_reranker.rerank(QUESTION, passages(TEXTS)), abs=1e-5
    )


def test_a_classifier_of_several_labels_is_no_reranker(tmp_path: Path) -> None:
    folder = save_tiny_cross_encoder(tmp_path, [QUESTION.text, *TEXTS], labels=3)
    with pytest.raises(ProviderUnavailable, match="하나씩"):
        build_reranker(local_settings(folder), None, None)  # type: ignore[arg-type]


def test_a_device_that_is_not_there_stops_the_start(cross_encoder: Path) -> None:
    with pytest.raises(ProviderUnavailable, match="RERANK_MODEL"):
        build_reranker(local_settings(cross_encoder, neural_device="toaster"), None, None)  # type: ignore[arg-type]


def test_a_question_is_compared_without_personal_data(kind: str, server: ScriptedOpenAI) -> None:
    reranker = build(server, kind)
    server.calls.clear()
    reranker.rerank(RerankQuery("010-1234-5678로 지급하나요?", ()), passages(["퇴직금은 14일 이내에 지급한다."]))
    sent = "".join(str(call.body) for call in server.calls)
    assert "[전화번호]로 지급하나요?" in sent
    assert "1234" not in sent
