"""A founder on a phone, and an operator, before the whole service: its graph, its documents, its files, and its end."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from evaluation.bench.service import RunningService
from tests.contract.conftest import ADMIN_KEY, CHAT_KEY
from tests.e2e.page.conftest import DESK, Shown
from tests.e2e.test_model_path import GOOD, VAT, script
from tests.support.scripted_openai import Fail, Hang, ScriptedOpenAI
from utils.config.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.services]

CONTRACT = "알바생 근로계약서는 어떻게 써야 하나요?"
HOLIDAY_PAY = "시급 11,000원, 주 5일 하루 5시간 일하는 알바 주휴수당이 얼마예요?"
UNKNOWN = "달빛지원금은 얼마까지 받을 수 있나요?"
KNOWN_LATER = {
    "id": "ours-1",
    "question": UNKNOWN,
    "answer": "달빛지원금은 창업 3년 이내 소상공인에게 450만원까지 지원합니다.",
}


def copy_of(settings: Settings, folder: Path) -> Path:
    """A data directory of the test's own: an embedded store has one owner."""
    shutil.copytree(settings.data_dir, folder / "var", symlinks=True)
    return folder / "var"


@pytest.fixture(scope="module")
def data_dir(starter_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of(starter_settings, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def service(data_dir: Path) -> Iterator[str]:
    keys = f"web={CHAT_KEY}:chat|documents,ops={ADMIN_KEY}:admin"
    with RunningService(data_dir, data_dir.parent / "log", {"API_KEYS": keys}) as service:
        yield service.address[0]


def give_key(page: Page, key: str) -> None:
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("API 키").fill(key)
    dialog.get_by_role("button", name="확인").click()
    expect(dialog).to_be_hidden()


@pytest.fixture
def founder(service: str, shown: Shown) -> Shown:
    shown.page.goto(service)
    give_key(shown.page, CHAT_KEY)
    shown.complaints.clear()  # the refusal before the key
    return shown


@pytest.fixture
def operator(service: str, shown: Shown) -> Page:
    shown.page.goto(f"{service}/ops")
    give_key(shown.page, ADMIN_KEY)
    shown.complaints.clear()
    return shown.page


def box(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found is not None
    return found


def test_an_answer_is_streamed_cited_and_followed_up(founder: Shown) -> None:
    page = founder.page
    with page.expect_response("**/api/chat/stream") as answered:
        founder.ask(VAT)
    assert answered.value.headers["content-type"].startswith("text/event-stream")
    sentence = founder.answer.locator(".block", has_text="25일").first
    expect(sentence.locator(".sentence.supported").first).to_be_visible()
    sentence.locator(".cite").first.click()
    source, said = sentence.locator(".source"), sentence.locator("p").first
    expect(source.locator("mark").first).to_contain_text("25일")
    assert box(source)["y"] >= box(said)["y"] + box(said)["height"] - 1, "on a phone it opens below its sentence"
    page.set_viewport_size(DESK)  # type: ignore[arg-type]
    assert box(source)["x"] >= box(said)["x"] + box(said)["width"], "on a desk beside it"
    source.get_by_role("link", name=re.compile("제49조")).first.click()
    expect(page.get_by_role("dialog")).to_contain_text("부가가치세법 제49조")
    page.keyboard.press("Escape")
    founder.ask("그거 늦게 내면 어떻게 되나요?")
    expect(founder.answer).to_contain_text("가산세")
    expect(founder.answer.locator(".cite").first).to_be_visible()


def test_a_document_is_filled_in_and_downloaded(founder: Shown, tmp_path: Path) -> None:
    founder.ask(CONTRACT)
    founder.answer.get_by_role("button", name="근로계약서 초안 만들기").click()
    dialog = founder.page.get_by_role("dialog")
    dialog.get_by_label("계약의 종류").select_option("part_time")
    dialog.get_by_label("취업의 장소").fill("마포구 달빛카페")
    with founder.page.expect_download() as download:
        dialog.get_by_role("button", name="문서 받기").click()
    assert download.value.suggested_filename == "근로계약서.docx"
    download.value.save_as(tmp_path / "contract.docx")
    with zipfile.ZipFile(tmp_path / "contract.docx") as parts:
        assert "마포구 달빛카페" in parts.read("word/document.xml").decode()
    expect(dialog.get_by_text("파일을 저장했습니다")).to_be_in_viewport()


def test_a_sum_is_computed_and_computed_again_from_other_figures(founder: Shown) -> None:
    founder.ask(HOLIDAY_PAY)
    expect(founder.answer.locator(".text")).to_contain_text("55,000원")
    founder.answer.locator(".cite").first.click()
    expect(founder.answer.locator(".formula")).to_be_visible()
    founder.answer.get_by_role("button", name="숫자를 바꿔 계산").click()
    dialog = founder.page.get_by_role("dialog")
    dialog.get_by_label("시급").fill("12000")
    dialog.get_by_label("1주에 일하는 날 수").fill("5")
    dialog.get_by_label("하루 소정근로시간").fill("5")
    dialog.get_by_role("button", name="계산하기").click()
    expect(dialog.locator(".conclusion")).to_contain_text("60,000원")
    expect(dialog.locator(".conclusion")).to_be_in_viewport()


def test_an_opinion_is_kept_and_reaches_the_report_of_gaps(founder: Shown, service: str, data_dir: Path) -> None:
    founder.ask(VAT)
    founder.answer.get_by_role("button", name="아쉬워요").click()
    form = founder.answer.locator(".reasons")
    expect(form).to_be_in_viewport()
    form.get_by_label("지난 기준").check()
    form.get_by_label("더 하실 말씀").fill("올해 기준인가요?")
    form.get_by_role("button", name="의견 보내기").click()
    expect(founder.answer).to_contain_text("의견을 남겼습니다")
    kept = [
        json.loads(line) for file in (data_dir / "questions").glob("*.jsonl") for line in file.open(encoding="utf-8")
    ]
    assert "올해 기준인가요?" in [record.get("comment") for record in kept]
    founder.page.evaluate("sessionStorage.clear()")
    founder.page.goto(f"{service}/ops#gaps")
    give_key(founder.page, ADMIN_KEY)
    report = founder.page.get_by_role("table")
    expect(report).to_contain_text("도움이 되지 않음(지난 기준)")
    founder.complaints.clear()


def test_a_document_goes_in_with_its_progress_answers_and_goes_out_again(
    operator: Page, service: str, tmp_path: Path
) -> None:
    file = tmp_path / "문답.jsonl"
    file.write_text(json.dumps(KNOWN_LATER, ensure_ascii=False), encoding="utf-8")
    operator.get_by_role("tab", name="지식 색인").click()
    operator.locator("input[type=file]").set_input_files(file)
    operator.get_by_label("분야 (PDF와 안내문에는 필요)").select_option("startup_funding")
    operator.get_by_role("button", name="올리기").click()
    job = operator.locator("li", has_text="문답.jsonl").first
    expect(job.get_by_role("progressbar")).to_be_visible()
    expect(job).to_contain_text("더함 1", timeout=120_000)
    expect(job).to_contain_text("끝남")
    versions = operator.get_by_role("region", name="색인 버전").get_by_role("row")
    expect(versions).to_have_count(3)
    new = versions.filter(has_text="쓰는 중").inner_text().split()[0]
    founder = Shown(operator.context.new_page())
    founder.page.goto(service)
    give_key(founder.page, CHAT_KEY)
    founder.ask(UNKNOWN)
    expect(founder.answer).to_contain_text("450만원")
    operator.get_by_role("button", name="이전 버전으로 되돌리기").click()
    operator.get_by_role("dialog").get_by_role("button", name="되돌리기", exact=True).click()
    expect(versions.filter(has_text="쓰는 중")).not_to_contain_text(new)
    founder.page.get_by_role("button", name="새 대화").click()
    expect(founder.page.locator(".turn")).to_have_count(0)
    founder.ask(UNKNOWN)
    expect(founder.answer).not_to_contain_text("450만원")


def test_a_word_of_a_domain_moves_a_question_before_the_eyes(operator: Page) -> None:
    operator.get_by_role("tab", name="분야").click()
    operator.get_by_label("질문", exact=True).fill("달빛수당은 누가 받나요?")
    preview = operator.get_by_role("region", name="질문이 가는 분야")
    expect(preview.locator(".bars")).to_be_visible()
    expect(preview).not_to_contain_text("맞은 낱말: 달빛수당")
    operator.get_by_label("고칠 분야").select_option("hr_labor")
    operator.get_by_label("더할 낱말").fill("달빛수당")
    operator.get_by_role("button", name="먼저 시험").click()
    expect(preview).to_contain_text("시험 결과")
    operator.get_by_label("더할 낱말").fill("달빛수당")
    operator.get_by_role("button", name="더하기").first.click()
    expect(preview).to_contain_text("맞은 낱말: 달빛수당")
    expect(preview.locator(".chosen")).to_contain_text("인사")


def test_representative_questions_and_words_of_a_domain_come_and_go(operator: Page) -> None:
    operator.get_by_role("tab", name="분야").click()
    operator.get_by_label("고칠 분야").select_option("finance_tax")
    editor = operator.get_by_role("region", name="분야", exact=True)
    editor.get_by_label("더할 질문").fill("별빛환급은 언제 들어오나요?")
    editor.get_by_role("button", name="더하기").last.click()
    expect(operator.get_by_role("status").first).to_contain_text("대표 질문을 더했습니다")
    operator.get_by_label("질문", exact=True).fill("별빛환급은 언제 들어오나요?")
    preview = operator.get_by_role("region", name="질문이 가는 분야")
    expect(preview.locator(".chosen")).to_contain_text("세무")
    preview.get_by_text("가까운 대표 질문").click()
    expect(preview.get_by_role("listitem").filter(has_text="별빛환급").first).to_contain_text("1.00")
    editor.locator("summary").last.click()
    editor.get_by_role("button", name="별빛환급은 언제 들어오나요? 빼기").click()
    expect(operator.get_by_role("status").first).to_contain_text("대표 질문을 뺐습니다")
    expect(editor.get_by_text("별빛환급은 언제 들어오나요?")).to_have_count(0)


def test_what_cannot_be_read_of_a_file_is_named(operator: Page) -> None:
    operator.get_by_role("tab", name="지식 색인").click()
    broken = {"name": "깨진 문답.jsonl", "mimeType": "text/plain", "buffer": b'{"id": "1", "question": '}
    operator.locator("input[type=file]").set_input_files(broken)  # type: ignore[arg-type]
    operator.get_by_label("분야 (PDF와 안내문에는 필요)").select_option("hr_labor")
    operator.get_by_role("button", name="올리기").click()
    job = operator.get_by_role("region", name="최근 작업").get_by_role("listitem").first
    expect(job).to_contain_text("깨진 문답.jsonl")
    expect(job.locator(".error, details").first).to_be_visible(timeout=60_000)
    expect(job).to_contain_text(re.compile("실패|읽지 못한 것 1건"))


def test_a_service_that_loses_its_model_and_then_its_life_is_told(
    starter_settings: Settings, shown: Shown, tmp_path: Path
) -> None:
    with ScriptedOpenAI(script(generation=Fail(500))) as model:
        settings = {
            "API_KEYS": "",
            "LLM_PROVIDER": "openai",
            "OPENAI_BASE_URL": model.base_url,
            "LLM_TIMEOUT": "20",
            "REDIS_URL": "redis://127.0.0.1:1/0",  # nobody is there
        }
        service = RunningService(copy_of(starter_settings, tmp_path), tmp_path / "log", settings)
        with service:
            shown.page.goto(service.address[0])
            shown.ask(VAT)
            expect(shown.answer.locator(".banner")).to_contain_text("언어 모델:")
            expect(shown.answer.locator(".cite").first).to_be_visible()
            _health_tells_the_reason(shown.page.context.new_page(), service.address[0])
            model.reset(script(generation=Hang(GOOD[:20])))
            shown.page.fill("#question", VAT)
            shown.page.keyboard.press("Enter")
            expect(shown.answer).to_contain_text(GOOD[:16])
            assert service.pid is not None
            os.kill(service.pid, signal.SIGKILL)
            expect(shown.answer.get_by_role("alert")).to_contain_text("연결이 끊겼습니다")
            expect(shown.answer).to_contain_text(GOOD[:16])
            shown.answer.get_by_role("button", name="다시 답하기").click()
            expect(shown.answer.get_by_role("alert")).to_contain_text("서비스에 연결할 수 없습니다")
            expect(shown.page.locator(".turn").first).to_contain_text("25일")
        model.reset(script())
        with service:
            shown.answer.get_by_role("button", name="다시 답하기").click()
            expect(shown.answer).to_contain_text(GOOD.removesuffix(" [1]"))
    shown.complaints = [text for text in shown.complaints if "ERR_" not in text]


def _health_tells_the_reason(page: Page, address: str) -> None:
    page.goto(f"{address}/ops")
    row = page.get_by_role("row", name=re.compile("^Redis"))
    expect(row).to_contain_text(re.compile("저하|멈춤"))
    expect(row.get_by_role("cell").last).to_contain_text("Redis가 응답하지 않아")
    page.close()
