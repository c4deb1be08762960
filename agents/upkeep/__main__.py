"""Commands about data of users: ``python -m agents.upkeep expire``, ``export`` and ``forget``.

They work on the stores themselves, beside a running service. What a service has in its own memory, answers of its cache, goes by
itself (CACHE_TTL); asking the service (`routes.users.user_data`) removes that at once.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

from agents.sessions.errors import SessionStoreRefused
from agents.sessions.store import SessionStore
from agents.upkeep.personal_data import PersonalData, UserDataUnavailable
from utils.config.settings import Settings, SettingsError, load_settings
from utils.resilience.redis_link import RedisAddressError, RedisLink
from utils.resilience.response_cache import ResponseCache
from vectorstores.jobs.purge import Eraser
from vectorstores.jobs.records import JobStore


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0 done, 1 failed or not done whole, 2 wrong usage."""
    options = _parser().parse_args(arguments)
    try:
        return asyncio.run(_run(options, load_settings()))
    except (SettingsError, SessionStoreRefused, RedisAddressError) as error:
        print(f"설정 오류: {error}", file=sys.stderr)
    except UserDataUnavailable:
        print("오류: 일부를 읽거나 지우지 못했습니다. 저장소를 확인하고 다시 실행하세요.", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.upkeep", description="보관 기간이 지난 데이터와 사용자의 데이터를 다룹니다."
    )
    commands = parser.add_subparsers(required=True, metavar="명령", dest="command")
    text = "보관 기간이 지난 것을 지금 지웁니다 (질문 기록, chat.log, 대화, 올린 파일)"
    commands.add_parser("expire", help=text, description=text)
    for name, text in (
        ("export", "한 사용자의 데이터를 JSON으로 보여 줍니다"),
        ("forget", "한 사용자의 대화, 질문 기록, 의견, chat.log의 줄, Redis의 답변을 지웁니다"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument(
            "--client", required=True, metavar="NAME", help="API_KEYS의 클라이언트 이름 (키가 없으면 local)"
        )
        command.add_argument("--user", required=True, metavar="ID", help="user_context의 user_id")
    return parser


async def _run(options: argparse.Namespace, settings: Settings) -> int:
    store = SessionStore.from_settings(settings)
    redis = RedisLink(settings.redis_url) if settings.redis_url else None
    cache = ResponseCache(1, settings.cache_ttl, redis) if redis else None
    running: AbstractAsyncContextManager[None] = store.running() if store else nullcontext()
    try:
        async with running:
            return await _done(options, settings, PersonalData.of(settings, None, None, store, cache))
    finally:
        if redis is not None:
            await redis.aclose()


async def _done(options: argparse.Namespace, settings: Settings, data: PersonalData) -> int:
    match options.command:
        case "export":
            print((await data.export(options.client, options.user)).model_dump_json(indent=1))
        case "forget":
            gone = await data.forget(options.client, options.user)
            print(f"지웠습니다: 대화 {gone.sessions}, 질문과 의견 {gone.question_log}, chat.log {gone.chat_log}줄")
        case _:
            await data.expire()
            eraser = Eraser(settings, JobStore(settings.data_dir), _nothing_kept)
            if not await asyncio.to_thread(eraser.expire_uploads):
                raise UserDataUnavailable
            print("보관 기간이 지난 것을 지웠습니다.")
    return 0


async def _nothing_kept() -> bool:
    return True


if __name__ == "__main__":
    sys.exit(main())
