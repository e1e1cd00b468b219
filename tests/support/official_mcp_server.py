"""A tool server on the official SDK: ``stdio``, or ``http`` on a port that it writes to stdout."""

import socket
import sys

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

server = MCPServer("official")


@server.tool(title="Sum", annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
async def count(ctx: Context, to: int) -> str:
    """Count, and tell how far it is."""
    for done in range(1, to + 1):
        await ctx.report_progress(done, to, f"at {done}")
    return f"counted to {to}"


@server.tool()
def refuse() -> str:
    """Fail."""
    raise ToolError("permission denied")


@server.tool(structured_output=False)
def picture() -> list[str | Image]:
    """A caption and an image."""
    return ["a caption", Image(data=b"\x89PNG" * 600, format="png")]


@server.tool()
async def grow(ctx: Context) -> str:
    """Offer one more tool from now on."""

    def grown() -> str:
        """The new tool."""
        return "new"

    server.add_tool(grown)
    await ctx.notify_tools_changed()
    return "grown"


def main(transport: str) -> None:
    if transport == "stdio":
        server.run("stdio")
        return
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    app = server.streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listening])


if __name__ == "__main__":
    main(sys.argv[1])
