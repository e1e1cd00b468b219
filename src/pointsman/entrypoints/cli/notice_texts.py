"""What ``pointsman notify``, ``deliveries`` and ``inbox`` say, in Chinese and English."""

NOTICE_TEXTS: dict[str, tuple[str, str]] = {
    "notices.row": (
        "{id}  {at}  {channel} → {name}: {state}{why}  {subject}",
        "{id}  {at}  {channel} → {name}: {state}{why}  {subject}",
    ),
    "notices.none": ("没有符合的通知。", "There are no such deliveries."),
    "notices.address": ("地址：{address}", "Address: {address}"),
    "notices.attempts": (
        "尝试 {attempts} 次，共 {parts} 段，已发 {done} 段",
        "{attempts} attempts; {done} of {parts} parts were taken",
    ),
    "notices.next": ("下次尝试：{at}", "Next attempt: {at}"),
    "notices.source": (
        "由 {sender} 发出，运行 {run}（{agent}）",
        "Sent by {sender}, run {run} ({agent})",
    ),
    "notices.instead": ("代替 {id}", "Stands for {id}"),
    "notices.anew": ("{id} 已重新排队。", "{id} is tried again."),
    "notices.message": (
        "[{seq}] {mark} {at}  {sender}  {subject}",
        "[{seq}] {mark} {at}  {sender}  {subject}",
    ),
    "notices.unread": ("未读 {count} 条", "{count} unread"),
    "notices.empty": ("收件箱是空的。", "The inbox is empty."),
    "notices.marked": ("已标为已读：{count} 条", "Marked as read: {count}"),
    "notices.watching": (
        "正在等待 {user} 的新消息，Ctrl-C 结束。",
        "Waiting for new messages of {user}; Ctrl-C ends it.",
    ),
}
