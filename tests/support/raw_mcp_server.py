"""A tool server over stdin and stdout, written by hand so that it can misbehave.

Run as a process. Settings come from the environment:
    ERA      ``modern`` (2026-07-28, default), ``legacy`` (2025-06-18), or ``mortal`` (legacy, and
             dies of any request before ``initialize``)
    JOURNAL  a file to which every start and every received method is appended
    GATE     a FIFO: nothing is read from stdin before somebody has written to it
    PAGES    JSON: cursor → [tools, next cursor]; a tool is a name or a whole entry
    WELCOME  JSON: the answer to ``initialize``, instead of a proper one
"""

import json
import os
import sys
from functools import partial
from typing import Any

ERA = os.environ.get("ERA", "modern")
OPEN: dict[str, Any] = {"type": "object", "properties": {}}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
PIXEL = "iVBORw0KGgo="


class RawServer:
    """The server. Each ``tool_*`` method is a tool and returns a raw result, or None for none."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.listen_id: Any = None
        pages = json.loads(os.environ.get("PAGES", "null"))
        own = [name.removeprefix("tool_") for name in dir(self) if name.startswith("tool_")]
        self.pages: dict[str, list[Any]] = pages or {"": [own, None]}

    def serve(self) -> None:
        note("start")
        if gate := os.environ.get("GATE"):
            with open(gate, encoding="utf-8") as opened:
                opened.read()
        for line in sys.stdin:
            message = json.loads(line)
            self.heard.append(message)
            note(message.get("method", "response"))
            self.answer(message)

    def answer(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if "id" not in message:
            return
        reply = partial(send, id=message["id"])
        if ERA == "mortal" and len(self.heard) == 1 and method != "initialize":
            os._exit(1)
        if method == "server/discover" and ERA == "modern":
            reply(result=complete(DISCOVERED))
        elif method == "initialize" and ERA != "modern":
            reply(result=json.loads(os.environ.get("WELCOME", "null")) or INITIALIZED)
        elif method == "subscriptions/listen":
            self.listen_id = message["id"]
            stamp = {"io.modelcontextprotocol/subscriptionId": self.listen_id}
            send(
                method="notifications/subscriptions/acknowledged",
                params={"notifications": {"toolsListChanged": True}, "_meta": stamp},
            )
        elif method == "tools/list":
            tools, cursor = self.pages[params.get("cursor") or ""]
            page = {"tools": [entry(tool) for tool in tools]}
            reply(result=complete(page | ({} if cursor is None else {"nextCursor": cursor})))
        elif method == "tools/call":
            tool = getattr(self, "tool_" + params["name"], self.tool_echo)
            result = tool(params.get("arguments") or {}, params.get("_meta") or {})
            if result is not None:
                reply(result=complete(result))
        else:
            reply(error={"code": -32601, "message": f"Method not found: {method}"})

    def tool_echo(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        return text(json.dumps(arguments, ensure_ascii=False))

    def tool_history(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        return {"content": [], "structuredContent": {"heard": self.heard}}

    def tool_crash(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        sys.stderr.write("last words\n")
        sys.stderr.flush()
        os._exit(3)

    def tool_hang(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        return None

    def tool_flood(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        line = f"{os.environ.get('TOKEN', 'nothing')} is my token, password=hunter2secret\n"
        sys.stderr.write(line * (256 * 1024 // len(line)))
        sys.stderr.flush()
        return text("flooded")

    def tool_change(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        """Offer other tools from now on, and say so ``times`` times."""
        self.pages = arguments["pages"]
        params: dict[str, Any] = {}
        if self.listen_id is not None:
            params = {"_meta": {"io.modelcontextprotocol/subscriptionId": self.listen_id}}
        for _ in range(arguments.get("times", 1)):
            send(method=CHANGED["method"], params=params)
        return text("changed")

    def tool_result(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        """Give the result that the caller asks for."""
        return arguments["result"]

    def tool_progress(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        for done in (1, 2):
            told = {"progressToken": meta["progressToken"], "progress": done, "total": 4}
            send(method="notifications/progress", params=told | {"message": f"step {done}"})
        return text(meta["pointsman/idempotency-key"])

    def tool_ask(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        """Ask the client for an input in the middle of the call."""
        schema = {"type": "object", "properties": {}}
        send(
            id="ask",
            method="elicitation/create",
            params={"message": "?", "requestedSchema": schema},
        )
        return text(json.loads(sys.stdin.readline())["error"]["message"])

    def tool_line(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        """Answer with a line as the caller wants it; ``$id`` in it is the request's."""
        line = arguments["line"].replace("$id", json.dumps(self.heard[-1]["id"]))
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def tool_noise(self, arguments: dict[str, Any], meta: dict[str, Any]) -> Any:
        sys.stdout.buffer.write(b"this is no JSON \xff\n")
        return text("after the noise")


DISCOVERED = {
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {"listChanged": True}},
}
INITIALIZED = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {"listChanged": True}},
    "serverInfo": {"name": "raw", "version": "1"},
}


def text(told: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": told}]}


def entry(tool: Any) -> Any:
    return {"name": tool, "inputSchema": OPEN} if isinstance(tool, str) else tool


def complete(result: Any) -> Any:
    """The result with what 2026-07-28 demands of every result."""
    if ERA != "modern" or not isinstance(result, dict):
        return result
    return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} | result


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
    sys.stdout.flush()


def note(line: str) -> None:
    if journal := os.environ.get("JOURNAL"):
        with open(journal, "a", encoding="utf-8") as opened:
            opened.write(line + "\n")


if __name__ == "__main__":
    RawServer().serve()
