"""``kill -9`` of a serving process in the middle of a request's tasks, then a restart: what was
done is not done again, and the request ends."""

import signal
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.test_kill import call, free_port, serving
from tests.support import offices
from tests.support.waiting import until_it_is

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SLOW = '''

import time


@tool(risk=Risk.READ)
def count_users() -> dict[str, int]:
    """Count the users, when somebody lets it."""
    (FOLDER / "counting").touch()
    while not (FOLDER / "go").exists():
        time.sleep(0.01)
    return {"count": 51}
'''


async def state(url: str, run: str) -> dict[str, Any]:
    found: dict[str, Any] = await call("GET", f"{url}/runs/{run}")
    return found


async def test_a_request_with_tasks_ends_after_kill_9_and_each_task_ran_once(
    tmp_path: Path,
) -> None:
    office = offices.write(tmp_path)
    (office / "tools.py").write_text(offices.TOOLS + SLOW, encoding="utf-8")
    port = free_port()
    url = f"http://127.0.0.1:{port}/api"
    async with serving(office, port) as server:
        sent = await call("POST", f"{url}/messages", agent="office", text=offices.SCENE)

        async def is_half_done() -> bool:
            if not (office / "counting").exists():
                return False
            graph = await call("GET", f"{url}/runs/{sent['run']}/graph")
            return [one["state"] for one in graph["tasks"]] == ["done", "running", "pending"]

        await until_it_is(is_half_done)
        assert (await state(url, sent["run"]))["status"] == "split"
        server.send_signal(signal.SIGKILL)
        await server.wait()
    (office / "go").touch()
    async with serving(office, port):

        async def is_over() -> bool:
            return bool((await state(url, sent["run"]))["status"] == "done")

        await until_it_is(is_over, seconds=40)
        run = await state(url, sent["run"])
        graph = await call("GET", f"{url}/runs/{sent['run']}/graph")
        runs = await call("GET", f"{url}/runs")
    assert run["text"] == "知识库数量：178\n\n用户数量：51\n\n已发送给 admin。"
    assert [one["attempt"] for one in graph["tasks"]] == [1, 1, 1]
    assert len(runs["runs"]) == 4
    assert len((office / "sent.jsonl").read_text(encoding="utf-8").splitlines()) == 1
