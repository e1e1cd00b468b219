"""What ``pointsman status`` and ``pointsman worker`` say, in Chinese and English."""

SCALE_TEXTS: dict[str, tuple[str, str]] = {
    "state.head": ("数据库 {database}", "Database {database}"),
    "state.runs": (
        "运行：排队 {queued}，进行中 {running}，等子任务 {split}，"
        "等人决定 {waiting}，搁置 {parked}",
        "Runs: {queued} queued, {running} running, {split} waiting for their tasks, "
        "{waiting} for a person, {parked} parked",
    ),
    "state.oldest": (
        "排队最久：{run}（{agent}），从 {since} 起",
        "Waits longest: {run} ({agent}), since {since}",
    ),
    "state.queue": (
        "队列：{waiting} 段对话等待工作进程，{driven} 段正在处理",
        "Queue: {waiting} conversations wait for a worker, {driven} have one",
    ),
    "state.worker": (
        "工作进程 {name}：正常，从 {since} 起，处理 {driving}/{concurrency}（{agents}）",
        "Worker {name}: alive since {since}, drives {driving} of {concurrency} ({agents})",
    ),
    "state.dead": (
        "工作进程 {name}：没有消息，最后一次在 {heard}（{agents}）",
        "Worker {name}: no sign of life since {heard} ({agents})",
    ),
    "state.server": ("服务进程 {pid}：{address}", "Server process {pid}: {address}"),
    "state.lonely": (
        "有运行在排队，但没有工作进程：用 pointsman serve 或 pointsman worker 启动一个。",
        "Runs are queued and nobody works: start `pointsman serve` or `pointsman worker`.",
    ),
    "state.parked": (
        "{count} 次运行被搁置，等人处理（pointsman runs show，然后 runs resume 或 cancel）：",
        "{count} runs are parked for a person (`runs show`, then `runs resume` or `cancel`):",
    ),
    "worker.ready": (
        "工作进程 {name} 已启动，同时处理 {concurrency} 段对话：{agents}。Ctrl-C 停止。",
        "Worker {name} drives up to {concurrency} conversations at once: {agents}. Ctrl-C stops.",
    ),
    "serve.no_worker": (
        "这里不处理运行：由 pointsman worker 处理。",
        "No runs are driven here: that is for `pointsman worker`.",
    ),
    "runs.resumed": ("运行 {run} 继续。", "Run {run} goes on."),
}
