"""Names as the connections of HTTP tools resolve them: to addresses that may be reached, or not at
all. Above: aiohttp's connector."""

import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from ipaddress import ip_address

import anyio
from aiohttp.abc import AbstractResolver, ResolveResult

from pointsman.adapters.tools.http_guard import may_reach, not_public

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host and port → the addresses that the name has now."""


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """Ask the machine's resolver.

    Raises:
        OSError: it does not know the name.
    """
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class CheckedResolver(AbstractResolver):
    """Gives a connector addresses that may be reached, or none at all."""

    def __init__(self, private: Collection[str], resolve: Resolve = system_resolve) -> None:
        """Args:
        private: hosts that may have addresses which are not public.
        """
        self._private, self._resolve = frozenset(private), resolve

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Raises:
        Unsafe: one of the addresses may not be reached.
        OSError: the name is not known.
        """
        found = [ip_address(one.partition("%")[0]) for one in await self._resolve(host, port)]
        if not found:
            raise OSError(f"{host} has no address")
        if not all(may_reach(one, private=host in self._private) for one in found):
            raise not_public(host)
        return [
            ResolveResult(
                hostname=host,
                host=str(one),
                port=port,
                family=socket.AF_INET6 if one.version == 6 else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for one in found
        ]

    async def close(self) -> None:
        """Nothing is held."""
