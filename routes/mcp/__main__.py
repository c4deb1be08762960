"""The tools over standard input and output: ``python -m routes.mcp``, for programs that start a server of their own.

It calls a running service: an index has one owner, and a program that opens a second server needs no second engine.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import httpx

from routes.ask import connection
from utils.config.settings import SettingsError, load_settings

KEY_VARIABLE = "BIZI_API_KEY"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 at the end of the input, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m routes.mcp", description="MCP 도구를 표준 입출력으로 엽니다.")
    parser.add_argument("--url", help=f"서비스 주소 (기본: HOST, PORT, ROOT_PATH 설정). 키는 환경 변수 {KEY_VARIABLE}")
    options = parser.parse_args(arguments)
    try:
        from routes.mcp.caller import HttpCaller
        from routes.mcp.tools import build_tools
    except ImportError:
        print("mcp 추가 설치가 필요합니다: make install-mcp", file=sys.stderr)
        return 2
    try:
        client = httpx.AsyncClient(**connection(load_settings(), options.url, os.environ.get(KEY_VARIABLE)))
    except SettingsError as error:
        print(f"설정 오류: {error}", file=sys.stderr)
        return 2
    caller = HttpCaller(client)
    build_tools(lambda _: caller).run("stdio")
    return 0


if __name__ == "__main__":
    sys.exit(main())
