"""A model that does what the message says, at the pace of a real one; for tests in a browser.

    STREAM 3000      so many tokens, 100 a second
    CALL {…}         one call of the tool ``note`` with these arguments
    anything else    the same text back, in two pieces

After a tool's result it says that result back.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PACE = 0.01
"""Seconds between two tokens."""

AGENT = """\
agent: mirror
title: {{zh: 镜子, en: Mirror}}
language: en-US
timezone: Asia/Shanghai
instructions: Say what the user says.
model: {{use: compatible, base_url: "{url}", name: mirror}}
tools:
  - python: tools:note
policy:
  - tool: note
    when: "text in ['parcel one', 'parcel two', 'parcel three']"
    then: approve
    by: finance
limits: {{seconds: 120, tokens: 200000}}
"""

TOOLS = '''\
from pointsman import Risk, tool


@tool(risk=Risk.WRITE, title={"zh": "记下 <b>x</b>", "en": "Note <b>x</b>"})
def note(text: str) -> str:
    """Keep a note."""
    return "kept: " + text
'''


def word(n: int) -> str:
    """The n-th token of a long answer, without digits, which a reply may not invent; a line ends
    after every twentieth."""
    letters = "".join(chr(ord("a") + n // 26**place % 26) for place in (2, 1, 0))
    return letters + ("\n\n" if n % 20 == 19 else " ")


def number(text: str) -> int:
    """Which token that is."""
    return sum((ord(one) - ord("a")) * 26**place for place, one in enumerate(reversed(text)))


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        try:
            for delta in _deltas(asked["messages"]):
                self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            end = {"index": 0, "delta": {}, "finish_reason": "stop"}
            self._event({"choices": [end], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            """The run was stopped, and nobody reads on."""
        self.close_connection = True

    def _event(self, body: dict[str, Any]) -> None:
        event = {"id": "c", "object": "chat.completion.chunk", "model": "mirror", **body}
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.flush()


def _deltas(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    last = messages[-1]
    text = str(last["content"])
    if last["role"] == "user" and text.startswith("STREAM "):
        start = time.monotonic()
        for n in range(int(text.split()[1])):
            time.sleep(max(0.0, start + n * PACE - time.monotonic()))
            yield {"content": word(n)}
    elif last["role"] == "user" and text.startswith("CALL "):
        function = {"name": "note", "arguments": text.removeprefix("CALL ")}
        yield {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}
    else:
        yield {"content": text[: len(text) // 2]}
        yield {"content": text[len(text) // 2 :]}


@contextmanager
def mirror(folder: Path) -> Iterator[Path]:
    """The folder of an agent whose model this is, as long as the block lasts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        agent = folder / "mirror"
        agent.mkdir()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        (agent / "agent.yaml").write_text(AGENT.format(url=url), "utf-8")
        (agent / "tools.py").write_text(TOOLS, "utf-8")
        yield agent
        server.shutdown()
        thread.join()
