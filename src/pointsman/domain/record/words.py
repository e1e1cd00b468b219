"""The words in which a run's journal is told, each in Chinese and English. What the engine says to
users is in ``sentences``."""

from pointsman.domain.agent import Language

WORDS: dict[str, tuple[str, str]] = {
    "tokens": (
        "{total} token（输入 {prompt}，缓存 {cached}；输出 {completion}，思考 {reasoning}）",
        "{total} tokens (in {prompt}, cached {cached}; out {completion}, thinking {reasoning})",
    ),
    "result.ok": ("成功", "ok"),
    "result.error": ("工具报错", "error"),
    "result.failed": ("失败", "failed"),
    "result.timeout": ("超时", "timed out"),
    "result.uncertain": ("不确定是否已执行", "outcome unknown"),
    "result.rejected": ("未执行", "not run"),
    "result.refused": ("被拒绝", "refused"),
    "result.cancelled": ("已取消", "cancelled"),
    "rejected.unsourced": ("参数没有来源", "no source for a value"),
    "rejected.off_route": ("不在本次可用范围", "not on the chosen route"),
    "rejected.unknown_tool": ("没有这个工具", "no such tool"),
    "rejected.malformed": ("参数无法读懂", "arguments cannot be read"),
    "rejected.invalid": ("参数不合要求", "arguments do not fit"),
    "rejected.missing": ("缺少参数", "missing"),
    "rejected.truncated": ("输出被截断", "cut off"),
    "rejected.repeated": ("重复调用", "repeated"),
    "rejected.limit": ("超出上限", "over a limit"),
    "rejected.unavailable": ("不可用", "unavailable"),
    "rejected.plan": ("计划无法执行", "a plan that cannot be carried out"),
    "decision.approved": ("批准", "approved"),
    "decision.denied": ("拒绝", "denied"),
    "decision.expired": ("过期", "expired"),
    "decision.taken_over": ("接手", "taken over"),
    "decision.superseded": ("因新消息作废", "superseded"),
    "story.started": ("开始，模型 {model}", "started, model {model}"),
    "story.resumed": ("继续：{reason}", "taken up again: {reason}"),
    "story.released": ("交还：{reason}", "handed back: {reason}"),
    "story.parked": (
        "搁置：接连 {deaths} 个工作进程在此中断，最后停在：{step}",
        "parked: {deaths} workers in a row were lost on it, the last at: {step}",
    ),
    "story.unparked": ("{by} 让它继续{reason}", "{by} lets it go on{reason}"),
    "story.checked": (
        "询问工具第 {number} 次执行是否发生：{answer}{detail}",
        "asked the tool whether attempt {number} happened: {answer}{detail}",
    ),
    "happened.happened": ("发生了", "it did"),
    "happened.not_happened": ("没有发生，也不会再发生", "it did not, and will not"),
    "happened.unknown": ("不知道", "it does not know"),
    "story.classified": ("意图（{by}）：{scores}", "intents ({by}): {scores}"),
    "story.route_tools": (
        "走工具：{intents}；可用 {tools}（{why}）",
        "goes by tools: {intents}; allowed {tools} ({why})",
    ),
    "story.route_answer": ("不用工具，直接回答（{why}）", "answers without tools ({why})"),
    "story.route_unclear": (
        "这句同意什么也决定不了，仍在等待",
        "a yes that decides nothing of what waits",
    ),
    "story.route_ask": ("先问清楚：{intents}（{why}）", "asks which is meant: {intents} ({why})"),
    "story.checked_ask_again": (
        "答复与结果不符，请模型重写：{faults}",
        "the draft does not hold, the model is asked again: {faults}",
    ),
    "story.checked_fall_back": (
        "答复与结果不符，改用引擎自己的话：{faults}",
        "the draft does not hold, the engine speaks instead: {faults}",
    ),
    "story.proposed": ("引擎提出调用（{by}）", "the engine proposes ({by})"),
    "story.asked": ("询问模型，可用工具 {count} 个", "model asked, {count} tools"),
    "story.answered": (
        "{model} 答复，{ms} 毫秒，{tokens}，{stop}",
        "{model} answered, {ms} ms, {tokens}, {stop}",
    ),
    "story.answer": ("答复", "reply"),
    "story.question": ("提问", "question"),
    "story.calls": ("交还调用", "handed"),
    "story.failed": ("失败：{reason}（{detail}）", "failed: {reason} ({detail})"),
    "story.plan": (
        "拆成 {count} 个任务（第 {version} 版）",
        "split into {count} tasks (version {version})",
    ),
    "story.planned": ("{task}. {desc}{base}", "{task}. {desc}{base}"),
    "story.task_started": ("任务 {task} 开始，运行 {run}", "task {task} started, run {run}"),
    "story.task_asks": ("任务 {task} 在等：{text}", "task {task} waits: {text}"),
    "story.task_goes_on": ("任务 {task} 继续", "task {task} goes on"),
    "story.task_done": ("任务 {task} 完成：{text}", "task {task} done: {text}"),
    "story.task_failed": ("任务 {task} 失败：{text}", "task {task} failed: {text}"),
    "story.task_cancelled": ("任务 {task} 已取消：{text}", "task {task} cancelled: {text}"),
    "story.task_skipped": ("任务 {task} 跳过：{text}", "task {task} skipped: {text}"),
    "story.await_tasks": ("等任务完成", "waits for its tasks"),
    "story.await_person": ("等人答复任务的问题", "waits for a person to answer a task"),
    "task.pending": ("未开始", "pending"),
    "task.running": ("进行中", "running"),
    "task.waiting": ("等待答复", "waiting"),
    "task.done": ("完成", "done"),
    "task.failed": ("失败", "failed"),
    "task.cancelled": ("已取消", "cancelled"),
    "task.skipped": ("跳过", "skipped"),
    "graph.open": ("进行中", "going on"),
    "graph.done": ("全部完成", "all done"),
    "graph.done_but": ("除可选任务外都已完成", "done but for what was optional"),
    "graph.partial_failure": ("部分完成", "partly done"),
    "graph.failed": ("没有完成", "not done"),
    "story.cancelled": ("被 {by} 取消：{reason}", "cancelled by {by}: {reason}"),
    "story.valid": ("{call} 有效，风险 {risk}", "{call} is valid, risk {risk}"),
    "story.note": ("说明：{note}", "note: {note}"),
    "story.cleared": ("放行：{rule}", "cleared: {rule}"),
    "story.approval": (
        "等待 {by} 决定 {id}（{rule}）",
        "waits for {by}, approval {id} ({rule})",
    ),
    "story.decided": ("由 {by} {decision}{reason}", "{decision} by {by}{reason}"),
    "story.edited": (
        "{by} 改了参数（{changed}）：{call}；等待 {role} 批准 {id}",
        "{by} changed {changed}: {call}; waits for {role}, approval {id}",
    ),
    "story.given": ("{by} 亲手完成：{content}", "done by hand by {by}: {content}"),
    "story.vain": (
        "{by} 想决定（{wanted}），没有生效：{kind}",
        "{by} wanted to decide ({wanted}), in vain: {kind}",
    ),
    "story.taken_over": ("{by} 接手答复", "{by} took over and answered"),
    "story.attempt": ("第 {number} 次执行 {tool}", "attempt {number} of {tool}"),
    "story.retry": ("{seconds} 秒后重试", "again in {seconds} s"),
    "risk.read": ("只读", "read"),
    "risk.write": ("改动", "write"),
    "risk.critical": ("高风险", "critical"),
    "explain.message": ("{user} 说：“{text}”。", "{user} wrote: “{text}”."),
    "explain.classified": (
        "意图分类（{by}）：{scores}。",
        "The classifier ({by}) gave: {scores}.",
    ),
    "explain.abstained": ("意图分类（{by}）没有把握。", "The classifier ({by}) could not tell."),
    "explain.route_tools": (
        "于是按 {intents} 处理（{why}）；只允许这些工具：{tools}。",
        "So the run went by {intents} ({why}); these tools were allowed and no others: {tools}.",
    ),
    "explain.route_answer": (
        "于是不用工具，直接回答（{why}）。",
        "So the agent answered without tools ({why}).",
    ),
    "explain.route_ask": (
        "于是先问用户是哪一种：{intents}（{why}）。",
        "So the user was asked which is meant: {intents} ({why}).",
    ),
    "explain.route_unclear": (
        "用户的同意什么也决定不了：等待的仍在等待，引擎这样告诉了他。",
        "The user's yes could decide nothing: what waited went on waiting, and he was told so.",
    ),
    "explain.open": (
        "没有按意图分流：可用工具 {tools}。",
        "No route was chosen; the tools on offer were {tools}.",
    ),
    "explain.no_calls": ("没有提出任何工具调用。", "No tool call was proposed."),
    "explain.ran": ("已执行", "ran"),
    "explain.failed": ("执行了，没有成功", "ran, and did not succeed"),
    "explain.uncertain": ("不确定是否已执行", "may have run; nobody knows"),
    "explain.not_run": ("没有执行", "did not run"),
    "explain.waiting": ("等待决定", "waits for a decision"),
    "explain.open_call": ("还没有结束", "has not ended"),
    "explain.by_model": (
        "模型 {model} 在第 {turn} 次答复里提出。",
        "The model {model} proposed it in reply {turn}.",
    ),
    "explain.by_engine": ("由引擎提出（{by}）。", "The engine proposed it ({by})."),
    "explain.cut": (
        "模型的输出在调用中间被截断。",
        "The model's output was cut off inside of the call.",
    ),
    "explain.valid": (
        "工具 {tool} 已注册（来自 {source}），参数符合它的定义；风险：{risk}。",
        "The tool {tool} is registered (from {source}) and the arguments fit it; risk: {risk}.",
    ),
    "explain.source_user": (
        "{name} = {value} 来自用户的话{words}。",
        "{name} = {value} comes from the user's words{words}.",
    ),
    "explain.source_tool": (
        "{name} = {value} 来自 {tool} 的结果（{call} {at}）。",
        "{name} = {value} comes from a result of {tool} ({call} {at}).",
    ),
    "explain.source_context": (
        "{name} = {value} 由引擎填写。",
        "{name} = {value} was filled in by the engine.",
    ),
    "explain.source_directory": (
        "{name} = {value} 由引擎查得，并已列入确认内容。",
        "{name} = {value} was looked up by the engine, and is part of what is confirmed.",
    ),
    "explain.source_default": (
        "{name} = {value} 是声明的默认值。",
        "{name} = {value} is the declared default.",
    ),
    "explain.source_model": (
        "{name} = {value} 是模型自己写的。",
        "{name} = {value} was composed by the model.",
    ),
    "explain.source_none": (
        "{name} = {value} 没有找到来源。",
        "{name} = {value} has no source that was found.",
    ),
    "explain.tainted": (
        "只来自不可信内容的值：{names}。",
        "These values come from untrusted content alone: {names}.",
    ),
    "explain.note": ("参数有改动：{note}。", "About the arguments: {note}."),
    "explain.rejected": (
        "没有执行：{reason}（{detail}）。",
        "It did not run: {reason} ({detail}).",
    ),
    "explain.asked_user": ("已向用户提问：“{question}”。", "The user was asked: “{question}”."),
    "explain.cleared": ("关卡放行：{rule}。", "The gate let it pass: {rule}."),
    "explain.held_user": (
        "关卡要求提问者本人确认：{rule}。",
        "The gate held it for the asking user's own word: {rule}.",
    ),
    "explain.held_role": (
        "关卡要求 {by} 批准：{rule}。",
        "The gate held it for the approval of {by}: {rule}.",
    ),
    "explain.decided": (
        "{seconds} 秒后由 {by} 决定：{decision}{reason}。",
        "After {seconds} s {by} decided: {decision}{reason}.",
    ),
    "explain.edited": (
        "{by} 改了参数 {changed}，改后要由 {role} 批准：{call}。",
        "{by} changed {changed}; the call then needed the approval of {role}: {call}.",
    ),
    "explain.given": (
        "没有执行：{by} 亲手做了，结果：{content}。",
        "It did not run: {by} did it by hand: {content}.",
    ),
    "explain.vain": (
        "{by} 对 {call} 的决定（{wanted}）没有生效：{kind}。",
        "{by} wanted to decide on {call} ({wanted}), in vain: {kind}.",
    ),
    "explain.taken_over": ("{by} 代替智能体答复。", "{by} answered in the agent's place."),
    "explain.by_hand": ("由人完成", "was done by hand"),
    "explain.undecided": ("还没有人决定。", "Nobody has decided yet."),
    "explain.refused": ("没有执行：{rule}。", "It did not run: {rule}."),
    "explain.attempt": (
        "第 {number} 次执行，{ms} 毫秒，结果：{status}：{content}",
        "Attempt {number} took {ms} ms: {status}: {content}",
    ),
    "explain.checked": (
        "第 {number} 次执行被中断；询问工具它是否发生：{answer}{detail}。",
        "Attempt {number} was cut off; the tool was asked whether it happened: {answer}{detail}.",
    ),
    "explain.parked": (
        "接连 {deaths} 个工作进程在此中断（{step}），运行被搁置，等人处理。",
        "{deaths} workers in a row were lost on it ({step}); the run was parked for a person.",
    ),
    "explain.unparked": ("{by} 让被搁置的运行继续{reason}。", "{by} let the run go on{reason}."),
    "explain.unfinished": (
        "第 {number} 次执行开始了，没有记录到结束。",
        "Attempt {number} began, and no end of it is recorded.",
    ),
    "explain.given_up": (
        "运行先结束了，没有轮到它。",
        "The run ended before it came to it.",
    ),
    "explain.checked_ask_again": (
        "模型的答复与结果不符（{faults}），引擎让它重写。",
        "The model's draft did not hold ({faults}); the engine asked it again.",
    ),
    "explain.checked_fall_back": (
        "模型的答复与结果不符（{faults}），引擎用了自己的话。",
        "The model's draft did not hold ({faults}); the engine spoke itself.",
    ),
    "explain.model_failed": (
        "模型没有给出可用的答复：{error}（{detail}）。",
        "The model gave no usable reply: {error} ({detail}).",
    ),
    "explain.answer": ("答复：“{text}”", "The reply: “{text}”"),
    "explain.question": ("反问用户：“{text}”", "The user was asked: “{text}”"),
    "explain.calls": (
        "调用交还给了请求方：{calls}。",
        "The calls were handed to the caller, whose tools they are: {calls}.",
    ),
    "explain.run_failed": (
        "没有完成：{reason}（{detail}）。用户读到：“{text}”",
        "The run failed: {reason} ({detail}). The user read: “{text}”",
    ),
    "explain.cancelled": ("被 {by} 取消：{reason}。", "{by} cancelled the run: {reason}."),
    "explain.goes_on": ("运行还没有结束。", "The run has not ended."),
}


def say(key: str, language: Language, **values: object) -> str:
    """The words in this language, filled in."""
    chinese, english = WORDS[key]
    return (chinese if language == "zh" else english).format(**values)
