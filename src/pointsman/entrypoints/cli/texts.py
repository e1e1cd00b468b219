"""The terminal's own sentences, each in Chinese and English. What the engine says is in
``domain.sentences``, the words of a run's story in ``domain.record.words``; the words of the help
pages are in ``help_texts``."""

import os

from pointsman.domain.agent import Language
from pointsman.domain.record.words import WORDS
from pointsman.entrypoints.cli.account_texts import ACCOUNT_TEXTS
from pointsman.entrypoints.cli.db_texts import DB_TEXTS
from pointsman.entrypoints.cli.notice_texts import NOTICE_TEXTS
from pointsman.entrypoints.cli.reminder_texts import REMINDER_TEXTS
from pointsman.entrypoints.cli.scale_texts import SCALE_TEXTS

TEXTS: dict[str, tuple[str, str]] = {
    **WORDS,
    **ACCOUNT_TEXTS,
    **DB_TEXTS,
    **NOTICE_TEXTS,
    **REMINDER_TEXTS,
    **SCALE_TEXTS,
    "chat.hello": (
        "{name}（{model}）。/help 查看命令，Ctrl-D 退出。",
        "{name} ({model}). /help lists the commands, Ctrl-D leaves.",
    ),
    "chat.help": (
        "/new    开始新的对话\n"
        "/usage  这段对话和你一共用了多少 token\n"
        "/runs   最近的运行\n"
        "/help   这份说明\n"
        "/quit   退出（或 Ctrl-D）\n"
        "Esc 或 Ctrl-C 取消正在进行的运行。",
        "/new    start a new conversation\n"
        "/usage  tokens of this conversation and of you in all\n"
        "/runs   the latest runs\n"
        "/help   this list\n"
        "/quit   leave (or Ctrl-D)\n"
        "Esc or Ctrl-C cancels the run that is going on.",
    ),
    "chat.leave": ("\nCtrl-D 或 /quit 退出。", "\nCtrl-D or /quit leaves."),
    "chat.new": ("新的对话。", "A new conversation."),
    "chat.unknown": ("没有命令 {command}；/help 查看命令。", "No command {command}; see /help."),
    "screen.again": ("（以上作废，重新回答）", "(That is void; the answer starts again.)"),
    "wait.user": ("回答：{command}", "To answer: {command}"),
    "wait.role": (
        "等待有权的人决定：pointsman approvals approve {run} --by 姓名，"
        "或 approvals deny {run} --reason …",
        "Waiting for somebody with the role: pointsman approvals approve {run} --by NAME, "
        "or approvals deny {run} --reason …",
    ),
    "usage.conversation": ("这段对话：{tokens}", "This conversation: {tokens}"),
    "usage.user": ("{user} 一共：{tokens}", "{user} in all: {tokens}"),
    "init.done": ("已写入 {folder}：{files}", "Wrote {folder}: {files}"),
    "init.next": (
        "接下来：\n"
        "  pointsman doctor {folder}      检查一切是否就绪\n"
        "  pointsman chat {folder}        和它对话\n"
        "  pointsman serve {folder}       作为服务运行",
        "Next:\n"
        "  pointsman doctor {folder}      check that all is well\n"
        "  pointsman chat {folder}        talk to it\n"
        "  pointsman serve {folder}       run it as a server",
    ),
    "serve.ready": (
        "Pointsman 正在 {url} 运行（{agents}）；Ctrl-C 停止。试一试：\n\n"
        "  curl {url}/v1/chat/completions \\\n"
        '    -H "Content-Type: application/json" \\\n'
        '    -d \'{{"model": "{agent}", "messages": '
        '[{{"role": "user", "content": "{greeting}"}}]}}\'\n',
        "Pointsman serves {agents} on {url}; Ctrl-C ends it. Try:\n\n"
        "  curl {url}/v1/chat/completions \\\n"
        '    -H "Content-Type: application/json" \\\n'
        '    -d \'{{"model": "{agent}", "messages": '
        '[{{"role": "user", "content": "{greeting}"}}]}}\'\n',
    ),
    "runs.none": ("没有运行（{place}）。", "No runs ({place})."),
    "runs.head": (
        "运行 {run}  {status}\n智能体 {agent}  用户 {user}  对话 {conversation}  {created}\n",
        "run {run}  {status}\nagent {agent}  user {user}  conversation {conversation}  {created}\n",
    ),
    "runs.usage": ("用量：{tokens}", "Usage: {tokens}"),
    "runs.verified": (
        "日志：{count} 个事件，哈希链完整。",
        "Journal: {count} events, the hash chain holds.",
    ),
    "runs.drawn": ("图表已写入 {file}", "The chart is in {file}"),
    "runs.broken": ("日志不可信：{problem}", "The journal cannot be trusted: {problem}"),
    "runs.cancelled": ("已取消运行 {run}。", "Run {run} is cancelled."),
    "approvals.none": ("没有等待决定的调用。", "Nothing waits for a decision."),
    "approvals.done": ("运行 {run}：{text}", "Run {run}: {text}"),
    "approvals.refused": ("没有生效：{why}（{detail}）", "No effect: {why} ({detail})"),
    "approvals.head": (
        "审批 {id}\n{text}\n\n{call}  风险 {risk}\n{agent}，{user}：{why}\n",
        "approval {id}\n{text}\n\n{call}  risk {risk}\n{agent}, {user}: {why}\n",
    ),
    "approvals.asked": (
        "{asked} 提出，{expires} 过期；由 {by} 决定（{rule}）",
        "asked {asked}, expires {expires}; {by} decides ({rule})",
    ),
    "span.seconds": ("{count} 秒", "{count} s"),
    "span.minutes": ("{count} 分钟", "{count} min"),
    "span.hours": ("{count} 小时", "{count} h"),
    "span.days": ("{count} 天", "{count} d"),
    "runs.goes_on_there": ("服务会继续这次运行。", "The server carries the run on."),
    "runs.goes_on_later": (
        "没有服务在运行：下次 pointsman serve 启动时继续，或用 --agent 文件夹 在这里继续。",
        "No server is running: the run goes on at the next `pointsman serve`, "
        "or here with --agent FOLDER.",
    ),
    "status.queued": ("排队", "queued"),
    "status.running": ("进行中", "running"),
    "status.split": ("任务进行中", "split"),
    "status.waiting": ("等待决定", "waiting"),
    "status.parked": ("搁置", "parked"),
    "status.done": ("完成", "done"),
    "status.failed": ("失败", "failed"),
    "status.cancelled": ("已取消", "cancelled"),
    "audit.none": ("没有符合条件的运行。", "No run matches."),
    "audit.further": (
        "还有更早的：加上 --before {run}",
        "There are older ones: add --before {run}",
    ),
    "audit.exported": ("共 {count} 行。", "{count} lines."),
    "audit.holds": (
        "日志完整：{runs} 次运行，{events} 个事件，没有发现改动。",
        "The journal holds: {runs} runs, {events} events, nothing was changed.",
    ),
    "audit.pruned": (
        "另有 {runs} 次运行已按期清理，留有凭据。",
        "{runs} more runs were pruned, and are accounted for.",
    ),
    "audit.pruned_unchecked": (
        "已清理的运行的凭据没有核对：设置 {variable}。",
        "What is left of the pruned runs was not checked: set {variable}.",
    ),
    "audit.kind_tombstone": ("已清理的运行的凭据不对", "what is left of a pruned run is not right"),
    "audit.broken": ("日志不可信：{count} 处。", "The journal cannot be trusted: {count} faults."),
    "audit.head_holds": (
        "{at} 的凭据所覆盖的（{runs} 次运行，{events} 个事件）都还在。",
        "All that the head of {at} covers is there ({runs} runs, {events} events).",
    ),
    "audit.head_signed": ("已用 {variable} 签名。", "Signed with {variable}."),
    "audit.head_unsigned": (
        "没有签名：设置 {variable} 才会签名；请把它保存在别处。",
        "Not signed: set {variable} to sign it. Keep it where who can write the database cannot.",
    ),
    "audit.signature_checked": ("凭据的签名有效。", "The head's signature is right."),
    "audit.signature_none": (
        "凭据没有签名，只能相信保存它的地方。",
        "The head is not signed: trust it as far as the place where it was kept.",
    ),
    "audit.signature_unchecked": (
        "凭据有签名，但没有核对：设置 {variable}。",
        "The head is signed, and was not checked: set {variable}.",
    ),
    "audit.signature_stripped": (
        "✗ 凭据没有签名，而设置了 {variable}。",
        "✗ The head is not signed, though {variable} is set.",
    ),
    "audit.signature_forged": (
        "✗ 凭据的签名与 {variable} 不符：凭据被改动过，或密钥不同。",
        "✗ The head's signature does not fit {variable}: it was changed, or the key is another.",
    ),
    "audit.kind_unreadable": ("无法读出", "cannot be read"),
    "audit.kind_stray": ("不属于任何运行", "belongs to no run"),
    "audit.kind_cut": ("事件缺失", "events are missing"),
    "audit.kind_gap": ("位置不连续", "a row is missing or was inserted"),
    "audit.kind_chain": ("哈希链断裂", "the hash chain breaks"),
    "audit.kind_event": ("事件不合理", "the event cannot stand there"),
    "audit.kind_projection": ("运行的摘要与事件不符", "the run's row disagrees with its events"),
    "audit.kind_result": ("完整结果与事件不符", "a whole result disagrees with the events"),
    "audit.kind_conversation": ("对话的记录被改动", "the conversation's row was changed"),
    "audit.kind_lone_conversation": ("没有运行的对话", "a conversation without runs"),
    "audit.lost_run": (
        "凭据覆盖的运行 {run} 不见了",
        "run {run}, which the head covers, is gone",
    ),
    "audit.lost_events": (
        "运行 {run} 从位置 {position} 起与凭据不符",
        "run {run} is not what the head covers from position {position} on",
    ),
    "audit.lost_day": (
        "{day} 的运行与凭据不符：凭据覆盖 {runs} 次运行、{events} 个事件，"
        "现在有 {now_runs} 次、{now_events} 个",
        "the runs of {day} are not what the head covers: {runs} runs with {events} events, "
        "now {now_runs} with {now_events}",
    ),
    "audit.about_route": ("路由", "route"),
    "audit.about_validation": ("参数校验", "validation"),
    "audit.about_gate": ("关卡", "gate"),
    "audit.about_reply": ("答复检查", "reply check"),
    "audit.about_end": ("结果", "end"),
    "audit.recorded": ("    当时：{decision}", "    then: {decision}"),
    "audit.now": ("    现在：{decision}", "    now:  {decision}"),
    "audit.never": ("（没有走到）", "(did not come to it)"),
    "audit.replay_same": (
        "重放 {runs} 次运行：决定都相同。",
        "Replayed {runs} runs: every decision is the same.",
    ),
    "audit.replay_differs": (
        "重放 {runs} 次运行：{differing} 次有不同的决定。",
        "Replayed {runs} runs: {differing} with decisions that differ.",
    ),
    "head.intent": ("意图", "intent"),
    "head.tools": ("工具", "tools"),
    "head.id": ("编号", "id"),
    "head.created": ("时间", "created"),
    "head.status": ("状态", "status"),
    "head.agent": ("智能体", "agent"),
    "head.user": ("用户", "user"),
    "head.input": ("内容", "message"),
    "head.tool": ("工具", "tool"),
    "head.source": ("来源", "source"),
    "head.risk": ("风险", "risk"),
    "head.gate": ("关卡", "gate"),
    "head.required": ("必填参数", "required"),
    "head.by": ("由谁决定", "decided by"),
    "head.age": ("已等", "age"),
    "head.expires": ("还剩", "expires in"),
    "head.title": ("名称", "title"),
    "head.suite": ("测试集", "suite"),
    "head.case": ("用例", "case"),
    "head.tags": ("标签", "tags"),
    "head.turns": ("轮数", "turns"),
    "gate.allow": ("放行", "allow"),
    "gate.confirm": ("用户确认", "confirm"),
    "gate.approve": ("他人批准", "approve"),
    "gate.deny": ("禁止", "deny"),
    "source.ready": ("就绪", "ready"),
    "check.python": ("Python", "Python"),
    "check.extra": ("可选部分", "optional part"),
    "check.agent": ("智能体文件", "agent file"),
    "check.model": ("模型", "model"),
    "check.online": ("模型联通", "model reachable"),
    "check.tools": ("工具", "tools"),
    "check.schema": ("工具参数定义", "tool schema"),
    "check.database": ("数据库", "database"),
    "check.journal": ("日志", "journals"),
    "check.port": ("端口", "port"),
    "doctor.missing": ("缺少 {extra}（{modules}）", "{extra} is not installed ({modules})"),
    "doctor.offline": (
        "offline：按规则工作，不是语言模型（{count} 条调用规则）",
        "offline: follows rules, no language model ({count} call rules)",
    ),
    "doctor.not_asked": ("没有询问（--online 才会）", "not asked (--online does)"),
    "doctor.answers": ("有回答", "answers"),
    "doctor.tools": ("{source}：就绪，{count} 个工具", "{source}: ready, {count} tools"),
    "doctor.new": ("新建", "new"),
    "doctor.found": ("可写", "writable"),
    "doctor.verified": (
        "最近 {count} 次运行的哈希链完整",
        "the hash chains of the last {count} runs hold",
    ),
    "doctor.served": ("{address} 由进程 {pid} 使用", "{address} is served by process {pid}"),
    "doctor.free": ("{place} 空闲", "{place} is free"),
    "doctor.well": ("一切就绪。", "All is well."),
    "doctor.broken": ("有问题需要处理。", "Something has to be mended."),
    "mend.python": ("安装 Python 3.11 或更新的版本", "install Python 3.11 or newer"),
    "mend.agent": (
        "按提示修改文件；`pointsman init 新文件夹` 会写出一份带注释的样例",
        "change the file as it says; `pointsman init NEW_FOLDER` writes a commented example",
    ),
    "mend.model": (
        "修改 agent.yaml 里的 model:，或设置它要的环境变量",
        "change model: in agent.yaml, or set the environment variable that it needs",
    ),
    "mend.online": (
        "检查网络、地址、密钥和模型名",
        "check the network, the address, the key and the model's name",
    ),
    "mend.tools": ("修改 agent.yaml 里的 tools:", "change tools: in agent.yaml"),
    "mend.source": (
        "在智能体文件夹里手动运行 {source} 的命令，看它说什么",
        "run the command of {source} by hand in the agent folder and read what it says",
    ),
    "mend.api": (
        "设置它所说的环境变量，或修改 agent.yaml 里的地址和 allow_private",
        "set the variable that it names, or mend the address and allow_private in agent.yaml",
    ),
    "mend.schema": (
        "修改工具的参数定义；在此之前只按简化的定义检查",
        "mend the tool's parameters; until then a simpler form of them is checked",
    ),
    "mend.database": (
        "检查文件夹的权限和磁盘空间，或用 --data 换一个文件夹",
        "check the folder's permissions and the disk, or give another folder with --data",
    ),
    "mend.journal": (
        "日志被改动过或磁盘有损坏：从备份恢复，用 pointsman runs show 查看",
        "the journal was changed or the disk is damaged: restore a backup; "
        "`pointsman runs show` shows the run",
    ),
    "mend.port": ("用 --port 换一个端口", "choose another one with --port"),
    "eval.resumed": (
        "{place} 里已有 {count} 个结果，不再重跑。",
        "{count} results are in {place} already and are not run again.",
    ),
    "eval.added": (
        "用例 {case} 已写入 {file}（共 {count} 个用例）。",
        "Case {case} is in {file} now ({count} cases).",
    ),
    "eval.counted": ("{suites} 个测试集，{count} 个用例", "cases: {count}, suites: {suites}"),
    "error.unexpected": (
        "内部错误：{problem}。再运行一次 pointsman --debug … 可看到详细信息。",
        "Something failed inside: {problem}. Run `pointsman --debug …` for the traceback.",
    ),
    "error.error": ("错误：{problem}", "error: {problem}"),
    "error.interrupted": ("已中断", "interrupted"),
}


def say(key: str, language: Language, **values: object) -> str:
    """The sentence in this language, filled in."""
    chinese, english = TEXTS[key]
    return (chinese if language == "zh" else english).format(**values)


def ambient_language() -> Language:
    """The language that the environment asks for."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
