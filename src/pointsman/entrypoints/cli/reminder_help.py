"""The help of ``reminders`` in Chinese, by the English that stands in ``reminders_app``."""

REMINDER_HELP = {
    "Make reminders and actions at a set time, and keep them.": "添加和管理提醒、定时任务。",
    "Id of the reminder, or how it starts.": "提醒的编号，或编号的开头。",
    "The time in words, a cron line, or ISO 8601: every weekday at 9.": (
        "时间，可以是一句话、cron 表达式或 ISO 8601：每个工作日9点。"
    ),
    "What to be reminded of.": "提醒的内容。",
    "What the agent does then.": "到时由智能体做的事。",
    "Confirm an action, with the calls that are shown without it.": (
        "确认定时任务，以及不加此选项时显示的那些操作。"
    ),
    "Only of this user.": "只看这个用户的。",
    "Only these; active and paused by default.": "只看这些状态的；默认是生效和暂停的。",
    "List reminders, what is due first before the others.": "列出提醒，先到期的在前。",
    "Show all that is known of a reminder, and what became of its last occurrences.": (
        "显示一个提醒的全部情况，以及最近几次触发的结果。"
    ),
    "Make a reminder. What it does is shown first, and made with --yes.\n\n"
    "Exit code: 0 made, 2 wrong use, 4 the time or a confirmation is to be settled first.": (
        "添加提醒。定时任务先显示要做什么，加上 --yes 才会添加。\n\n"
        "退出码：0 已添加，2 用法有误，4 时间或确认有待明确。"
    ),
    "The new time.": "新的时间。",
    "Folder of the reminder's agent, for an action.": "提醒所属智能体的文件夹，定时任务需要。",
    "Change when a reminder is due, or what it says or does.\n\n"
    "Exit code: 0 changed, 2 wrong use, 4 the time or a confirmation is to be settled first.": (
        "修改提醒的时间或内容。\n\n退出码：0 已修改，2 用法有误，4 时间或确认有待明确。"
    ),
    "For how long, or until when: 10 minutes.": "推迟多久，或推迟到什么时候：10分钟。",
    "Have a reminder come again later, once; its other times stay.": (
        "让提醒稍后再来一次，其余时间不变。"
    ),
    "Have nothing due until it is resumed.": "暂停，直到恢复。",
    "Go on; what was due during the pause is passed over.": "恢复；暂停期间到期的不再补发。",
    "End a reminder for good.": "取消提醒。",
}
