"""What ``pointsman reminders`` says, in Chinese and English."""

REMINDER_TEXTS: dict[str, tuple[str, str]] = {
    "reminders.row": ("{id}  {line}\n    下次：{due}", "{id}  {line}\n    next: {due}"),
    "reminders.none": ("没有提醒。", "There are no reminders."),
    "reminders.owner": (
        "属于 {user}，智能体 {agent}，时区 {zone}",
        "Of {user}, agent {agent}, time zone {zone}",
    ),
    "reminders.words": ("用户的原话：{words}", "In the user's words: {words}"),
    "reminders.covered": (
        "已确认的操作：{tool} {arguments}",
        "Confirmed in advance: {tool} {arguments}",
    ),
    "reminders.occurrence": (
        "{due}  {state}，{at}，运行 {run} {note}",
        "{due}  {state}, {at}, run {run} {note}",
    ),
    "reminders.fired": ("已触发", "fired"),
    "reminders.late": ("迟到触发", "fired late"),
    "reminders.missed": ("已错过", "missed"),
    "reminders.failed": ("失败", "failed"),
    "reminders.confirm": (
        "没有添加或修改。确认以上内容后，加上 --yes 再运行一次。",
        "Nothing was made or changed. If this is what you want, run it again with --yes.",
    ),
}
