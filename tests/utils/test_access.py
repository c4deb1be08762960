from __future__ import annotations

from pydantic import SecretStr

from utils.access import AccessScope, ApiKeyRing
from utils.middleware.api_key import FailureThrottle

KEY = "k:with:colons-0123456789"


def test_a_key_may_hold_colons_and_korean() -> None:
    ring = ApiKeyRing.from_settings(
        {"a": SecretStr(f"{KEY}:chat|admin"), "나": SecretStr("비밀열쇠는여기에있습니다아무도몰라요:chat")}
    )
    client = ring.identify(KEY.encode())
    assert client is not None
    assert (client.name, client.scopes) == ("a", frozenset({AccessScope.CHAT, AccessScope.ADMIN}))
    korean = ring.identify("비밀열쇠는여기에있습니다아무도몰라요".encode())
    assert korean is not None
    assert korean.name == "나"
    assert ring.identify(b"\xff") is None
    assert ring.identify(b"") is None


def test_the_throttle_forgets_after_its_window_and_stays_small() -> None:
    now = 0.0
    throttle = FailureThrottle(limit=2, window=10, addresses=3, clock=lambda: now)
    throttle.record("a")
    assert throttle.wait("a") == 0
    now = 4
    throttle.record("a")
    assert throttle.wait("a") == 6
    assert throttle.wait("b") == 0
    now = 20
    assert throttle.wait("a") == 0
    for address in "abcdefgh":
        throttle.record(address)
    assert len(throttle._failures) <= 3
