"""Container files, read as Docker reads them; `tests/e2e/test_deployment.py` starts what they start."""

from __future__ import annotations

import ast
import re
import socket
import subprocess
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.own_server import program
from utils.config.settings import PROJECT_ROOT, Settings, load_settings
from utils.config.settings_table import SECRETS_FOLDER, SET_BY_THE_IMAGE

DOCKERFILE = (PROJECT_ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = (PROJECT_ROOT / "docker-compose.yml").read_text(encoding="utf-8")
KEYS = "web=0123456789abcdef:chat"
SECRETS = (
    "api_keys",
    "openai_api_key",
    "runpod_api_key",
    "milvus_token",
    "web_search_proxy",
    "database_url",
    "law_api_key",
    "redis_url",
    "trace_headers",
    "langfuse_secret_key",
    "session_url",
    "usage_url",
    "notice_database_url",
    "bizinfo_api_key",
    "kstartup_api_key",
)
_VARIABLE = re.compile(r"\$\{(\w+)(:[-+?])?((?:[^{}$]|\$\{[^{}]*\})*)\}")


class MissingVariable(Exception):
    """``${NAME:?…}`` without a value."""


def interpolated(text: str, given: Mapping[str, str]) -> str:
    """``text`` as Compose fills in variables: ``:-`` a default, ``:+`` instead of a value, ``:?`` required."""

    def value_of(match: re.Match[str]) -> str:
        name, operator, rest = match.groups()
        value = given.get(name, "")
        if operator == ":-" and not value:
            return interpolated(rest, given)
        if operator == ":?" and not value:
            raise MissingVariable(rest)
        if operator == ":+":
            return interpolated(rest, given) if value else ""
        return value

    return _VARIABLE.sub(value_of, text)


@cache
def _parsed() -> Any:
    return yaml.safe_load(COMPOSE)


def compose(**given: str) -> dict[str, Any]:
    """The compose file with these variables in the environment of whoever starts it."""

    def filled(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: filled(value) for key, value in part.items()}
        if isinstance(part, list):
            return [filled(value) for value in part]
        return interpolated(part, given).replace("$$", "$") if isinstance(part, str) else part

    result: dict[str, Any] = filled(_parsed())
    return result


def _copied() -> set[str]:
    return {
        name
        for stage in DOCKERFILE.split("\nFROM ")
        for names in re.findall(r"^COPY (?!--from)(.+) \S+$", stage, re.MULTILINE)
        for name in names.split()
    }


def _stage(name: str) -> str:
    return next(stage for stage in DOCKERFILE.split("\nFROM ") if f" AS {name}\n" in stage)


def _file_of(module: str) -> Path | None:
    """The file of one of our modules or packages."""
    path = PROJECT_ROOT.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _imported(file: Path) -> set[Path]:
    """Our own files that a file imports, wherever in it, with the packages they lie in."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    packages = {name.rsplit(".", count)[0] for name in names for count in range(1, name.count(".") + 1)}
    return {found for name in names | packages if (found := _file_of(name)) is not None}


def _needed_by_the_service() -> set[Path]:
    """Every file that the server, its services and the commands of the image import, one through another."""
    waiting = [PROJECT_ROOT / name for name in ("main.py", "services.py", "vectorstores/__main__.py")]
    found: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imported(file)
    return found


def _is_copied(file: Path) -> bool:
    return any(file == PROJECT_ROOT / name or (PROJECT_ROOT / name) in file.parents for name in _copied())


def test_the_image_holds_everything_that_is_imported_or_read() -> None:
    needed = _needed_by_the_service()
    assert PROJECT_ROOT / "evaluation" / "ragas_evaluator.py" in needed, "imported within a function"
    assert len(needed) > 200
    assert [file for file in sorted(needed) if not _is_copied(file)] == []
    assert {"data", "pyproject.toml"} <= _copied()
    assert [name for name in _copied() if not (PROJECT_ROOT / name).exists()] == []


def test_the_laboratory_is_not_part_of_the_image() -> None:
    laboratory = [file for file in (PROJECT_ROOT / "evaluation").rglob("*") if file.is_file()]
    copied = {file.name for file in laboratory if _is_copied(file)}
    assert copied == {"__init__.py", "ragas_evaluator.py", "ragas_log.py", "ragas_prompts.py"}
    folders = {"training", "experiments", "bench", "commands", "measures"}
    assert {file.relative_to(PROJECT_ROOT).parts[1] for file in laboratory} >= folders
    needed = [file.relative_to(PROJECT_ROOT).parts for file in _needed_by_the_service()]
    assert [parts for parts in needed if parts[0] == "evaluation" and folders.intersection(parts)] == []


def test_the_build_context_lets_through_what_is_copied() -> None:
    ignored = (PROJECT_ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert _copied() == {name.removeprefix("!") for name in ignored if name.startswith("!")}


def test_the_service_runs_as_nobody_special_and_without_build_tools() -> None:
    stages = DOCKERFILE.split("\nFROM ")
    runtime = _stage("runtime")
    user = re.search(r"^USER (\d+)$", runtime, re.MULTILINE)
    assert user is not None, "a number, which can be told from root's without the image"
    assert f"useradd --system --uid {user[1]} " in runtime
    assert "pip uninstall" in _stage("runtime")
    assert stages[-1].split()[2] == "base", "a plain build gives the small image"
    assert all("pip uninstall" in stage for stage in stages if re.search(r" AS build-\w+", stage))


def test_what_the_image_installs_is_checked_by_hash() -> None:
    installs = re.findall(r"pip install (.+?)(?: \\)?$", DOCKERFILE, re.MULTILINE)
    assert len(installs) == 5
    assert [
        install for install in installs if not install.startswith("--require-hashes -") and "torch==" not in install
    ] == []


def test_the_image_writes_to_its_volume_alone() -> None:
    environment = dict(re.findall(r"(\w+)=(/data\S*)", _stage("runtime").partition("WORKDIR")[0]))
    assert set(environment) == {"HOME", "DATA_DIR", "LOG_DIR"}
    assert set(environment) - {"HOME"} <= SET_BY_THE_IMAGE


def test_every_folder_that_is_written_belongs_to_the_user_of_the_image() -> None:
    runtime = _stage("runtime")
    user = re.search(r"^ +&& useradd .* (\w+) \\$", runtime, re.MULTILINE)
    volume = re.search(r"^VOLUME (\S+)$", runtime, re.MULTILINE)
    assert user is not None
    assert volume is not None
    owned = re.findall(rf"install --directory --owner={user[1]} (.+)$", runtime, re.MULTILINE)[0].split()
    written = dict(re.findall(r"(HOME|DATA_DIR|LOG_DIR)=(\S+)", runtime))
    assert set(written.values()) <= set(owned)
    assert all(Path(folder).is_relative_to(volume[1]) for folder in written.values())
    service = compose(API_KEYS=KEYS)["services"]["rag"]
    assert service["read_only"] is True
    assert [mount.partition(":")[2] for mount in service["volumes"]] == [volume[1]]
    assert {name: service["environment"][name] for name in ("DATA_DIR", "LOG_DIR")} == {
        name: written[name] for name in ("DATA_DIR", "LOG_DIR")
    }


@pytest.mark.finding("H5")
def test_compose_passes_on_every_setting() -> None:
    names = {name.upper() for name in Settings.model_fields} - SET_BY_THE_IMAGE
    environment = compose(**{name: f"value of {name}" for name in names})["services"]["rag"]["environment"]
    assert {name: environment.get(name) for name in names} == {name: f"value of {name}" for name in names}


def test_compose_passes_on_nothing_else() -> None:
    known = {name.upper() for name in Settings.model_fields} | {f"{name.upper()}_FILE" for name in SECRETS}
    assert set(compose(API_KEYS=KEYS)["services"]["rag"]["environment"]) == known


def test_the_service_starts_with_what_compose_passes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"API_KEYS": KEYS, "TRUSTED_PROXIES": "172.18.0.1", "RATE_LIMIT_BURST": "7", "REQUEST_TIMEOUT": "30"}
    given |= {"CORS_ORIGINS": "https://bizi.example", "REDIS_URL": "redis://redis", "MAX_BODY_BYTES": "2048"}
    for name, value in compose(**given)["services"]["rag"]["environment"].items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert (settings.host, settings.port, settings.log_format) == ("0.0.0.0", 8001, "json")
    assert (settings.trusted_proxies, settings.cors_origins) == (("172.18.0.1",), ("https://bizi.example",))
    assert (settings.rate_limit_burst, settings.request_timeout, settings.max_body_bytes) == (7, 30, 2048)
    assert (settings.redis_url, settings.retrieval_k) == ("redis://redis", 4)
    assert set(settings.api_keys) == {"web"}


def test_compose_asks_for_keys_in_one_way_or_the_other() -> None:
    with pytest.raises(MissingVariable, match="API_KEYS"):
        compose()
    by_file = compose(API_KEYS_FILE="./keys")
    rag = by_file["services"]["rag"]
    assert rag["environment"]["API_KEYS_FILE"] == f"{SECRETS_FOLDER}/api_keys"
    assert by_file["secrets"]["api_keys"] == {"file": "./keys"}
    assert KEYS not in str(compose(API_KEYS_FILE="./keys"))


@pytest.mark.parametrize("name", SECRETS)
def test_compose_hands_on_secrets_as_files(name: str) -> None:
    unset, given = compose(API_KEYS=KEYS), compose(**{"API_KEYS": KEYS, f"{name.upper()}_FILE": "./secret"})
    assert name in unset["services"]["rag"]["secrets"]
    assert unset["services"]["rag"]["environment"][f"{name.upper()}_FILE"] == ""
    assert given["services"]["rag"]["environment"][f"{name.upper()}_FILE"] == f"{SECRETS_FOLDER}/{name}"
    assert given["secrets"][name]["file"] == "./secret"


def test_compose_publishes_on_loopback_only_and_stores_not_at_all() -> None:
    services = compose(API_KEYS=KEYS)["services"]
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert [port for port in published if not port.startswith("127.0.0.1:")] == []
    assert {name for name, service in services.items() if "ports" in service} == {"rag", "grafana"}
    assert {name for name, service in services.items() if "profiles" not in service} == {"rag"}
    networks = compose(API_KEYS=KEYS)["networks"]
    assert networks == {"stores": {"internal": True}, "monitoring": {"internal": True}}
    assert [services[name]["networks"] for name in ("chroma", "mysql", "redis")] == [["stores"]] * 3
    assert services["prometheus"]["networks"] == ["monitoring"]


def test_no_password_has_a_default() -> None:
    assert not re.findall(r"PASSWORD\w*: \$\{\w+:?-[^}]*\}", COMPOSE)
    assert "PASSWORD:-" not in COMPOSE
    mysql = compose(API_KEYS=KEYS)["services"]["mysql"]
    assert "MYSQL_PASSWORD" not in mysql["environment"]
    assert compose(API_KEYS=KEYS)["secrets"]["mysql_password"]["file"] != "/dev/null"


def test_compose_holds_the_container_to_bounds() -> None:
    rag = compose(API_KEYS=KEYS)["services"]["rag"]
    assert rag["read_only"] is True
    assert [mount.partition(":")[0] for mount in rag["tmpfs"]] == ["/tmp"]
    assert rag["cap_drop"] == ["ALL"]
    assert rag["security_opt"] == ["no-new-privileges:true"]
    assert rag["ulimits"]["nofile"] >= 65_536
    assert {"mem_limit", "pids_limit", "cpus"} <= set(rag)
    for service in compose(API_KEYS=KEYS)["services"].values():
        assert {"mem_limit", "cpus", "pids_limit", "security_opt", "restart"} <= set(service)


def test_every_container_tells_whether_it_is_well() -> None:
    services = compose(API_KEYS=KEYS)["services"]
    assert {name for name, service in services.items() if "healthcheck" not in service} == {"rag"}
    assert "\nHEALTHCHECK " in _stage("runtime"), "that of the image"


def test_images_are_pinned_to_a_version() -> None:
    images = [service["image"] for name, service in compose(API_KEYS=KEYS)["services"].items() if name != "rag"]
    base = re.search(r"^ARG PYTHON_IMAGE=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert base is not None
    assert [image for image in [*images, base[1]] if not re.fullmatch(r"[\w/]+:v?\d+\.\d+\.\d+[\w-]*", image)] == []


def test_what_compose_mounts_is_there_and_what_it_keeps_has_a_volume() -> None:
    file = compose(API_KEYS=KEYS)
    mounts = [mount.split(":")[0] for service in file["services"].values() for mount in service.get("volumes", ())]
    named = {mount for mount in mounts if not mount.startswith(".")}
    assert named == set(file["volumes"])
    assert [mount for mount in mounts if mount.startswith(".") and not (PROJECT_ROOT / mount).is_dir()] == []
    secrets = {secret for service in file["services"].values() for secret in service.get("secrets", ())}
    assert secrets == set(file["secrets"])


def test_only_the_neural_image_has_torch() -> None:
    stages = {stage.split()[2]: stage for stage in DOCKERFILE.split("\nFROM ") if " AS " in stage}
    assert [name for name, stage in stages.items() if "torch==" in stage] == ["build-neural"]
    copying = [name for name, stage in stages.items() if "COPY --from=build-neural" in stage]
    assert copying == ["neural"]
    for name in ("base", "build", "postgres", "redis", "trace"):
        pinned = (PROJECT_ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
        assert not re.search(r"^(?:torch|triton|nvidia-[\w-]+)==", pinned, re.MULTILINE)


@pytest.mark.services
def test_redis_of_compose_asks_for_its_password(tmp_path: Path) -> None:
    service = compose(API_KEYS=KEYS)["services"]["redis"]
    shell, options, script = service["command"]
    (tmp_path / "redis_password").write_text('a "pass\\word\n', encoding="utf-8")
    port = free_port()
    script = script.replace("/run/secrets", str(tmp_path)).replace("cd /tmp", f"cd {tmp_path}")
    check = (
        service["healthcheck"]["test"][1].replace("/run/secrets", str(tmp_path)).replace("-cli ", f"-cli -p {port} ")
    )
    program("redis-server")
    process = subprocess.Popen([shell, options, f"{script} --port {port} --bind 127.0.0.1"], cwd=tmp_path)
    try:
        until = time.monotonic() + 20
        while subprocess.run(["sh", "-c", check], check=False, capture_output=True).returncode:
            assert time.monotonic() < until, check
            time.sleep(0.1)
        refused = subprocess.run(["redis-cli", "-p", str(port), "ping"], capture_output=True, text=True, check=False)
        assert "NOAUTH" in refused.stdout
        assert "pass" not in Path(f"/proc/{process.pid}/cmdline").read_text(encoding="utf-8")
        assert (tmp_path / "redis.conf").stat().st_mode & 0o077 == 0
    finally:
        process.terminate()
        process.wait(10)


def test_a_job_of_the_index_fits_beside_the_service() -> None:
    """Otherwise the kernel ends whichever of them is larger, and that may be the service."""
    rag = compose(API_KEYS=KEYS)["services"]["rag"]
    assert rag["mem_limit"] == "4g"
    assert int(rag["environment"]["INGEST_MEMORY_BYTES"]) <= 2 * 2**30


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port
