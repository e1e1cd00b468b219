"""What control costs: a turn with routing, sources, gate, reply check and journal, and without.

The model is a script and the tool does nothing, so that all that is measured is what stands around
them. The same turn is run by a bare loop, which calls whatever the model says.

Run: ``make bench-control``. Quoted by ``benchmarks/engine.md``.
"""

import json
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

import anyio
from msgspec import structs

from pointsman import bootstrap
from pointsman.adapters.classifiers.cascade import Cascade
from pointsman.adapters.classifiers.rules import Rules
from pointsman.adapters.system import SystemClock
from pointsman.adapters.tools.functions import FunctionTools, tool
from pointsman.domain.agent import AgentSpec
from pointsman.domain.intents import Intent
from pointsman.domain.messages import (
    AssistantMessage,
    Delta,
    ModelReply,
    ModelRequest,
    Stop,
    ToolMessage,
    Usage,
    UserMessage,
)
from pointsman.domain.tools import RawCall
from pointsman.engine.service import Submission
from pointsman.wiring import databases

TEXT = "帮我给订单 20260001 退款 35 元，原因是尺码不合适"
REPLY = "已为订单 20260001 退款 35 元，款项会原路退回。"
ARGUMENTS = '{"order_id": "20260001", "amount": 35, "reason": "尺码不合适"}'
ROUNDS, RUNS = 7, 200


@tool(title="退款", risk="write", idempotent=True)
async def refund_order(order_id: str, amount: int, reason: str) -> dict[str, str]:
    """Refund an order."""
    return {"order": order_id, "amount": str(amount), "status": "refunded"}


class Script:
    """Proposes the call, then says that it is done."""

    name = "script"

    async def ask(self, request: ModelRequest, tell: Callable[[Delta], None]) -> ModelReply:
        done = isinstance(request.messages[-1], ToolMessage)
        calls = () if done else (RawCall(id="1", name="refund_order", arguments=ARGUMENTS),)
        return ModelReply(
            message=AssistantMessage(text=REPLY if done else "", calls=calls),
            stop=Stop.STOP if done else Stop.TOOL_CALLS,
            model="script",
            usage=Usage(prompt=100, completion=20, total=120),
        )

    async def aclose(self) -> None:
        """Nothing to let go of."""


async def bare() -> str:
    """The turn without anything around it."""
    model = Script()
    request = ModelRequest(messages=(UserMessage(text=TEXT),))
    while (reply := await model.ask(request, lambda delta: None)).message.calls:
        call = reply.message.calls[0]
        result = json.dumps(await refund_order(**json.loads(call.arguments)), ensure_ascii=False)
        answer = ToolMessage(call_id=call.id, name=call.name, content=result)
        request = structs.replace(request, messages=(*request.messages, reply.message, answer))
    return reply.message.text


def controlled(folder: Path) -> Callable[[], Awaitable[str]]:
    """The turn under an agent with intents and a policy, its journal in a file."""
    clock = SystemClock()
    spec = AgentSpec(
        name="shop",
        language="zh",
        timezone="Asia/Shanghai",
        policy=({"tool": "refund_order", "when": "amount <= 100", "then": "allow"},),
    )
    intents = {
        name: Intent(name=name, title={"zh": title}, keywords=words, tools=tools)
        for name, title, words, tools in (
            ("refund", "退款", ("退款",), ("refund_order",)),
            ("order_query", "订单查询", ("物流", "到哪"), ()),
            ("small_talk", "闲聊", ("你好", "谢谢"), ()),
        )
    }
    live = structs.replace(
        bootstrap.live_agent(
            spec, [FunctionTools("python", [refund_order])], clock, model=Script()
        ),
        intents=intents,
        classifier=Cascade([Rules(intents.values())], intents),
    )
    store = databases.sqlite_store(folder / "journal.db", "normal")
    service = bootstrap.service_of([live], store, clock)
    opened = False

    async def turn() -> str:
        nonlocal opened
        if not opened:
            await service.open()
            opened = True
        run = await service.carry(Submission(agent="shop", user="li", text=TEXT))
        return run.said

    return turn


async def cpu(turn: Callable[[], Awaitable[str]]) -> float:
    """Milliseconds of CPU that the process spends on one turn."""
    begun = time.process_time()
    for _ in range(RUNS):
        said = await turn()
        assert said == REPLY, said
    return (time.process_time() - begun) / RUNS * 1000


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        turn = controlled(Path(folder))
        await cpu(bare)
        await cpu(turn)
        pairs = [(await cpu(bare), await cpu(turn)) for _ in range(ROUNDS)]
    without, under = (median(values) for values in zip(*pairs, strict=True))
    print(f"bare loop        {without:6.3f} ms")
    print(f"under control    {under:6.3f} ms")
    print(f"what control costs {under - without:4.2f} ms of CPU for a turn with one call")


if __name__ == "__main__":
    anyio.run(main)
