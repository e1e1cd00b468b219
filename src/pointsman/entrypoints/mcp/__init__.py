"""An MCP server that offers each agent as a tool: over HTTP (``web.mcp_route``) and over stdin and
stdout (``cli.mcp``)."""
