"""The domain packs that ship with the project, and a fifth domain of a test's own."""

from __future__ import annotations

from functools import cache

from tests.support.routing import DOMAINS_DIR
from utils.routing.domain_pack import PackSet, load_pack_files
from vectorstores.collections import Collections


@cache
def shipped_packs() -> PackSet:
    return load_pack_files(DOMAINS_DIR)


@cache
def shipped_collections() -> Collections:
    return Collections(shipped_packs())
