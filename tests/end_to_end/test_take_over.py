"""The worker that carries a run is killed, and so is the server that a client streams it from."""

import asyncio
import signal
from dataclasses import replace
from pathlib import Path
from random import Random

import aiohttp
import pytest

from pointsman.adapters.store.postgres import postgres
from tests.support.chaos import agent
from tests.support.chaos.processes import Process, Site, free_port
from tests.support.chaos.till import Till
from tests.support.model_server import Answer, ModelServer, Reply
from tests.support.waiting import until

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


async def test_a_client_goes_on_at_another_server_and_misses_no_event(
    postgres_url: str, tmp_path: Path
) -> None:
    chance, go = Random(1), asyncio.Event()
    claims = agent.Model(chance)

    def model(asked: dict[str, object]) -> Answer:
        answer = claims(asked)
        if isinstance(answer, Reply) and answer.text:
            return replace(answer, first_byte=go.wait)
        return answer

    async with Till(chance) as till, ModelServer(model) as models, aiohttp.ClientSession() as http:
        desk = agent.write(tmp_path / "desk", model=models.base_url, till=till.url)
        environ = {
            "POINTSMAN_DATABASE": postgres_url,
            "POINTSMAN_WORKER_HEARTBEAT": "0.5",
            "POINTSMAN_WORKER_DEAD_AFTER": "2",
        }
        ports = (free_port(), free_port())
        servers = [
            Process(
                f"server {port}",
                tmp_path,
                *("serve", str(desk), "--no-worker", "--port", str(port)),
                **environ,
            )
            for port in ports
        ]
        worker = Process("worker", tmp_path, "worker", str(desk), **environ)
        first, second = map(Site, ports)
        async with asyncio.TaskGroup() as keeping:
            kept = [keeping.create_task(one.keep()) for one in (*servers, worker)]
            for site in (first, second):
                await asyncio.wait_for(site.answers(http), 60)
            run = await first.say(http, agent.NAME, agent.WANTED.format(number=117), "")
            seen: list[int] = []
            streaming = keeping.create_task(first.follow_once(http, run, seen))
            await until(lambda: len(models.requests) >= 2, seconds=60)
            await until(lambda: len(seen) > 20)
            worker.send(signal.SIGKILL)
            servers[0].send(signal.SIGKILL)
            await streaming
            assert seen == list(range(len(seen)))
            go.set()
            await asyncio.wait_for(second.follow(http, run, seen), 60)
            for task in kept:
                task.cancel()
    store = postgres(postgres_url)
    rows = await store.rows(run)
    await store.aclose()
    assert seen == list(range(len(rows)))
    assert [*till.paid.values(), len(till.booked)] == [1, 1]
