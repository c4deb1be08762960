"""The HTTP service: ``python main.py``, or ``create_app(settings)`` for a server of one's own."""

from __future__ import annotations

import gc

if __name__ == "__main__":
    # A third of the start would go into searching what it imports and builds for garbage; `_kept_for_good` ends that.
    gc.disable()

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.types import Scope
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from routes import metrics
from routes.administration import domain_trials
from routes.administration import vectordb as vectordb_admin
from routes.assistants import assistants, recordings
from routes.completions import completions
from routes.dependencies import AppState, Services
from routes.documents import documents
from routes.open_paths import open_paths, unlimited_paths
from routes.openapi import list_domains_in_openapi, operation_id
from routes.page import docs
from routes.page.assets import Assets
from routes.page.page import page_router
from routes.problems.handlers import install_problem_handlers
from routes.routers import ROUTERS
from utils.config.settings import Settings, SettingsError, load_settings
from utils.config.settings_record import settings_record
from utils.http.access import ApiKeyRing
from utils.http.rate_limiter import RateLimiter
from utils.middleware.api_key import API_KEY_HEADER, ApiKeyMiddleware
from utils.middleware.body_limit import BodyLimitMiddleware
from utils.middleware.concurrency import ConcurrencyMiddleware, most_at_once
from utils.middleware.deadline import DeadlineMiddleware
from utils.middleware.drain import DrainMiddleware
from utils.middleware.error_boundary import ErrorBoundaryMiddleware, StartupError
from utils.middleware.metrics import MetricsMiddleware
from utils.middleware.rate_limit import RATE_LIMIT_HEADERS, RateLimitMiddleware
from utils.middleware.request_id import RequestIdMiddleware
from utils.middleware.request_origin import HostMiddleware, OriginMiddleware
from utils.middleware.request_path import RequestPathMiddleware
from utils.middleware.root_path import RootPathMiddleware
from utils.middleware.security_headers import SecurityHeadersMiddleware
from utils.middleware.tarpit import Tarpit
from utils.middleware.tracing import TracingMiddleware
from utils.observability.logging_config import configure_logging
from utils.observability.loop_watchdog import LoopWatchdog
from utils.observability.metrics import Metrics
from utils.observability.request_context import REQUEST_ID_HEADER
from utils.observability.telemetry import Telemetry
from utils.observability.tracing import TracingMissing
from utils.observability.version import service_version
from utils.server.connection_gate import ConnectionLimits
from utils.server.exchanged_secrets import followed_secrets
from utils.server.metrics_server import metrics_served
from utils.server.uvicorn_server import DrainingServer, Runtime, build_server
from utils.server.worker_rules import check_workers
from utils.server.workers import Workers, bound_listener

logger = logging.getLogger("bizi")

# The event loop waits so long for a thread that calculates, each of the many times that a request passes through it.
_SWITCH_SECONDS = 0.001
_CLOSING_SECONDS = 5.0
_NOT_STARTED = 3  # exit status, as of uvicorn

ServicesFactory = Callable[[Settings, Telemetry], AbstractAsyncContextManager[Services]]


def create_app(
    settings: Settings, services_factory: ServicesFactory | None = None, runtime: Runtime | None = None
) -> FastAPI:
    """The application; its services are built when it starts and closed when it stops.

    ``runtime`` is what it shares with the server it runs in, where that is `utils.server.uvicorn_server.build_server`'s.

    Raises:
        SettingsError: the API keys are not well-formed, METRICS_DIR cannot be written, or what sends traces is missing.
    """

    runtime = runtime or _runtime(settings)
    keys = ApiKeyRing.from_settings(settings.api_keys)
    watchdog = LoopWatchdog(partial(_note_loop, runtime.metrics), runtime.metrics.loop_blocked.inc)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[AppState]:
        build = services_factory or _services
        routes = asyncio.ensure_future(asyncio.to_thread(_make_routes, app))
        async with build(settings, runtime.telemetry) as services, services.health.running():
            app.state.packs = services.packs
            await routes
            runtime.metrics.tell(metrics.ServiceState(services))
            _log_what_is_in_effect(settings, services)
            async with watchdog.running(), followed_secrets(settings, services.health, keys, services.use_secrets):
                with _kept_for_good(), _metrics_served(settings, runtime):
                    yield {"services": services, "metrics": runtime.metrics, "drain": runtime.drain}
            await _closed(runtime.telemetry)
            logger.info("서비스를 종료합니다.")

    app = FastAPI(
        title="Bizi RAG",
        summary="창업자와 소상공인의 질문에 문서를 근거로 답합니다.",
        version=service_version(),
        lifespan=lifespan,
        middleware=_middleware(settings, runtime, keys),
        redirect_slashes=False,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # `routes.page.docs`
        generate_unique_id_function=operation_id,
    )
    install_problem_handlers(app)
    list_domains_in_openapi(app)
    for router in (*ROUTERS, *([docs.router] if settings.enable_docs else [])):
        app.include_router(router)
    if settings.enable_page:
        app.include_router(page_router(Assets.load()))
    return app


