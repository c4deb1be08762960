"""A newcomer who has cloned the project and types what its pages say, beside the service that ``make serve`` starts."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx

from evaluation.measures.routing import RoutingExample
from tests.support.api_pages import write_pages
from tests.support.documented_commands import Command
from tests.support.media import PNG
from tests.support.notice_files import SAMPLES
from tests.support.pdf_files import make_pdf
from tests.support.small_index import record, write_lines
from tests.support.statute_files import write_statute
from utils.config.settings import PROJECT_ROOT

_NOT_CLONED = {".git", ".venv", "var", "build", "logs", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
_SERVES = re.compile(r"make (?:serve|assistant)\b")
_ASSISTANT = re.compile(r"make assistant NAME=(\w+)")
_PATIENCE = 180.0  # seconds
# What is installed is not installed again. An answer that is no success ends curl with an error, told whole; and curl -OJ writes
# over no file that a page before had it save. There is no container.
_SHELL = """\
make() { command make --old-file=.venv/.installed --old-file=.venv/.installed-test "$@"; }
curl() { rm -f ./*.docx; command curl --fail-with-body "${@/#-sf/-s}"; }
docker() { test "$1 $2 $3" = "compose exec rag" && "${@:4}"; }
"""
_DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
_MONTHLY_RENT = "월세 세액공제 한도\n무주택 세대주인 근로자는 월세의 17%를 연 1,000만원 한도에서 세액공제 받습니다."


class Reader:
    """A clone of the project with the files that the pages speak of, and what has been typed so far."""

    def __init__(self, folder: Path, index: Path) -> None:
        """``index``: a data directory with the starter index, which a newcomer's first ``make serve`` would build."""
        self.folder = folder
        shutil.copytree(PROJECT_ROOT, folder, ignore=_not_cloned, symlinks=True)
        (folder / ".venv").symlink_to(sys.prefix)
        shutil.copytree(index, folder / "var", symlinks=True)
        (folder / "var" / "index" / ".starter").touch()
        write_files(folder)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PORT": str(self._port),
            "LLM_PROVIDER": "extractive",
            "SERVICE": self.url,
            "KEY": "",
            "ADMIN_KEY": "",
        }
        self._service: subprocess.Popen[bytes] | None = None
        self._log = folder / "service.log"

    def type(self, command: Command) -> None:
        """Type a command; it must succeed. One that starts the service takes the place of the one that runs."""
        text, extra = self._filled_in(command)
        # variables of a command are there for the next ones of the page
        kept = self.folder / f"{command.page.replace('/', '-')}.variables"
        script = f'{_SHELL}set -a; test -f "$KEPT" && . "$KEPT"\n{text}\nexport -p >"$KEPT"\n'
        shell = ["bash", "-euo", "pipefail", "-c", script]
        environment = self._environment | {"KEPT": str(kept)} | extra
        if _SERVES.search(text):
            self._serve(shell, environment, _ASSISTANT.search(text))
            return
        done = subprocess.run(
            shell, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=400, check=False
        )
        assert done.returncode == 0, f"{text}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"

    def stop(self) -> None:
        """End the service, where one runs."""
        if self._service is not None and self._service.poll() is None:
            os.killpg(self._service.pid, signal.SIGTERM)
            self._service.wait(60)
        _wait_until(lambda: not self._is_there())  # the shell has ended, and what it started is still finishing

    def _serve(self, shell: list[str], environment: Mapping[str, str], assistant: re.Match[str] | None) -> None:
        self.stop()
        with self._log.open("wb") as log:
            self._service = subprocess.Popen(
                shell, cwd=self.folder, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        until = time.monotonic() + _PATIENCE
        while not (self._is_there() and self._answers(assistant)):
            goes_on = self._service.poll() is None and time.monotonic() < until
            assert goes_on, self._log.read_text(encoding="utf-8")[-3000:]
            time.sleep(0.2)

    def _is_there(self) -> bool:
        try:
            return self.get("/health/live").is_success
        except httpx.TransportError:
            return False

    def _answers(self, assistant: re.Match[str] | None) -> bool:
        if assistant is None:
            return self.get("/health/ready").is_success
        return bool(self.get("/health").json()["assistants"][assistant[1]]["ready"])

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=10, trust_env=False)

    def _post(self, path: str, **body: Any) -> httpx.Response:
        return httpx.post(self.url + path, timeout=60, trust_env=False, **body).raise_for_status()

    def _filled_in(self, command: Command) -> tuple[str, dict[str, str]]:
        """A command with what its reader puts in place of the names in it, and what its remark says of where it is typed."""
        text = command.text
        for pattern, put in self._own().items():
            if re.search(pattern, text):
                text = re.sub(pattern, put if isinstance(put, str) else put(), text)
        return text, {"DATA_DIR": f"restored-{Path(command.page).stem}"} if " restore " in text else {}

    def _own(self) -> dict[str, str | Callable[[], str]]:
        return {
            r"127\.0\.0\.1:8001": f"127.0.0.1:{self._port}",
            r" \[--baseline F\]": "",
            r" \[(--[^\]]+)\]": r" \1",  # what may be left out is not
            r"(asks) --dataset F": r"\1 --dataset asks.jsonl",
            r"(routing) --dataset F": r"\1 --dataset labelled.jsonl",
            r"--dataset F": "--dataset questions.jsonl",
            r"--(out|export) F": r"--\1 written.jsonl",
            r"--(data-dir|a|b) D\b": r"--\1 var",
            r"@안내\.pdf": "@다른안내.pdf",  # the index has the first ones by then
            r"--tree 법령": "--tree 다른법령",
            r"/api/vectordb/statute-changes\?": self._changes,
            r"--since DATE": "--since 2026-11-01",
            r"(export-domains) DIR": r"\1 written-domains",
            r"(delete|purge) ID…": r"\1 SAMPLE-1",
            r"train …": "train --statutes 법령.tar.gz --decisions 판례.jsonl.gz",
            r"/mnt/backup/": "",
            r"restore 백업\.tar": "restore var/backups/*.tar",
            r"<답변의 request_id>": self._request_id,
            r"jobs/<id>": self._job,
            r"documents/<id>": "documents/SAMPLE-2",
            r'"<etag>"': self._etag,
        }

    def _request_id(self) -> str:
        return str(
            self._post("/api/chat", json={"message": "간이과세자 부가세 신고는 언제 하나요?"}).json()["request_id"]
        )

    def _job(self) -> str:
        """The last job, which is looked at until it is done."""
        _wait_until(lambda: self._last_job()["state"] == "done")
        return f"jobs/{self._last_job()['id']}"

    def _last_job(self) -> dict[str, str]:
        job: dict[str, str] = self.get("/api/vectordb/jobs").json()["jobs"][0]
        return job

    def _changes(self) -> str:
        """The changes of the last version, which the service takes up within seconds."""
        path = "/api/vectordb/statute-changes?"
        _wait_until(lambda: self.get(path).is_success)
        return path

    def _etag(self) -> str:
        answer = self.get("/api/domains/hr_labor")
        (self.folder / "hr_labor.json").write_text(answer.text, encoding="utf-8")
        return answer.headers["etag"]


def _wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.2)


def _not_cloned(folder: str, names: list[str]) -> set[str]:
    """Return what lies in the project's folder and is no part of it. Compiled modules come along: they save half a minute."""
    return _NOT_CLONED.intersection(names) if Path(folder) == PROJECT_ROOT else set()


def write_files(folder: Path) -> None:
    """Write the files by the names that the pages give them, each with a document or a few."""
    _write_knowledge(folder)
    _write_notices(folder)
    _write_questions(folder)
    _write_farm(folder)
    (folder / "error.png").write_bytes(PNG)


def _write_knowledge(folder: Path) -> None:
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    team = folder / "우리지식" / "hr_labor" / "TEAM_CONTRACT_001.md"
    team.parent.mkdir(parents=True)
    team.write_text(readme.partition("```markdown\n")[2].partition("```")[0], encoding="utf-8")
    samples = [record(f"SAMPLE-{number}", f"도장은 {number}번 서랍에 있습니다.") for number in range(1, 4)]
    write_lines(folder / "안내문.jsonl", *samples)
    faq: dict[str, object] = {"id": "FAQ-1", "question": "탕비실은 어디인가요?", "answer": "탕비실은 2층에 있습니다."}
    write_lines(folder / "문답.jsonl", faq)
    farm: dict[str, object] = {
        "id": "FARM-1",
        "question": "농지취득자격증명은 며칠이나 걸리나요?",
        "answer": "농지취득자격증명은 7일 안에 나옵니다.",
    }
    write_lines(folder / "영농안내.jsonl", farm)
    (folder / "안내.md").write_text("# 휴게 안내\n\n## 휴게실\n\n휴게실은 3층에 있습니다.\n", encoding="utf-8")
    for name in ("안내.pdf", "다른안내.pdf", "영농안내.pdf", "연말정산안내.pdf"):
        (folder / name).write_bytes(make_pdf([f"{name}\n{_MONTHLY_RENT}"]))
    for name, days in (("옛법령", 7), ("새법령", 10), ("다른법령", 14)):
        (folder / name / "kr" / "달빛법").mkdir(parents=True)
        article = {"제1조 (기한)": f"달빛은 {days}일 안에 신고하여야 한다."}
        write_statute(folder / name / "kr" / "달빛법", "달빛법", article)
    _pack(folder / "법령.tar.gz", folder / "새법령")
    _pack(folder / "다른법령.tar.gz", folder / "다른법령")
    pages = write_pages(folder / "pages")
    for name in ("웹문서.tar.gz", "google-api-docs.tar.gz"):
        _pack(folder / name, pages)


def _pack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(folder, folder.name)


def _write_notices(folder: Path) -> None:
    samples = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
    for name, pack in (("공고.jsonl", "support"), ("주택공고.jsonl", "housing")):
        of_pack = [sample for sample in samples if sample["pack"] == pack][:3]
        if pack == "support":
            of_pack[0]["id"] = "bizinfo-121116"
        write_lines(folder / name, *of_pack)


def _write_questions(folder: Path) -> None:
    lines = (_DATASETS / "starter_hr_labor.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    for name in ("questions.jsonl", "google_api_dev.jsonl"):
        write_lines(folder / name, *lines)
    owners = (_DATASETS / "owner_questions_dev.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    write_lines(folder / "asks.jsonl", *owners)
    labelled = [
        RoutingExample(id=question["id"], question=question["question"], domains=(domain,))
        for domain in ("hr_labor", "finance_tax", "startup_funding", "law_common")
        for line in (_DATASETS / f"starter_{domain}.jsonl").read_text(encoding="utf-8").splitlines()[:3]
        for question in [json.loads(line)]
    ]
    write_lines(folder / "labelled.jsonl", *(example.model_dump_json() for example in labelled))


def _write_farm(folder: Path) -> None:
    """The domain that the README gives as an example, and an assistant with it."""
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    domain = readme.partition("```toml\n# data/domains/farming.toml\n")[2].partition("```")[0]
    (folder / "data" / "domains" / "farming.toml").write_text(domain, encoding="utf-8")
    assistant = folder / "data" / "assistants" / "farm"
    (assistant / "domains").mkdir(parents=True)
    (assistant / "domains" / "farming.toml").write_text(domain.replace('neighbours = ["law_common"]', ""), "utf-8")
    (assistant / "assistant.toml").write_text(
        'name = "farm"\nlabel = "농업 안내"\ndescription = "농지에 대한 질문에 답합니다."\n', encoding="utf-8"
    )
