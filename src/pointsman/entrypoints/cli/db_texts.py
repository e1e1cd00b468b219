"""What ``pointsman db`` says, in Chinese and English."""

DB_TEXTS: dict[str, tuple[str, str]] = {
    "db.is_newest": (
        "数据库已是最新（{revision}）。",
        "The database is at {revision}, the newest.",
    ),
    "db.migrated": (
        "数据库已从 {before} 升级到 {revision}。",
        "The database was brought from {before} to {revision}.",
    ),
    "db.would_migrate": (
        "会把数据库从 {before} 升级到 {revision}；没有改动。",
        "Would bring the database from {before} to {revision}; nothing was changed.",
    ),
    "db.sound": ("没有损坏", "nothing is damaged"),
    "db.at": (
        "数据库是 {at}，这个版本需要 {revision}",
        "the database is at {at}, this release needs {revision}",
    ),
    "db.journal": (
        "{runs} 次运行，{events} 个事件，没有发现改动；已清理 {pruned} 次运行",
        "{runs} runs, {events} events, nothing was changed; {pruned} runs were pruned",
    ),
    "db.well": ("数据库一切正常。", "The database is well."),
    "db.broken": ("数据库有问题，见上文。", "The database is not well; see above."),
    "db.saved": ("已备份到 {file}（{size} 字节）。", "Saved to {file} ({size} bytes)."),
    "db.copying": ("{table}：{total} 行已复制 {done} 行", "{table}: {done} of {total}"),
    "db.copied": (
        "已把 {source} 复制到 {target}，并逐一核对：{runs} 次运行，{events} 个事件，"
        "已清理的 {pruned} 次。",
        "Copied {source} to {target} and checked it: {runs} runs, {events} events, "
        "{pruned} pruned.",
    ),
    "db.would_copy": (
        "会把 {source} 复制到 {target}：{runs} 次运行，{events} 个事件，已清理的 {pruned} 次；"
        "没有改动。",
        "Would copy {source} to {target}: {runs} runs, {events} events, {pruned} pruned; "
        "nothing was changed.",
    ),
    "db.figures_current": (
        "统计已更新到最新结束的运行。",
        "The figures hold every run that has ended.",
    ),
    "db.figures_rebuilt": (
        "已根据日志重新统计所有结束的运行。",
        "The figures of every ended run were made again from the journals.",
    ),
    "db.pruning": ("已清理 {runs} 次运行，{events} 个事件 …", "{runs} runs, {events} events …"),
    "db.pruned": (
        "清理了 {before} 之前结束的 {conversations} 段对话：{runs} 次运行，{events} 个事件；"
        "保留 {kept} 次运行；清理了 {rates} 个过期的频率记录，{reminders} 条过去的提醒。",
        "Removed {conversations} conversations that ended before {before}: {runs} runs, "
        "{events} events. Kept {kept} runs. Removed {rates} rates that count no call any more, and "
        "{reminders} reminders and occurrences that are over.",
    ),
    "db.would_prune": (
        "会清理 {before} 之前结束的 {conversations} 段对话：{runs} 次运行，{events} 个事件；"
        "保留 {kept} 次运行；清理 {rates} 个过期的频率记录，{reminders} 条过去的提醒。没有改动。",
        "Would remove {conversations} conversations that ended before {before}: {runs} runs, "
        "{events} events. Would keep {kept} runs, and remove {rates} rates that count no call any "
        "more, and {reminders} reminders and occurrences that are over. Nothing was changed.",
    ),
    "check.tables": ("数据表", "tables"),
    "check.integrity": ("完整性", "integrity"),
    "check.durability": ("持久性", "durability"),
    "mend.tables": (
        "运行 pointsman db migrate。",
        "Run `pointsman db migrate`.",
    ),
    "mend.newer": (
        "数据库属于更新的版本：请升级 pointsman。",
        "The database belongs to a newer release: upgrade pointsman.",
    ),
    "mend.integrity": (
        "停下所有进程，用最近的备份恢复；先保留损坏的数据库以供查看。",
        "Stop every process and restore the last backup; keep the damaged database to look into.",
    ),
    "mend.durability": (
        "崩溃时可能丢失已答应的内容：请打开这个设置。",
        "A crash may lose what was promised: switch this setting on.",
    ),
    "mend.record": (
        "运行 pointsman audit verify 查看是哪些运行。",
        "See which runs with `pointsman audit verify`.",
    ),
}
