"""Manifests of deploy/kubernetes say what the image and the service say; kubectl renders them where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from routes.open_paths import OPEN_PATHS
from tests.test_deployment_files import DOCKERFILE
from utils.config.secret_files import SUFFIX, secret_settings
from utils.config.settings import PROJECT_ROOT, Settings, load_settings
from utils.server.uvicorn_server import DRAIN_SECONDS

KUBERNETES = PROJECT_ROOT / "deploy" / "kubernetes"
OVERLAYS = ("base", "scaled")


@cache
def _documents() -> dict[str, list[dict[str, Any]]]:
    files = sorted(KUBERNETES.glob("*/*.yaml"))
    return {
        file.relative_to(KUBERNETES).as_posix(): list(yaml.safe_load_all(file.read_text(encoding="utf-8")))
        for file in files
    }


def _of_kind(kind: str) -> list[dict[str, Any]]:
    return [document for documents in _documents().values() for document in documents if document["kind"] == kind]


def _pod() -> dict[str, Any]:
    spec: dict[str, Any] = _of_kind("Deployment")[0]["spec"]["template"]["spec"]
    return spec


def _environment() -> dict[str, str]:
    generated = [
        literal.partition("=")
        for customization in _of_kind("Kustomization")
        for generator in customization.get("configMapGenerator", ())
        for literal in generator["literals"]
    ]
    given = {each["name"]: each["value"] for each in _pod()["containers"][0]["env"]}
    return given | {name: value for name, _, value in generated}


def test_every_variable_is_a_setting_and_every_secret_is_mounted() -> None:
    secrets = {f"{name}{SUFFIX}".upper() for name in secret_settings(Settings)}
    names = {name.upper() for name in Settings.model_fields} | secrets
    environment = _environment()
    assert set(environment) <= names
    mounts = {mount["name"]: mount["mountPath"] for mount in _pod()["containers"][0]["volumeMounts"]}
    assert {str(Path(environment[name]).parent) for name in secrets & set(environment)} == {mounts["secrets"]}
    plain = {name: value for name, value in environment.items() if name not in secrets}
    load_settings(plain)


def test_the_pod_is_held_as_the_container_of_compose_is() -> None:
    pod, container = _pod(), _pod()["containers"][0]
    user = re.search(r"^USER (\d+)$", DOCKERFILE, re.MULTILINE)
    assert user is not None
    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsNonRoot"]) == (int(user[1]), True)
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"cpu", "memory"} <= set(container["resources"]["requests"])
    assert "memory" in container["resources"]["limits"]
    assert {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")} == {"/data", "/tmp"}


def test_probes_ask_for_what_is_open_and_the_end_has_time() -> None:
    container = _pod()["containers"][0]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports["metrics"] == int(_environment()["METRICS_PORT"])
    assert f"PORT={ports['http']}" in DOCKERFILE
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[name]["httpGet"]["path"] in OPEN_PATHS
        assert container[name]["httpGet"]["port"] == "http"
    waiting = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert _pod()["terminationGracePeriodSeconds"] >= DRAIN_SECONDS + waiting


def test_several_processes_share_their_stores() -> None:
    """Embedded Chroma and SQLite belong to one machine: the overlay with several pods names a server for each store."""
    scaled = yaml.safe_load((KUBERNETES / "scaled" / "kustomization.yaml").read_text(encoding="utf-8"))
    named = {literal.partition("=")[0] for literal in scaled["configMapGenerator"][0]["literals"]}
    assert {"CHROMA_HOST", "REDIS_URL_FILE", "DATABASE_URL_FILE", "SESSION_URL_FILE"} <= named
    assert _of_kind("Deployment")[0]["spec"]["replicas"] == 1
    assert _of_kind("HorizontalPodAutoscaler")[0]["spec"]["minReplicas"] > 1


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_kubectl_renders_them(overlay: str) -> None:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("kubectl is not installed")
    done = subprocess.run(
        [kubectl, "kustomize", str(KUBERNETES / overlay)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rendered = [document for document in yaml.safe_load_all(done.stdout) if document]
    kinds = [document["kind"] for document in rendered]
    assert {"Deployment", "Service", "PersistentVolumeClaim", "NetworkPolicy", "ConfigMap"} <= set(kinds)
    deployment = next(document for document in rendered if document["kind"] == "Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    config = deployment["spec"]["template"]["spec"]["containers"][0]["envFrom"][0]["configMapRef"]["name"]
    assert config in {document["metadata"]["name"] for document in rendered if document["kind"] == "ConfigMap"}
    selectors = [document["spec"]["selector"] for document in rendered if document["kind"] == "Service"]
    assert all(selector.items() <= labels.items() for selector in selectors)
    policies = [
        document["spec"]["podSelector"]["matchLabels"] for document in rendered if document["kind"] == "NetworkPolicy"
    ]
    assert all(selector.items() <= labels.items() for selector in policies)
    if overlay == "scaled":
        assert {"HorizontalPodAutoscaler", "PodDisruptionBudget", "ServiceMonitor"} <= set(kinds)
        assert "replicas" not in deployment["spec"], "the number is the autoscaler's"
        volume = next(document for document in rendered if document["kind"] == "PersistentVolumeClaim")
        assert volume["spec"]["accessModes"] == ["ReadWriteMany"]