def _make_routes(app: FastAPI) -> None:
    """Make what a first request would else make on the event loop, a quarter of a second long: the parameters of every route."""
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "/-", "root_path": "", "headers": []})


@asynccontextmanager
async def _services(settings: Settings, telemetry: Telemetry) -> AsyncIterator[Services]:
    logger.info("라이브러리를 불러오고 있습니다.")
    # Requests already use all cores; more threads for one small matrix product only wait for each other. Read at import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # not at the top: these take seconds, and a wrong setting should be told at once
    from vectorstores.build.providers import open_store
    from vectorstores.live.opening import open_in_background

    opening = open_in_background(open_store(settings))  # while all else is imported
    from services import build_services

    async with build_services(settings, opening, telemetry) as services:
        yield services


def _note_loop(metrics: Metrics, late: float) -> None:
    metrics.loop_lag.observe(late)
    metrics.loop_tasks.set(len(asyncio.all_tasks()))


async def _closed(telemetry: Telemetry) -> None:
    """Have what is left told, as long as that takes no time that the end of the service does not have."""
    closing = asyncio.create_task(asyncio.to_thread(telemetry.close))
    await asyncio.wait({closing}, timeout=_CLOSING_SECONDS)


def _runtime(settings: Settings) -> Runtime:
    """Return what application and server share; raises `SettingsError` where the settings ask for what cannot be."""
    try:
        return Runtime.of(settings)
    except TracingMissing as error:
        raise SettingsError(str(error)) from error
    except OSError as error:
        raise SettingsError(f"METRICS_DIR: {error.strerror or error}: {settings.metrics_dir}") from error


@contextmanager
def _metrics_served(settings: Settings, runtime: Runtime) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(metrics_served(settings, runtime.metrics.exposed))
        except OSError as error:
            reason = error.strerror or error
            raise StartupError(f"METRICS_PORT: {settings.metrics_port}번 포트를 쓸 수 없습니다 ({reason}).") from error
        yield


@contextmanager
def _kept_for_good() -> Iterator[None]:
    """The garbage collector works, and leaves alone what exists by now: the start made it for as long as the service runs."""
    gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        gc.unfreeze()


def _middleware(settings: Settings, runtime: Runtime, keys: ApiKeyRing) -> list[Middleware]:
    """Outermost first."""
    proxies = [Middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.trusted_proxies))]
    unlimited = unlimited_paths(settings)
    tarpit = Tarpit(ConnectionLimits.from_settings(settings).connections)
    most = most_at_once(settings)
    return [
        Middleware(MetricsMiddleware, metrics=runtime.metrics),
        *(proxies if settings.trusted_proxies else []),
        Middleware(RootPathMiddleware, root_path=settings.root_path),
        Middleware(RequestIdMiddleware),
        *([Middleware(TracingMiddleware, tracer=runtime.telemetry.tracer)] if runtime.telemetry.tracing else []),
        Middleware(SecurityHeadersMiddleware),
        Middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=("GET", "POST", "PUT", "DELETE"),
            allow_headers=("Authorization", "Content-Type", "If-Match", API_KEY_HEADER, REQUEST_ID_HEADER),
            expose_headers=(
                REQUEST_ID_HEADER,
                "ETag",
                "Location",
                "Retry-After",
                *RATE_LIMIT_HEADERS,
                *documents.DOCUMENT_HEADERS,
            ),
        ),
        Middleware(ErrorBoundaryMiddleware),
        Middleware(HostMiddleware, names=settings.served_hosts),
        Middleware(OriginMiddleware, allowed=settings.cors_origins),
        Middleware(DrainMiddleware, drain=runtime.drain),
        Middleware(
            BodyLimitMiddleware,
            limit=settings.max_body_bytes,
            timeout=settings.body_timeout,
            of_paths={
                vectordb_admin.UPLOAD_PATH: settings.max_upload_bytes,
                **_paths_of_domain_data(settings),
                **_paths_of_media(settings),
            },
        ),
        Middleware(ApiKeyMiddleware, keys=keys, open_paths=open_paths(settings), tarpit=tarpit),
        Middleware(RateLimitMiddleware, limiter_of=_rate_limiter, open_paths=unlimited, tarpit=tarpit),
        *([Middleware(ConcurrencyMiddleware, most=most, open_paths=unlimited, tarpit=tarpit)] if most else []),
        Middleware(RequestPathMiddleware),
        Middleware(DeadlineMiddleware, seconds=settings.request_timeout),
    ]


