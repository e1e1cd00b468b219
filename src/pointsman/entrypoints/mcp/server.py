"""The agents as MCP tools.

Above: the official SDK's server, on HTTP or on stdin and stdout; it speaks the protocol of old (a
handshake, questions as requests of the server) and the current one (no session, questions as a
result that asks for input). Below: ``engine.service``. Everything belongs to the caller's login.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import version
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from pointsman.domain import events as ev
from pointsman.domain import sentences
from pointsman.domain.runs import Run, RunStatus
from pointsman.domain.tasks import run_tasks
from pointsman.engine.service import Recorded, Service, Submission
from pointsman.entrypoints.mcp.shapes import LOOK, look_tool, result_of, tool_of
from pointsman.entrypoints.mcp.texts import say
from pointsman.entrypoints.mcp.waiting import (
    WORDS,
    Question,
    answered,
    meant,
    questions,
    state_of,
)
from pointsman.entrypoints.web.following import Begun, rested
from pointsman.errors import CallerError, Conflict, NotFound, PointsmanError
from pointsman.ports import News, Progress

log = logging.getLogger("pointsman.mcp")

Context = ServerRequestContext[Any, Any]
MOST_ROUNDS = 10
"""Questions one after the other in one call; then the answer says how to go on."""


class AgentTools:
    """The handlers of the server.

    Args:
        login_of: who calls.
        closing: whether the server is being stopped: then a call that is cut off leaves its run to
            go on, where else it stops it.
    """

    def __init__(
        self,
        service: Service,
        login_of: Callable[[Context], str],
        closing: Callable[[], bool] = bool,
    ) -> None:
        self._service, self._login_of, self._closing = service, login_of, closing

    def server(self) -> Server[Any]:
        """The server that offers them."""
        return Server(
            "pointsman",
            version=version("pointsman"),
            title="Pointsman",
            instructions=(
                "Each tool is an agent that acts for the user: say in his words what he wants. "
                "What changes something waits for his own word; never give that in his place."
            ),
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
        )

    async def list_tools(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """Every agent, and what tells of runs."""
        agents = [tool_of(live) for live in self._service.agents]
        if not any(tool.name == LOOK for tool in agents):
            agents.append(look_tool())
        return ListToolsResult(tools=agents)

    async def call_tool(
        self, ctx: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """Carry a message to an agent's answer, or to what it waits for.

        Raises:
            MCPError: no such tool, or arguments that do not fit.
        """
        login, given = self._login_of(ctx), params.arguments or {}
        known = {live.spec.name for live in self._service.agents}
        try:
            if params.name == LOOK and LOOK not in known:
                run = await self._service.run(_text(given, "run"), login)
                return result_of(run)
            if params.name not in known:
                raise MCPError(INVALID_PARAMS, f"there is no tool {params.name[:64]!r}")
            return await _Exchange(self._service, ctx, params, login, self._closing).carry()
        except CallerError as fault:
            return _failed(str(fault))
        except PointsmanError:
            log.exception("a call of %s over MCP failed", params.name)
            return _failed("something failed inside; the server's log says more")


class _Exchange:
    """One call."""

    def __init__(
        self,
        service: Service,
        ctx: Context,
        params: CallToolRequestParams,
        login: str,
        closing: Callable[[], bool],
    ) -> None:
        self._service, self._ctx, self._params = service, ctx, params
        self._login, self._closing = login, closing
        self._steps = 0
        self._called: dict[str, str] = {}
        self._modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def carry(self) -> CallToolResult | InputRequiredResult:
        """Submit, or go on where input was asked for; put what waits to the user."""
        begun: Begun | None
        if self._params.request_state is not None:
            run = await meant(
                self._service,
                self._params.request_state,
                agent=self._params.name,
                user=self._login,
            )
            begun = await answered(self._service, run, _forms(self._params.input_responses))
            if begun is None:
                if run.rests:
                    return result_of(run)
                begun = Begun(run=run.id, user=self._login, since=run)
        else:
            asked = await self._asked_again()
            if asked is not None:
                return asked
            begun = await self._submitted()
        run = await self._followed(begun)
        for _ in range(MOST_ROUNDS):
            waits = questions(run)
            if not (waits and self._asks):
                return result_of(run)
            if self._modern:
                return _input_required(run, waits)
            answers = {one.key: await self._ask(one, run) for one in waits}
            begun = await answered(self._service, run, answers)
            if begun is None:
                break
            run = await self._followed(begun)
        return result_of(run)

    @property
    def _asks(self) -> bool:
        """Whether the client puts forms to its user."""
        capabilities = self._ctx.session.client_capabilities
        forms = capabilities.elicitation if capabilities is not None else None
        able = forms is not None and (forms.form is not None or forms.url is None)
        return able and (self._modern or self._ctx.session.can_send_request)

    async def _submitted(self) -> Begun:
        given = self._params.arguments or {}
        conversation = given.get("conversation", "")
        if not isinstance(conversation, str):
            raise MCPError(INVALID_PARAMS, "conversation must be a text")
        submission = Submission(
            agent=self._params.name,
            user=self._login,
            text=_text(given, "message"),
            conversation=conversation,
        )
        before = {one.id: one for one in await self._waiting(conversation)}
        run = await self._service.submit(submission)
        return Begun(run=run, user=self._login, since=before.get(run))

    async def _waiting(self, conversation: str) -> list[Run]:
        """What waits in a conversation of the caller's."""
        if not conversation:
            return []
        records = await self._service.runs(
            user=self._login,
            conversation=conversation,
            status=(RunStatus.WAITING, RunStatus.SPLIT),
        )
        return [await self._service.run(one.id, self._login) for one in records]

    async def _asked_again(self) -> InputRequiredResult | CallToolResult | None:
        """What a yes of the calling model does, where it is no word of the user's: he is asked
        himself if the client can, and what is up to a role goes on waiting. None when the message
        is something else."""
        given = self._params.arguments or {}
        message, conversation = _text(given, "message"), given.get("conversation")
        if not isinstance(conversation, str) or not sentences.plain_answer(message):
            return None
        for run in await self._waiting(conversation):
            waits = [one for one in questions(run) if one.key != WORDS]
            if not waits and run_tasks.waiting(run):
                return result_of(run)
            if waits and self._asks:
                return await self._put(run, waits)
        return None

    async def _put(self, run: Run, waits: list[Question]) -> InputRequiredResult | CallToolResult:
        """Put what waits to the user, once."""
        if self._modern:
            return _input_required(run, waits)
        answers = {one.key: await self._ask(one, run) for one in waits}
        begun = await answered(self._service, run, answers)
        return result_of(await self._followed(begun) if begun else run)

    async def _ask(self, question: Question, run: Run) -> ElicitResult:
        """Put a question to the user through a client of the protocol of old."""
        try:
            return await self._ctx.session.elicit_form(
                question.message, question.schema, related_request_id=self._ctx.request_id
            )
        except MCPError:
            return ElicitResult(action="cancel")
        except anyio.get_cancelled_exc_class():
            await self._stop(run.id)
            raise

    async def _followed(self, begun: Begun) -> Run:
        """The run when it rests; a call that is cancelled stops it."""
        try:
            return await rested(self._service, begun, self._tell)
        except anyio.get_cancelled_exc_class():
            await self._stop(begun.run)
            raise

    async def _stop(self, run: str) -> None:
        if self._closing():
            return
        with anyio.CancelScope(shield=True), suppress(Conflict, NotFound):
            await self._service.cancel(run, self._login, reason="cancelled by the client")

    async def _tell(self, one: Recorded | News) -> None:
        match one:
            case Recorded(event=ev.ModelAsked()):
                await self._step("thinking")
            case Recorded(event=ev.CallValidated() as valid):
                self._called[valid.call] = valid.tool
            case Recorded(event=ev.AttemptStarted() as started):
                await self._step("calling", self._called.get(started.call, ""))
            case Progress():
                self._steps += 1
                await self._ctx.session.report_progress(self._steps, None, one.message or None)
            case _:
                pass

    async def _step(self, key: str, tool: str = "") -> None:
        self._steps += 1
        live = self._service.agents.get(self._params.name)
        language, spec = live.spec.language, live.registry.spec(tool)
        message = say(key, language, tool=spec.titled(language) if spec else tool)
        await self._ctx.session.report_progress(self._steps, None, message)


def _failed(why: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=f"ERROR: {why}")], is_error=True)


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value.strip():
        raise MCPError(INVALID_PARAMS, f"{name} is required: a text")
    return value


def _forms(responses: Mapping[str, Any] | None) -> dict[str, ElicitResult]:
    return {key: one for key, one in (responses or {}).items() if isinstance(one, ElicitResult)}


def _input_required(run: Run, waits: list[Question]) -> InputRequiredResult:
    return InputRequiredResult(
        input_requests={
            one.key: ElicitRequest(
                params=ElicitRequestFormParams(message=one.message, requested_schema=one.schema)
            )
            for one in waits
        },
        request_state=state_of(run),
    )
