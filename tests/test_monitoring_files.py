"""Rules, alerts and dashboard name what the service tells, and Prometheus's own tool finds nothing wrong with them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast, get_args

import pytest
import yaml

from chains.models.usage import ModelFailureReason
from routes.metrics import ServiceState
from schemas.chat import ChatResponse, Component, ReplyKind
from schemas.usage import UsagePurpose
from tests.test_deployment_files import KEYS, compose
from utils.config.settings import PROJECT_ROOT
from utils.observability.metrics import STAGES, GroundingFault, Metrics, PaperOutcome, RefusalCause
from utils.paperwork.rendering.formats import DocumentFormat
from vectorstores.providers.json_endpoint import CallPurpose

PROMETHEUS = PROJECT_ROOT / "deploy" / "prometheus"
GRAFANA = PROJECT_ROOT / "deploy" / "grafana"

VALUES = {
    "kind": set(get_args(ReplyKind)),
    "degraded": {"yes", "no"},
    "status": {"1xx", "2xx", "3xx", "4xx", "5xx", "none"},
    "cause": set(RefusalCause),
    "fault": set(GroundingFault),
    "component": set(Component),
    "stage": set(STAGES),
    "purpose": {*UsagePurpose, *CallPurpose},
    "outcome": {"ok", "left", "failed", *ModelFailureReason, *PaperOutcome},
    "type": {"-", *(file.stem for file in (PROJECT_ROOT / "data" / "paperwork").glob("*.toml"))},
    "format": set(DocumentFormat),
    "provider": {"embedding", "rerank"},
    "direction": {"input", "output"},
}
"""Every value that a label of a closed set may have."""
FROM_OUTSIDE: dict[str, set[str]] = {"up": {"job", "instance"}, "process_resident_memory_bytes": set()}
"""Series of Prometheus itself, and of its client for Python."""

_OF_THE_SCRAPE = {"job", "instance", "severity", "alertname"}
_NAME = re.compile(r"\b(?:bizi|process)[\w:]*|\bup\b")
_SELECTOR = re.compile(r"([\w:]+)\{([^}]*)\}")
_MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
_GROUPING = re.compile(r"\b(?:by|without|on)\s*\(([^)]*)\)")


def _metrics() -> Metrics:
    metrics = Metrics()
    metrics.tell(ServiceState(cast("Any", None)))
    return metrics


@cache
def told() -> dict[str, set[str]]:
    """Every series that ``/metrics`` tells, with its labels."""
    series = {}
    for name, collector in _metrics().exposed._names_to_collectors.items():
        labels = set(getattr(collector, "_labelnames", ()))
        series[name] = labels | ({"le"} if name.endswith("_bucket") else set())
    state = ServiceState(cast("Any", None)).describe()
    series |= {f"{family.name}{'_info' if family.type == 'info' else ''}": set(_labels(family)) for family in state}
    return series


def _labels(family: Any) -> tuple[str, ...]:
    return ("version",) if family.type == "info" else family._labelnames


def _bounds(histogram: str) -> set[str]:
    collector: Any = _metrics().exposed._names_to_collectors[histogram]
    return {f"{bound:g}" for bound in collector._kwargs["buckets"]}


@cache
def _groups(file: str) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = yaml.safe_load((PROMETHEUS / file).read_text(encoding="utf-8"))["groups"]
    return groups


def _rules(file: str) -> list[dict[str, Any]]:
    return [rule for group in _groups(file) for rule in group["rules"]]


@cache
def _dashboard() -> dict[str, Any]:
    board: dict[str, Any] = json.loads((GRAFANA / "dashboards" / "bizi.json").read_text(encoding="utf-8"))
    return board


def _targets() -> Iterator[tuple[str, str]]:
    for panel in _dashboard()["panels"]:
        for target in panel.get("targets", ()):
            yield f"{panel['title']} {target['refId']}", target["expr"]


def _expressions() -> list[Any]:
    rules = [
        (rule.get("record") or rule["alert"], rule["expr"])
        for file in ("rules.yml", "alerts.yml")
        for rule in _rules(file)
    ]
    return [pytest.param(expression, id=name) for name, expression in [*rules, *_targets()]]


@cache
def _recorded() -> dict[str, set[str]]:
    """Series that the rules record, with the labels that they keep."""
    recorded = {}
    for rule in _rules("rules.yml"):
        kept = _GROUPING.findall(rule["expr"])
        recorded[rule["record"]] = {label.strip() for names in kept for label in names.split(",")} - {"le"}
    return recorded


@pytest.mark.parametrize("expression", _expressions())
def test_every_name_and_label_is_told(expression: str) -> None:
    known = told() | _recorded() | FROM_OUTSIDE
    bare = re.sub(r'"[^"]*"', '""', expression)
    names = set(_NAME.findall(re.sub(r"\{[^}]*\}", "", bare)))
    assert names
    assert names - set(known) == set()
    labels = set().union(*(known[name] for name in names)) | _OF_THE_SCRAPE
    for grouping in _GROUPING.findall(bare):
        assert {label.strip() for label in grouping.split(",")} - labels == set()
    for name, matchers in _SELECTOR.findall(expression):
        for label, _, value in _MATCHER.findall(matchers):
            assert label in known[name] | _OF_THE_SCRAPE, f"{name} has no {label}"
            if label == "le":
                assert value in _bounds(name.removesuffix("_bucket")), f"{name} has no bucket {value}"
            elif label in VALUES:
                assert set(value.split("|")) <= VALUES[label]


def test_the_dashboard_shows_everything_that_is_counted() -> None:
    shown = " ".join([*(expression for _, expression in _targets()), *(rule["expr"] for rule in _rules("rules.yml"))])
    suffixes = {"counter": "_total", "histogram": "_bucket", "info": "_info"}
    families = [*Metrics().exposed.collect(), *ServiceState(cast("Any", None)).describe()]
    series = [family.name + suffixes.get(family.type, "") for family in families if family.name.startswith("bizi_")]
    assert len(series) > 20
    assert [name for name in series if not re.search(rf"\b{name}\b", shown)] == []


def test_the_dashboard_is_laid_out() -> None:
    panels = _dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells), "panels overlap"
    assert max(x for x, _ in cells) < 24
    source = yaml.safe_load((GRAFANA / "provisioning/datasources/prometheus.yml").read_text(encoding="utf-8"))
    assert {target["datasource"]["uid"] for panel in panels for target in panel.get("targets", ())} == {
        source["datasources"][0]["uid"]
    }


def test_alerts_say_how_urgent_they_are_and_what_to_do() -> None:
    for rule in _rules("alerts.yml"):
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]


def test_labels_have_no_other_values() -> None:
    """Those that anybody from outside could choose are none of them; routes are templates, collections are domains, the currency is that of the table of prices."""
    bounded = set(VALUES) | {"route", "collection", "capability", "version", "le", "currency"}
    assert set().union(*(labels for name, labels in told().items() if name.startswith("bizi_"))) <= bounded


def test_what_compose_starts_finds_the_metrics_and_the_files() -> None:
    services = compose(API_KEYS=KEYS)["services"]
    scrape = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"][0]
    port = services["rag"]["environment"]["METRICS_PORT"]
    assert scrape["static_configs"] == [{"targets": [f"rag:{port}"]}]
    assert not any(str(port) in published for published in services["rag"]["ports"])
    assert set(services["prometheus"]["networks"]) <= set(services["rag"]["networks"])
    assert set(services["prometheus"]["networks"]) <= set(services["grafana"]["networks"])
    mounted = [
        mount.split(":")[0]
        for name in ("prometheus", "grafana")
        for mount in services[name]["volumes"]
        if "./" in mount
    ]
    assert [folder for folder in mounted if not (PROJECT_ROOT / folder).is_dir()] == []
    provider = yaml.safe_load((GRAFANA / "provisioning/dashboards/bizi.yml").read_text(encoding="utf-8"))
    path = provider["providers"][0]["options"]["path"]
    assert any(mount.split(":")[1] == path for mount in services["grafana"]["volumes"])


def _promtool(*arguments: str, given: bytes | None = None) -> None:
    tool = shutil.which("promtool")
    if tool is None:
        pytest.skip("promtool is not installed (Debian: prometheus)")
    done = subprocess.run([tool, *arguments], cwd=PROMETHEUS, input=given, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


def test_promtool_finds_nothing_wrong_with_the_rules() -> None:
    _promtool("check", "config", "prometheus.yml")
    _promtool("check", "rules", "rules.yml", "alerts.yml")


def test_alerts_fire_when_they_should() -> None:
    _promtool("test", "rules", "alerts_test.yml")


def test_promtool_reads_what_the_dashboard_asks(tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "5m")}
        for number, (_, expression) in enumerate(_targets())
    ]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), encoding="utf-8")
    _promtool("check", "rules", str(file))


def test_promtool_finds_nothing_wrong_with_the_metrics() -> None:
    metrics = Metrics()
    metrics.answered(ChatResponse(content="", domain=None, domains=[], kind="consult", model="", request_id="1"))
    metrics.requests.labels("/api/chat", "2xx").inc()
    metrics.duration.labels("/api/chat", "2xx").observe(1)
    _promtool("check", "metrics", given=metrics.exposition())