def _paths_of_domain_data(settings: Settings) -> dict[str, int]:
    """The largest bodies of the routes that take all domain data at once."""
    largest = max(settings.max_body_bytes, domain_trials.MAX_BODY_BYTES)
    return dict.fromkeys((domain_trials.DATA_FILES_PATH, domain_trials.DRY_RUN_PATH), largest)


def _paths_of_media(settings: Settings) -> dict[str, int]:
    """The largest bodies of the routes that take pictures, which grow by a third as text, and recordings."""
    pictured = settings.max_body_bytes + settings.max_image_bytes * 4 // 3
    recorded = settings.max_body_bytes + settings.max_audio_bytes
    return {**dict.fromkeys((*assistants.PICTURED_PATHS, completions.PATH), pictured), recordings.PATH: recorded}


def _rate_limiter(scope: Scope) -> RateLimiter | None:
    services: Services = scope["state"]["services"]
    return services.rate_limiter


def _log_what_is_in_effect(settings: Settings, services: Services) -> None:
    counts = {collection.key: collection.documents for collection in services.knowledge.stats().collections}
    logger.info("제공자: %s", ", ".join(f"{name}={value}" for name, value in services.providers.items()))
    logger.info("문서: %s", ", ".join(f"{key} {count:,}건" for key, count in counts.items()))
    for name, capability in services.health.capabilities.items():
        if capability.reason:
            logger.warning("%s: %s (%s)", name, capability.state.value, capability.reason)
    if not settings.api_keys:
        logger.warning("API 키가 없습니다. 누구나 쓸 수 있으므로 이 컴퓨터(%s)에서만 접속을 받습니다.", settings.host)


def main() -> int:
    """Serve until interrupted; requests under way get `utils.server.uvicorn_server.DRAIN_SECONDS` to finish."""
    try:
        settings = load_settings()
        configure_logging(settings.log_format, settings.log_level)
        for remark in check_workers(settings):
            logger.warning("WORKERS=%d: %s", settings.workers, remark)
        if settings.workers > 1:
            return _serve_together(settings)
        server = _server_of(settings)
    except SettingsError as error:
        print(f"설정 오류: {error}", file=sys.stderr)
        return 2
    with suppress(KeyboardInterrupt):
        server.run()
    return 0 if server.started else _NOT_STARTED


def worker_server() -> DrainingServer:
    """Return the server of one of several processes. It reads the settings itself, so a restarted process follows ``.env``."""
    gc.disable()
    try:
        settings = load_settings()
        configure_logging(settings.log_format, settings.log_level)
        check_workers(settings)
        return _server_of(settings)
    except SettingsError as error:
        print(f"설정 오류: {error}", file=sys.stderr)
        sys.exit(_NOT_STARTED)


def _server_of(settings: Settings) -> DrainingServer:
    logger.info("설정", extra={"settings": settings_record(settings)})
    runtime = _runtime(settings)
    app = create_app(settings, runtime=runtime)
    logger.info("Bizi RAG %s을(를) 시작합니다: http://%s:%d", service_version(), settings.host, settings.port)
    sys.setswitchinterval(_SWITCH_SECONDS)
    return build_server(app, settings, runtime)


def _serve_together(settings: Settings) -> int:
    """Keep several processes on one port until interrupted; this one serves nothing itself."""
    gc.enable()
    try:
        listener = bound_listener(settings.host, settings.port)
    except OSError as error:
        reason = error.strerror or error
        raise SettingsError(f"PORT: {settings.host}의 {settings.port}번 포트를 쓸 수 없습니다 ({reason})") from error
    with listener, tempfile.TemporaryDirectory(prefix="bizi-metrics-") as counts:
        # for the workers, who read the settings anew: these two stay as they are
        os.environ["WORKERS"] = str(settings.workers)
        os.environ["METRICS_DIR"] = str(settings.metrics_dir or counts)
        workers = Workers(worker_server, settings.workers, listener)
        workers.run()
    return _NOT_STARTED if workers.failed else 0


if __name__ == "__main__":
    sys.exit(main())
