from __future__ import annotations

import pytest
from pydantic import SecretStr

from utils.config.settings import SettingsError
from utils.http.access import AccessScope, ApiKeyRing
from utils.http.client_network import network_of
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


def test_two_keys_of_a_client_are_one_client() -> None:
    """It keeps its conversations and its limits while it exchanges the key."""
    ring = ApiKeyRing.from_settings({"web": SecretStr("new-key-0123456789 old-key-0123456789:chat")})
    first, second = ring.identify(b"new-key-0123456789"), ring.identify(b"old-key-0123456789")
    assert first is not None
    assert first == second
    assert ring.identify(b"new-key-0123456789 old-key-0123456789") is None


@pytest.mark.parametrize("keys", ["new-key-0123456789 short", "same-key-0123456789 same-key-0123456789"])
def test_each_of_two_keys_is_held_to_the_rules(keys: str) -> None:
    with pytest.raises(SettingsError, match="API_KEYS"):
        ApiKeyRing.from_settings({"web": SecretStr(f"{keys}:chat")})


def test_the_throttle_counts_by_window_and_stays_small() -> None:
    now = 0.0
    throttle = FailureThrottle(limit=2, window=10, networks=3, clock=lambda: now)
    assert throttle.record("a") == 0
    now = 4
    assert throttle.record("a") == 0
    assert throttle.record("a") == 6
    assert throttle.record("b") == 0
    now = 20
    assert throttle.record("a") == 0
    for address in "abcdefgh":
        throttle.record(address)
    assert len(throttle._failures) <= 3


def test_who_never_stops_guessing_gets_no_more_than_the_limit_in_each_window() -> None:
    now = 0.0
    throttle = FailureThrottle(limit=2, window=10, clock=lambda: now)
    admitted = 0
    for step in range(400):
        now = step / 4
        admitted += not throttle.record("a")
    assert admitted == 20, "two in each of ten windows"


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("a socket", "a socket"),
    ],
)
def test_a_network_is_what_one_subscriber_has(address: str, network: str) -> None:
    assert network_of(address) == network
