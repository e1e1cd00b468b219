"""Which addresses an HTTP tool may reach: public ones, and of others only those that are named.

A URL is read the strict way, its host brought into one spelling, and every address that the host
resolves to is looked at. What was looked at is what the connection is made to, so that a name which
changes its address in between gains nothing (cases X11, X13).
"""

import socket
import unicodedata
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from msgspec import Struct

Address = IPv4Address | IPv6Address

_NEVER = tuple(
    ip_network(one)
    for one in (
        "0.0.0.0/8",
        "::/128",
        "169.254.0.0/16",  # where clouds keep the machine's credentials
        "fe80::/10",
        "100.100.100.200/32",  # the same at Alibaba
        "fd00:ec2::254/128",  # the same at Amazon
        "192.0.0.192/32",  # the same at Oracle
        "255.255.255.255/32",
    )
)
"""Not even by a setting."""
_TRANSLATED = tuple(
    map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96", "::/96"))
)
"""Addresses that end in an IPv4 one."""
_NOT_PUBLIC = tuple(
    ip_network(one)
    for one in (
        "64:ff9b:1::/48",
        "::ffff:0:0:0/96",
        "fec0::/10",
        "5f00::/16",
        "3fff::/20",
        "192.0.0.0/24",
        "192.88.99.0/24",
    )
)
"""Reserved for use inside of a network, which not every Python knows.

Source: IANA, special-purpose address registries; RFC 8215, RFC 6052, RFC 3879."""
_DOTS = str.maketrans("。．｡", "...")
_LOCAL_NAME = "localhost"


class Unsafe(OSError):
    """An address that may not be reached. ``str(error)`` says why."""


class Target(Struct, frozen=True, kw_only=True):
    """Where a URL leads.

    Attributes:
        url: with the host in its one spelling.
        host: a name in ASCII, or a canonical address without brackets.
        origin: scheme, host and port.
    """

    url: str
    host: str
    origin: tuple[str, str, int]


def target_of(url: str) -> Target:
    """The URL as it will be asked.

    Raises:
        Unsafe: it is no plain http or https URL.
    """
    if any(unicodedata.category(one)[0] in "CZ" or one == "\\" for one in url):
        raise Unsafe("the address holds a space, a backslash or a control character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Unsafe("the address cannot be read") from None
    if parts.scheme not in ("http", "https"):
        raise Unsafe(f"only http and https can be asked, not {parts.scheme or 'nothing'!r}")
    if "@" in parts.netloc:
        raise Unsafe("the address holds a user's name")
    host = _host(parts.hostname or "")
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port is None else f"{shown}:{port}"
    return Target(
        url=parts._replace(netloc=netloc, fragment="").geturl(),
        host=host,
        origin=(parts.scheme, host, port or (443 if parts.scheme == "https" else 80)),
    )


def _host(written: str) -> str:
    """The one spelling of a host.

    Raises:
        Unsafe: it is none.
    """
    name = unicodedata.normalize("NFKC", written).translate(_DOTS).lower().rstrip(".")
    if ":" in name:
        return str(_literal(name))
    try:
        name = name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise Unsafe("the host's name cannot be read") from None
    if not name or not all(one.isalnum() or one in "-._" for one in name):
        raise Unsafe("the host's name cannot be read")
    if _ends_in_number(name):
        return str(_literal(name))
    return name


def _literal(text: str) -> Address:
    """The address that a text is, in any of the ways that resolvers read (2130706433, 0x7f.1).

    Raises:
        Unsafe: it is none.
    """
    try:
        if ":" in text:
            return ip_address(text)
        return IPv4Address(socket.inet_aton(text))
    except (ValueError, OSError):
        raise Unsafe("the host is no address") from None


def _ends_in_number(name: str) -> bool:
    """Whether readers take it for an IPv4 address. Source: WHATWG URL, "ends in a number"."""
    last = name.rpartition(".")[2]
    if last.startswith("0x"):
        return all(one in "0123456789abcdef" for one in last[2:])
    return last.isdecimal()


def _meant(address: Address) -> Iterator[Address]:
    """The address, and those that are written inside of it."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            yield address.ipv4_mapped
            return
        if address.sixtofour:
            yield address.sixtofour
        if address.teredo:
            yield from address.teredo
        if any(address in net for net in _TRANSLATED) and int(address) > 1:
            yield IPv4Address(int(address) & 0xFFFFFFFF)
    yield address


def may_reach(address: Address, *, private: bool) -> bool:
    """Whether the address may be connected to.

    Args:
        private: whether the author has named this host as one of his own network.
    """
    for one in _meant(address):
        if one.is_multicast or any(one in net for net in _NEVER):
            return False
        if not private and (not one.is_global or any(one in net for net in _NOT_PUBLIC)):
            return False
    return True


def check_host(host: str, *, private: bool) -> None:
    """Refuse a host that can be refused without asking anybody.

    Raises:
        Unsafe: it may not be reached.
    """
    local = host == _LOCAL_NAME or host.endswith(f".{_LOCAL_NAME}")
    if local and not private:
        raise not_public(host)
    try:
        address = ip_address(host)
    except ValueError:
        return
    if not may_reach(address, private=private):
        raise not_public(host)


def not_public(host: str) -> Unsafe:
    """The fault of an address that is not on the public network."""
    return Unsafe(f"{host} is not on the public network, which this tool may not leave")
