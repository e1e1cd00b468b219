"""What becomes of a run whose client leaves, where the settings say that leaving stops it."""

from collections.abc import AsyncIterator

import anyio
import pytest

from pointsman.domain.messages import ModelReply, ModelRequest, TextDelta
from pointsman.domain.runs import RunStatus
from pointsman.settings import Serving, Settings
from tests.support.engine import service_of
from tests.support.function_model import FunctionModel, Tell, reply
from tests.support.web import Site, events, serving

pytestmark = pytest.mark.anyio

CANCELS = Settings(serving=Serving(client_gone="cancel"))


class Endless(FunctionModel):
    """A model that begins to speak and never ends; ``closed`` when it is no longer listened to."""

    def __init__(self) -> None:
        self.told, self.closed = anyio.Event(), anyio.Event()

        async def ask(request: ModelRequest, tell: Tell) -> ModelReply:
            tell(TextDelta("It is "))
            self.told.set()
            try:
                await anyio.sleep_forever()
            finally:
                self.closed.set()
            return reply("never")

        super().__init__(ask)


@pytest.fixture
async def model() -> Endless:
    return Endless()


@pytest.fixture
async def site(model: Endless) -> AsyncIterator[Site]:
    async with serving(await service_of(model), settings=CANCELS) as site:
        yield site


@pytest.mark.parametrize(
    ("path", "said"),
    [
        pytest.param("/v1/chat/completions", "messages", id="X01"),
        pytest.param("/v1/responses", "input", id="X01-responses"),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_leaves_stops_model_and_run(
    site: Site, model: Endless, path: str, said: str, stream: bool
) -> None:
    body = {"model": "desk", said: [{"role": "user", "content": "hi"}], "stream": stream}
    async with anyio.create_task_group() as client:

        async def ask() -> None:
            async with site.http.post(path, json=body) as answer:
                async for _ in events(answer):
                    pass

        client.start_soon(ask)
        await model.told.wait()
        client.cancel_scope.cancel()
    with anyio.fail_after(60):
        await model.closed.wait()
        (record,) = await site.service.runs(user=None)
        await site.service.wait(record.id, None)
    assert (await site.service.record(record.id, None)).status is RunStatus.CANCELLED


async def test_a_client_of_the_native_api_only_watches(site: Site, model: Endless) -> None:
    async with site.http.post("/api/messages", json={"agent": "desk", "text": "hi"}) as answer:
        run = (await answer.json())["run"]
    async with site.http.get(f"/api/runs/{run}/events") as answer:
        await model.told.wait()
        await anext(aiter(events(answer)))
        answer.close()
    assert not (await site.service.record(run, None)).status.ended
    assert not model.closed.is_set()
