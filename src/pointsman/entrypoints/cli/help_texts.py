"""The words of the help pages in Chinese, by the English ones that stand in ``app``."""

from typing import Any

_CHINESE = {
    "Run language-model agents under control: the model understands, the engine decides.": (
        "让大模型智能体在掌控之中运行：模型负责理解，引擎决定执行什么。"
    ),
    "Look at runs and their journals, cancel and decide.": "查看运行和日志，取消运行，作出决定。",
    "Look at an agent's tools and try one.": "查看智能体的工具，试用其中一个。",
    "Folder of the agent, or its agent.yaml.": "智能体的文件夹，或其中的 agent.yaml。",
    "Folder of the agent, or its agent.yaml; the current folder by default.": (
        "智能体的文件夹，或其中的 agent.yaml；默认是当前文件夹。"
    ),
    "Folder of the database, or an agent's folder. Also POINTSMAN_DATA; "
    "by default .pointsman in the agent's folder.": (
        "数据库所在的文件夹，或智能体的文件夹。也可用 POINTSMAN_DATA；"
        "默认是智能体文件夹里的 .pointsman。"
    ),
    "Who is asking.": "谁在提问。",
    "Go on with this conversation.": "继续这段对话。",
    "Print JSON.": "输出 JSON。",
    "Id of the run, or how it starts.": "运行的编号，或编号的开头。",
    "Id of the approval, when the run waits for several.": "批准的编号，运行等待多个决定时使用。",
    "Folder of the run's agent: the run goes on here.": (
        "这次运行的智能体的文件夹：在这里继续运行。"
    ),
    "Language of what the command says.": "命令输出的语言。",
    "Show tracebacks and the log.": "显示错误的详细信息和日志。",
    "Show the version.": "显示版本。",
    "Folder to write.": "要写入的文件夹。",
    "Language of the agent.": "智能体的语言。",
    "Write a small agent folder with a comment at every key.": (
        "写出一个小的智能体文件夹，每个键都有注释。"
    ),
    "Talk to an agent in the terminal. Esc or Ctrl-C cancels a run, Ctrl-D leaves.": (
        "在终端里和智能体对话。Esc 或 Ctrl-C 取消运行，Ctrl-D 退出。"
    ),
    "The message; - reads it from stdin.": "消息；- 表示从标准输入读取。",
    "Show the tool calls on stderr.": "在标准错误输出上显示工具调用。",
    "Seconds after which the run is cancelled.": "超过这么多秒就取消运行。",
    "Send one message and print the reply.\n\n"
    "Exit code: 0 answered, 2 wrong use, 3 failed, 4 waits for a person, 130 cancelled.": (
        "发送一条消息，输出答复。\n\n"
        "退出码：0 已答复，2 用法有误，3 失败，4 等待人的决定，130 已取消。"
    ),
    "Agent folders; the current one by default.": "智能体的文件夹；默认是当前文件夹。",
    "Address to listen on; only this machine's own.": "监听的地址；只能是本机地址。",
    "Port to listen on; 0 takes a free one.": "监听的端口；0 表示任选一个空闲的。",
    "Serve agents over HTTP: OpenAI's protocol and our own, on this machine.": (
        "在本机以 HTTP 提供智能体：OpenAI 的协议和我们自己的接口。"
    ),
    "Ask the model something.": "向模型提一个问题。",
    "Check everything that an agent needs, and say how to mend it. Exit code 1 when broken.": (
        "检查智能体需要的一切，并说明怎样修复。有问题时退出码为 1。"
    ),
    "Only these.": "只看这些状态。",
    "Only of this agent (its name).": "只看这个智能体（名字）的。",
    "Only of this user.": "只看这个用户的。",
    "Only of this conversation.": "只看这段对话的。",
    "How many at most.": "最多几条。",
    "List runs, newest first.": "列出运行，新的在前。",
    "Tell what happened in a run, step by step, and check its journal.": (
        "逐步讲述一次运行里发生了什么，并核对日志。"
    ),
    "Stop a run; it never starts again.": "停止一次运行；它不会再开始。",
    "Why; kept in the journal.": "原因；记入日志。",
    "Why; the agent is told.": "原因；会告诉智能体。",
    "Let a waiting call run.": "允许一个等待中的调用执行。",
    "Refuse a waiting call.": "拒绝一个等待中的调用。",
    "List an agent's tools, what they may do, and how their servers are.": (
        "列出智能体的工具、它们可能造成的影响，以及工具服务器的状况。"
    ),
    "Name of the tool.": "工具的名字。",
    "Arguments, as a JSON object.": "参数，一个 JSON 对象。",
    "Confirm what asks for it.": "需要确认时直接确认。",
    "Make one call by hand; it passes the same checks as a model's and is journaled as a run.\n\n"
    "Exit code: 0 succeeded, 2 the call was at fault, 3 failed or refused, 130 cancelled.": (
        "手动进行一次调用；它通过与模型的调用相同的检查，并作为一次运行记入日志。\n\n"
        "退出码：0 成功，2 调用有误，3 失败或被拒绝，130 已取消。"
    ),
    "Measure an agent on cases, and fail a build when it is not good enough.": (
        "用测试用例评测智能体，不达标时让构建失败。"
    ),
    "A suite file, a folder of them, or an agent's folder; the current folder by default.": (
        "测试集文件、存放测试集的文件夹，或智能体的文件夹；默认是当前文件夹。"
    ),
    "Folder of the agent; by default the one that the suite lies in.": (
        "智能体的文件夹；默认是测试集所在的那个。"
    ),
    "Another model: preset or preset/name, such as deepseek/deepseek-chat.": (
        "换一个模型：预设，或 预设/模型名，例如 deepseek/deepseek-chat。"
    ),
    "Only this case.": "只跑这个用例。",
    "Only cases with this tag.": "只看有这个标签的用例。",
    "How often each case; gives pass^k.": "每个用例重复几次；得出 pass^k。",
    "Cases at once.": "同时跑几个用例。",
    "Keep the results in this file, and skip what it holds of the same suite, agent and model.": (
        "把结果存进这个文件；其中同一测试集、智能体和模型的结果不再重跑。"
    ),
    "An earlier --resume file or --json report: which cases changed.": (
        "先前的 --resume 文件或 --json 报告：哪些用例变了。"
    ),
    "Write JUnit XML.": "写出 JUnit XML。",
    "Write one HTML page.": "写出一个 HTML 页面。",
    "A threshold over those of the suite.": "覆盖测试集里的门槛。",
    "Fit the intents' thresholds too.": "同时拟合意图的门槛。",
    "Carry cases through an agent and grade them.\n\n"
    "Exit code: 0 good enough, 1 below a threshold, 2 wrong use. A suite without thresholds wants "
    "all of its cases to pass.": (
        "让智能体跑测试用例并评分。\n\n"
        "退出码：0 达标，1 低于门槛，2 用法有误。没有门槛的测试集要求用例全部通过。"
    ),
    "What a wrong intent costs, where a question costs 1.": "错选意图的代价（一次提问的代价是 1）。",
    "What a missed intent costs, where a question costs 1.": "漏掉意图的代价（一次提问的代价是 1）。",
    "Fit the intents' accept and ask thresholds on half of the first messages, and measure them on "
    "the other half. Prints what to paste; writes nothing.": (
        "用一半的首条消息拟合意图的 accept 和 ask 门槛，用另一半检验。"
        "只输出要粘贴的内容，不写任何文件。"
    ),
    "The suite file to add it to; made when not there.": "加入哪个测试集文件；没有就新建。",
    "Id of the case; made from the run's by default.": "用例的编号；默认由运行的编号得出。",
    "Make a case of a journaled run: it expects what happened.": (
        "把日志里的一次运行做成用例：期望就是当时发生的事。"
    ),
    "List the cases of suites, after checking their files.": "列出测试集里的用例，并检查文件。",
}


def untranslated(command: Any) -> set[str]:
    """The help texts of a command and those below it that have no Chinese."""
    return {text for _, text in _texts(command) if text not in _CHINESE}


def translate(command: Any) -> None:
    """Let a command and those below it speak Chinese."""
    for owner, text in _texts(command):
        owner.help = _CHINESE.get(text, text)


def _texts(command: Any) -> list[tuple[Any, str]]:
    """Every command and parameter with its help; typer's classes are not public, hence ``Any``."""
    owners = [command, *command.params]
    texts = [(owner, owner.help) for owner in owners if getattr(owner, "help", None)]
    for below in getattr(command, "commands", {}).values():
        texts += _texts(below)
    return texts
