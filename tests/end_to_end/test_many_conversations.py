"""200 conversations at once, three tool rounds each, against a model server with 100 ms latency:
all right, none mixed up, nothing left behind."""

import asyncio
import gc
import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from pointsman import Agent, Risk, tool
from pointsman.engine.journal import Journal
from tests.support.model_server import Answer, ModelServer, Reply, calling

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

CONVERSATIONS = 200
ROUNDS = 3


async def latency() -> None:
    await asyncio.sleep(0.1)


def model(asked: dict[str, Any]) -> Answer:
    """Adds the user's number to itself, three times, one call a round."""
    said = [message for message in asked["messages"] if message["role"] == "user"][-1]["content"]
    number = int(said.split()[-1])
    results = [json.loads(m["content"]) for m in asked["messages"] if m["role"] == "tool"]
    if len(results) < ROUNDS:
        total = results[-1] if results else number
        call = calling("add", total=total, number=number)
        return Reply(calls=call.calls, first_byte=latency)
    return Reply(text=f"{number} makes {results[-1]}", first_byte=latency)


@tool(risk=Risk.READ)
async def add(total: int, number: int) -> int:
    """Add a number to a total."""
    return total + number


async def test_200_conversations_at_once_are_all_right_and_leave_nothing(tmp_path: Path) -> None:
    async with ModelServer(model) as server:
        agent = Agent("adder", model=server.spec(), tools=[add], journal=tmp_path / "journal.db")
        replies: dict[int, str] = {}

        async def hold(number: int) -> None:
            reply = await agent.run(f"Please add {number}")
            replies[number] = reply.text

        await hold(1)
        tasks_before = len(asyncio.all_tasks())
        for _ in range(2):
            async with anyio.create_task_group() as together:
                for number in range(1, CONVERSATIONS + 1):
                    together.start_soon(hold, number)
            assert replies == {n: f"{n} makes {n * 4}" for n in range(1, CONVERSATIONS + 1)}
        assert len(asyncio.all_tasks()) - server.open_connections <= tasks_before
        # What was asked belongs to one conversation each: no message of another one is in it.
        for asked in server.requests:
            users = [m["content"] for m in asked["messages"] if m["role"] == "user"]
            assert len(users) == 1
            number = int(users[0].split()[-1])
            calls = [
                json.loads(call["function"]["arguments"])["number"]
                for message in asked["messages"]
                for call in message.get("tool_calls", ())
            ]
            assert set(calls) <= {number}
        await agent.aclose()
        await server.idle()
        gc.collect()
        left = [one for one in gc.get_objects() if isinstance(one, Journal)]
        assert [journal.run.id for journal in left if journal.run.agent == "adder"] == []
