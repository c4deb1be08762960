"""Say which settings several processes can work with: what they do not share is refused, with the remedy."""

from __future__ import annotations

from pathlib import Path

from utils.config.provider_settings import VectorBackend
from utils.config.settings import Settings, SettingsError
from utils.http.rate_limiter import RateLimiter

_NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "ceph", "glusterfs", "lustre", "9p", "fuse.")
_MOUNTS = Path("/proc/self/mountinfo")


def check_workers(settings: Settings) -> list[str]:
    """Return what an operator should know of several processes with these settings; nothing for a single one.

    Raises:
        SettingsError: they would not share a state that has to be one; the message names the setting and the remedy.
    """
    if settings.workers == 1:
        return []
    several = f"WORKERS가 {settings.workers}이므로"
    if settings.vector_backend is VectorBackend.CHROMA and not settings.chroma_host:
        raise SettingsError(
            f"CHROMA_HOST: {several} Chroma 서버가 있어야 합니다. 내장 Chroma는 한 프로세스만 쓸 수 있습니다. "
            "CHROMA_HOST와 CHROMA_PORT를 정하고 색인을 다시 만들거나, WORKERS=1로 시작하세요"
        )
    if RateLimiter.from_settings(settings) is not None and not settings.redis_url:
        raise SettingsError(
            f"REDIS_URL: {several} 요청 제한을 함께 셀 Redis가 있어야 합니다. 없으면 프로세스마다 따로 세어 제한이 "
            f"{settings.workers}배가 됩니다. REDIS_URL을 정하거나, ENABLE_RATE_LIMIT=false 또는 WORKERS=1로 시작하세요"
        )
    kind = network_file_system(settings.data_dir, _mounts())
    if kind is not None and (unshared := _sqlite_settings(settings)):
        raise SettingsError(
            f"DATA_DIR: {several} 네트워크 파일 시스템({kind})에 SQLite 파일을 둘 수 없습니다. "
            f"{'와 '.join(unshared)}을 정하거나, DATA_DIR을 로컬 디스크에 두세요"
        )
    if settings.enable_response_cache and not settings.redis_url:
        return ["REDIS_URL이 없어 답변 캐시를 프로세스마다 따로 둡니다."]
    return []


def network_file_system(path: Path, mounts: str) -> str | None:
    """Return the type of the file system below ``path`` if it is one of a network; ``mounts`` as in /proc/self/mountinfo."""
    path, found = path.resolve(), ("", "")
    for line in mounts.splitlines():
        place, _, source = line.partition(" - ")
        fields = place.split()
        if len(fields) < 5 or not source:
            continue
        point = fields[4].replace("\\040", " ")
        if path.is_relative_to(point) and len(point) >= len(found[0]):  # a later mount covers an earlier one
            found = point, source.split()[0]
    return found[1] if found[1].startswith(_NETWORK_FILE_SYSTEMS) else None


def _sqlite_settings(settings: Settings) -> list[str]:
    """Return the settings that would keep what is written while serving out of SQLite files in DATA_DIR."""
    unset = {
        "SESSION_URL": settings.enable_sessions and not settings.session_url,
        "DATABASE_URL": not settings.database_url,
        "USAGE_URL": settings.enable_usage and not settings.usage_url,
        "ENABLE_QUESTION_LOG=false": settings.enable_question_log,
    }
    return [name for name, is_unset in unset.items() if is_unset]


def _mounts() -> str:
    try:
        return _MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:  # not Linux: nothing tells
        return ""
