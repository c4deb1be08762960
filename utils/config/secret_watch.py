"""Secrets that are exchanged while the service runs: their files are looked at twice a second, or at once after SIGHUP."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from utils.config.secret_files import secret_files
from utils.config.settings import Settings, SettingsError, load_settings

logger = logging.getLogger(__name__)

_PAUSE = 0.5
_UNUSABLE = "새 비밀 값을 쓸 수 없어 전의 값을 계속 씁니다. 로그에 이유가 있습니다."

Use = Callable[[Settings], Awaitable[None]]
"""Takes the settings with the new secrets into use; raises `SettingsError` where they make no sense."""
_Stamp = tuple[int, int, int] | None


class SecretWatch:
    """Follows the files that ``<NAME>_FILE`` settings name.

    What was read must stay as it is from one look to the next, so that a file that is just being written is not taken half. What
    cannot be used leaves the secrets of before in force: `problem` then holds a sentence for ``/health``.
    """

    def __init__(self, settings: Settings, pause: float = _PAUSE) -> None:
        """``settings`` are those in force; ``pause`` is the time in seconds between two looks."""
        self._settings = settings
        self._pause = pause
        self._files: Mapping[str, Path] = secret_files(type(settings))
        self._seen = self._stamps()
        self._asked = asyncio.Event()
        self.problem = ""

    def __bool__(self) -> bool:
        """True if a secret lies in a file."""
        return bool(self._files)

    @asynccontextmanager
    async def running(self, use: Use) -> AsyncIterator[None]:
        """Follow the files for the length of the block. SIGHUP has them read at once."""
        loop, in_main = asyncio.get_running_loop(), threading.current_thread() is threading.main_thread()
        if in_main:
            loop.add_signal_handler(signal.SIGHUP, self._asked.set)
        watching = asyncio.create_task(self._watch(use), name="secrets")
        try:
            yield
        finally:
            watching.cancel()
            if in_main:
                loop.remove_signal_handler(signal.SIGHUP)

    async def _watch(self, use: Use) -> None:
        before = self._seen
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), self._pause)
            now = await asyncio.to_thread(self._stamps)
            is_settled, before = now == before, now
            if self._asked.is_set() or (is_settled and now != self._seen):
                self._asked.clear()
                self._seen = now
                await self._exchange(use)

    async def _exchange(self, use: Use) -> None:
        try:
            fresh = await asyncio.to_thread(load_settings)
            changed = [name for name in self._files if getattr(fresh, name) != getattr(self._settings, name)]
            settings = self._settings.model_copy(update={name: getattr(fresh, name) for name in changed})
            if changed:
                await use(settings)
        except SettingsError as error:
            self.problem = _UNUSABLE
            logger.warning("%s (%s)", _UNUSABLE, error)
        except Exception:  # the watch goes on, whatever a driver brings up
            self.problem = _UNUSABLE
            logger.exception(_UNUSABLE)
        else:
            self._settings, self.problem = settings, ""
            if changed:
                logger.info("비밀 값을 새로 읽었습니다: %s", ", ".join(name.upper() for name in changed))

    def _stamps(self) -> dict[str, _Stamp]:
        return {name: _stamp(path) for name, path in self._files.items()}


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
