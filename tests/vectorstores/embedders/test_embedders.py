"""Embedding providers against a real server and, where sentence-transformers is installed, a real tiny model."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from tests.support.scripted_openai import Cut, Fail, Hang, Say, ScriptedOpenAI
from tests.support.scripted_providers import DIMENSION, RUNPOD_KEY, embed_text
from tests.support.tiny_models import NO_NEURAL_EXTRA, save_tiny_encoder
from utils.config.settings import Settings
from utils.protocols import AnalyzedText, FloatMatrix
from vectorstores.embedders.base import TextEmbedder, TextModel
from vectorstores.embedders.factory import build_embedder
from vectorstores.embedders.ids import embedder_id
from vectorstores.errors import ProviderUnavailable, VectorStoreUnavailable
from vectorstores.tokenizer import TOKENIZER_ID

TEXTS = [f"{topic} 신고 {number}" for number, topic in enumerate(["부가가치세", "근로계약", "상표", "퇴직금"] * 10)]

Build = Callable[..., Any]


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedOpenAI]:
    with ScriptedOpenAI() as running:
        yield running


@pytest.fixture(params=["openai", "runpod"])
def provider(request: pytest.FixtureRequest, server: ScriptedOpenAI) -> str:
    server.reset()
    server.providers.pending_polls = 0
    server.providers.job_status = "COMPLETED"
    name: str = request.param
    return name


@pytest.fixture
def build(server: ScriptedOpenAI, provider: str) -> Build:
    def make(timeout: float = 5.0, **overrides: Any) -> Any:
        return build_embedder(settings_of(server, provider, timeout, **overrides), None)  # type: ignore[arg-type]

    return make


def settings_of(server: ScriptedOpenAI, provider: str, timeout: float = 5.0, **overrides: Any) -> Settings:
    values: dict[str, Any] = {
        "embedding_provider": provider,
        "provider_timeout": timeout,
        "openai_base_url": server.base_url,
        "openai_api_key": "sk-test",
        "runpod_embedding_endpoint": f"{server.url}/runpod/embed",
        "runpod_api_key": RUNPOD_KEY,
        **overrides,
    }
    return Settings.model_validate(values)


def local_settings(model: str, data_dir: Path) -> Settings:
    return Settings.model_validate({"embedding_provider": "local", "embedding_model": model, "data_dir": data_dir})


def script_key(provider: str) -> str:
    return {"openai": "embeddings", "runpod": "runpod"}[provider]


def expected(texts: list[str]) -> FloatMatrix:
    vectors = np.asarray([embed_text(text) for text in texts], dtype=np.float32)
    unit: FloatMatrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def test_vectors_are_unit_and_in_the_order_of_the_texts(build: Build) -> None:
    embedder = build()

    vectors = embedder.embed([AnalyzedText(text, ()) for text in TEXTS])

    assert embedder.dimension == DIMENSION
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected(TEXTS), atol=1e-6)
    assert embedder.embed([]).shape == (0, DIMENSION)


def test_it_is_a_langchain_embeddings_too(build: Build) -> None:
    embedder = build()

    np.testing.assert_allclose(embedder.embed_documents(TEXTS[:3]), expected(TEXTS[:3]), atol=1e-6)
    np.testing.assert_allclose(embedder.embed_query(TEXTS[0]), expected(TEXTS[:1])[0], atol=1e-6)


def test_texts_are_sent_in_batches_with_the_model_name(server: ScriptedOpenAI, build: Build, provider: str) -> None:
    embedder = build()
    server.reset()

    embedder.embed_documents(TEXTS)

    bodies = [call.body if provider == "openai" else call.body["input"] for call in server.calls]
    assert [len(body["input"]) for body in bodies] == [32, 8]
    assert {body["model"] for body in bodies} == {"text-embedding-3-small" if provider == "openai" else "BAAI/bge-m3"}


def test_the_batch_size_is_a_setting(server: ScriptedOpenAI, build: Build, provider: str) -> None:
    embedder = build(embedding_batch_size=16)
    server.reset()

    embedder.embed_documents(TEXTS)

    bodies = [call.body if provider == "openai" else call.body["input"] for call in server.calls]
    assert [len(body["input"]) for body in bodies] == [16, 16, 8]


def test_a_question_is_embedded_once(server: ScriptedOpenAI, build: Build) -> None:
    embedder = build()
    first = embedder.embed([AnalyzedText(text, ()) for text in TEXTS[:3]])
    server.reset()

    again = embedder.embed([AnalyzedText(text, ()) for text in [TEXTS[2], TEXTS[0], TEXTS[2]]])
    assert server.calls == []
    np.testing.assert_array_equal(again, first[[2, 0, 2]])

    embedder.embed([AnalyzedText(text, ()) for text in TEXTS[1:5]])
    assert len(server.calls) == 1, "the two new ones together"


def test_a_question_asked_at_once_by_several_is_embedded_once(
    server: ScriptedOpenAI, build: Build, provider: str
) -> None:
    embedder = build()
    server.reset({script_key(provider): Say("", delay=0.2)})
    items = [[AnalyzedText(text, ()) for text in TEXTS[first : first + 3]] for first in (0, 1, 0, 1)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.embed, items))
    for first, vectors in zip((0, 1, 0, 1), found, strict=True):
        np.testing.assert_allclose(vectors, expected(TEXTS[first : first + 3]), atol=1e-6)
    sent = [
        text for call in server.calls for text in (call.body if provider == "openai" else call.body["input"])["input"]
    ]
    assert sorted(sent) == sorted(TEXTS[:4])


def test_those_who_wait_for_a_failing_question_fail_too_and_may_try_again(
    server: ScriptedOpenAI, build: Build, provider: str
) -> None:
    embedder = build()
    server.script[script_key(provider)] = Fail(500)
    with ThreadPoolExecutor(4) as pool:
        tries = [pool.submit(embedder.embed_query, TEXTS[0]) for _ in range(2)]
    assert all(isinstance(attempt.exception(), VectorStoreUnavailable) for attempt in tries)
    server.script.clear()
    assert len(embedder.embed_query(TEXTS[0])) == DIMENSION


def test_questions_and_passages_bear_their_prefixes(server: ScriptedOpenAI, build: Build, provider: str) -> None:
    embedder = build(embedding_query_prefix="query: ", embedding_passage_prefix="passage: ")

    question = embedder.embed([AnalyzedText(TEXTS[0], ())])
    passage = embedder.embed_passages([AnalyzedText(TEXTS[0], ())])

    np.testing.assert_allclose(question, expected([f"query: {TEXTS[0]}"]), atol=1e-6)
    np.testing.assert_allclose(passage, expected([f"passage: {TEXTS[0]}"]), atol=1e-6)
    np.testing.assert_allclose(embedder.embed_documents(TEXTS[:1]), passage, atol=1e-6)
    np.testing.assert_allclose([embedder.embed_query(TEXTS[0])], question, atol=1e-6)
    plain = embedder_id(settings_of(server, provider), TOKENIZER_ID)
    assert embedder.id != plain, "other vectors of passages are another index"
    assert embedder_id(settings_of(server, provider, embedding_query_prefix="query: "), TOKENIZER_ID) == plain


def test_the_id_is_known_without_loading(server: ScriptedOpenAI, build: Build, provider: str) -> None:
    settings = settings_of(server, provider)

    assert embedder_id(settings, TOKENIZER_ID) == build().id
    assert embedder_id(settings, TOKENIZER_ID).startswith(provider)


@pytest.mark.parametrize("fault", [Fail(401), Fail(500), Cut()])
def test_a_provider_that_does_not_work_stops_the_start(
    server: ScriptedOpenAI, build: Build, provider: str, fault: Fail | Cut
) -> None:
    server.script[script_key(provider)] = fault

    with pytest.raises(ProviderUnavailable, match=r"EMBEDDING_PROVIDER|RUNPOD_EMBEDDING_ENDPOINT"):
        build()


def test_an_unreachable_server_stops_the_start(build: Build, provider: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"

    with pytest.raises(ProviderUnavailable, match="연결"):
        build(openai_base_url=f"{address}/v1", runpod_embedding_endpoint=address)


def test_a_failure_in_use_leaves_the_vector_side_out(server: ScriptedOpenAI, build: Build, provider: str) -> None:
    embedder = build()
    server.script[script_key(provider)] = Fail(500)

    with pytest.raises(VectorStoreUnavailable):
        embedder.embed_query(TEXTS[0])


def test_a_hang_ends_with_the_timeout(server: ScriptedOpenAI, build: Build, provider: str) -> None:
    embedder = build(timeout=0.4)
    server.script[script_key(provider)] = Hang()

    with pytest.raises(VectorStoreUnavailable, match=r"0\.4초"):
        embedder.embed_query(TEXTS[0])


def test_an_overloaded_server_is_asked_once_more(server: ScriptedOpenAI, build: Build, provider: str) -> None:
    embedder = build()
    server.script[script_key(provider)] = [Fail(503, retry_after=0), Say("")]

    assert len(embedder.embed_query(TEXTS[0])) == DIMENSION

    server.script[script_key(provider)] = Fail(429, retry_after=3_600)  # longer than this test may take
    with pytest.raises(VectorStoreUnavailable):
        embedder.embed_query(TEXTS[1])


def test_a_lasting_failure_is_not_waited_for_each_time(server: ScriptedOpenAI, build: Build, provider: str) -> None:
    embedder = build()
    server.reset({script_key(provider): Fail(500)})
    for _ in range(6):
        with pytest.raises(VectorStoreUnavailable):
            embedder.embed_query(TEXTS[0])

    assert len(server.calls) == 3


class Fixed(TextEmbedder):
    """Answers what it is given."""

    def __init__(self, *answers: Any) -> None:
        self._answers = iter(answers)
        super().__init__(TextModel(id="fixed", name="fixed", batch_size=8))

    def _encode(self, texts: Any) -> Any:
        return next(self._answers)


@pytest.mark.parametrize(
    "answer", [[], [[]], [[1.0, 2.0], [3.0, 4.0]], [["a", "b"]], [[1.0, float("nan")]], None, [1.0, 2.0]]
)
def test_what_is_not_a_vector_is_refused(answer: Any) -> None:
    with pytest.raises(ProviderUnavailable):
        Fixed(answer)


def test_a_changed_dimension_is_refused() -> None:
    with pytest.raises(VectorStoreUnavailable):
        Fixed([[1.0, 2.0]], [[1.0, 2.0, 3.0]]).embed_query("x")


def test_runpod_jobs_are_waited_for(server: ScriptedOpenAI) -> None:
    server.reset()
    server.providers.job_status = "COMPLETED"
    server.providers.pending_polls = 2  # queued, then running
    try:
        embedder = build_embedder(settings_of(server, "runpod"), None)  # type: ignore[arg-type]
        assert server.count("runpod-status") == 2
        np.testing.assert_allclose(embedder.embed([AnalyzedText(TEXTS[0], ())]), expected(TEXTS[:1]), atol=1e-6)

        server.providers.pending_polls = 1000
        with pytest.raises(ProviderUnavailable, match="RUNPOD_EMBEDDING_ENDPOINT"):
            build_embedder(settings_of(server, "runpod", timeout=0.5, runpod_start_timeout=0.5), None)  # type: ignore[arg-type]
    finally:
        server.providers.pending_polls = 0


def test_a_failed_runpod_job_and_a_wrong_key_are_named(server: ScriptedOpenAI) -> None:
    server.reset()
    server.providers.job_status = "FAILED"
    try:
        with pytest.raises(ProviderUnavailable, match="FAILED"):
            build_embedder(settings_of(server, "runpod"), None)  # type: ignore[arg-type]
    finally:
        server.providers.job_status = "COMPLETED"
    with pytest.raises(ProviderUnavailable, match="401"):
        build_embedder(settings_of(server, "runpod", runpod_api_key=SecretStr("wrong")), None)  # type: ignore[arg-type]


def test_the_local_provider_names_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    settings = local_settings("BAAI/bge-m3", tmp_path)

    with pytest.raises(ProviderUnavailable, match=r'EMBEDDING_PROVIDER=local .*pip install "bizi-rag\[neural\]"'):
        build_embedder(settings, None)  # type: ignore[arg-type]


# A two-layer BERT with random weights, built on disk.


@pytest.fixture(scope="module")
def local_settings_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Settings]:
    folder = save_tiny_encoder(tmp_path_factory.mktemp("encoder"), TEXTS)
    settings = local_settings(str(folder), tmp_path_factory.mktemp("data"))

    def changed(**values: object) -> Settings:
        return settings.model_copy(update=values)

    return changed


@pytest.fixture(scope="module")
def local_embedder(local_settings_of: Callable[..., Settings]) -> Any:
    return build_embedder(local_settings_of(), None)  # type: ignore[arg-type]


def test_texts_become_unit_vectors(local_embedder: Any) -> None:
    vectors = local_embedder.embed([AnalyzedText(text, ()) for text in TEXTS])

    assert vectors.shape == (len(TEXTS), local_embedder.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    np.testing.assert_allclose(local_embedder.embed_query(TEXTS[3]), vectors[3], atol=1e-5)
    assert np.linalg.norm(vectors[0] - vectors[1]) > 1e-3  # different texts, different vectors


def words(count: int, last: str = "") -> str:
    return " ".join(["신고"] * count) + f" {last}"


def test_a_text_beyond_the_models_length_is_truncated(local_embedder: Any) -> None:
    """The model takes 128 tokens, two of them marks."""
    within = local_embedder.embed_documents([words(100, "상표"), words(100, "퇴직금")])
    assert np.linalg.norm(np.subtract(*within)) > 1e-3
    beyond = local_embedder.embed_documents([words(126, "상표"), words(126, "퇴직금"), words(10_000)])
    np.testing.assert_allclose(beyond, [beyond[0]] * 3, atol=1e-6)


def test_tokens_can_be_bounded_further(local_settings_of: Callable[..., Settings]) -> None:
    settings = local_settings_of(embedding_max_tokens=16)
    embedder = build_embedder(settings, None)  # type: ignore[arg-type]
    within = embedder.embed_passages([AnalyzedText(words(12, last), ()) for last in ("상표", "퇴직금")])
    assert np.linalg.norm(within[0] - within[1]) > 1e-3
    beyond = embedder.embed_passages([AnalyzedText(words(14, last), ()) for last in ("상표", "퇴직금")])
    np.testing.assert_allclose(beyond[0], beyond[1], atol=1e-6)
    assert embedder.id == embedder_id(settings, TOKENIZER_ID) != embedder_id(local_settings_of(), TOKENIZER_ID)


def test_batches_and_their_padding_do_not_show(local_embedder: Any, local_settings_of: Callable[..., Settings]) -> None:
    texts = [text * (number % 5 + 1) for number, text in enumerate(TEXTS)]
    one_by_one = build_embedder(local_settings_of(embedding_batch_size=1), None)  # type: ignore[arg-type]
    items = [AnalyzedText(text, ()) for text in texts]
    np.testing.assert_allclose(local_embedder.embed_passages(items), one_by_one.embed_passages(items), atol=1e-5)


def test_halves_give_nearly_the_same_vectors(local_embedder: Any, local_settings_of: Callable[..., Settings]) -> None:
    halves = build_embedder(local_settings_of(neural_dtype="bfloat16"), None)  # type: ignore[arg-type]
    items = [AnalyzedText(text, ()) for text in TEXTS[:4]]
    cosines = np.sum(local_embedder.embed(items) * halves.embed(items), axis=1)
    assert cosines.min() > 0.99
    assert halves.id == local_embedder.id


def test_threads_are_bounded_and_the_device_chosen(local_settings_of: Callable[..., Settings]) -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    try:
        build_embedder(local_settings_of(neural_threads=1, neural_device="cpu"), None)  # type: ignore[arg-type]
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("values", [{"neural_device": "toaster"}, {"neural_device": "cuda:99"}])
def test_a_device_that_is_not_there_stops_the_start(
    local_settings_of: Callable[..., Settings], values: dict[str, Any]
) -> None:
    with pytest.raises(ProviderUnavailable, match="EMBEDDING_MODEL"):
        build_embedder(local_settings_of(**values), None)  # type: ignore[arg-type]


def test_a_damaged_model_stops_the_start(local_settings_of: Callable[..., Settings], tmp_path: Path) -> None:
    settings = local_settings_of()
    folder = tmp_path / "damaged"
    shutil.copytree(settings.embedding_model, folder)
    (weights,) = folder.rglob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ProviderUnavailable, match=r"EMBEDDING_PROVIDER=local .*damaged"):
        build_embedder(settings.model_copy(update={"embedding_model": str(folder)}), None)  # type: ignore[arg-type]


def test_threads_share_the_model(local_embedder: Any) -> None:
    alone = local_embedder.embed_query(TEXTS[0])
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(local_embedder.embed_query, [TEXTS[0], TEXTS[1] * 20] * 10))
    for vector in together[::2]:
        np.testing.assert_allclose(vector, alone, atol=1e-5)


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason=NO_NEURAL_EXTRA)
    settings = local_settings(str(tmp_path / "none"), tmp_path)
    with pytest.raises(ProviderUnavailable, match="EMBEDDING_MODEL"):
        build_embedder(settings, None)  # type: ignore[arg-type]


def test_a_question_is_embedded_without_personal_data(build: Build, server: ScriptedOpenAI) -> None:
    embedder = build()
    server.calls.clear()
    embedder.embed_query("010-1234-5678로 신고하나요?")
    embedder.embed_documents(["문의 044-202-7000"])
    sent = [str(call.body) for call in server.calls]
    assert "[전화번호]로 신고하나요?" in sent[0]
    assert "044-202-7000" in sent[1], "documents are embedded as they are, or an index would not fit its questions"
