"""Whom an address stands for, where clients are told apart by nothing else."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Network, ip_address

_SUBSCRIBER_PREFIX = 64


def network_of(address: str) -> str:
    """Whose address it is: an IPv4 address itself, of an IPv6 address the /64 that one subscriber has to choose from."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address  # a Unix socket has none
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((int(parsed), _SUBSCRIBER_PREFIX), strict=False))
