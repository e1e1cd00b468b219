"""``pointsman mcp``: the agents as tools of an MCP server on stdin and stdout."""

import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack, redirect_stdout
from pathlib import Path

from pointsman import bootstrap
from pointsman.entrypoints.cli.session import driving
from pointsman.entrypoints.cli.starting import check_names, start_log
from pointsman.errors import MissingExtra
from pointsman.settings import Settings

try:
    from mcp.server.stdio import stdio_server

    from pointsman.entrypoints.mcp.server import AgentTools
except ModuleNotFoundError as missing:
    if str(missing.name).startswith("pointsman"):
        raise
    raise MissingExtra("the MCP server", "mcp") from missing


async def mcp(folders: Sequence[Path], settings: Settings, *, user: str) -> int:
    """Serve until the client closes our input. What it has asked for by then is stopped.

    Args:
        user: the login that everything belongs to.

    Raises:
        AgentFileError, SettingsError, ToolDefinitionError: what to mend.
    """
    start_log(settings)
    async with AsyncExitStack() as stack:
        with redirect_stdout(sys.stderr):  # stdout is the protocol's: what tools print is none
            opened = bootstrap.opened(folders, settings, alone=True)
            service = await stack.enter_async_context(opened)
        await stack.enter_async_context(driving(service))
        check_names(service, folders)
        server = AgentTools(service, lambda _: user).server()
        read, write = await stack.enter_async_context(stdio_server())
        await server.run(read, write, server.create_initialization_options())
    return 0
