"""The help of ``notify``, ``deliveries`` and ``inbox`` in Chinese, by the English that stands in
``notices_app``."""

NOTICE_HELP = {
    "See what became of notifications, and try one again.": "查看通知的投递情况，重新发送。",
    "Read a user's inbox.": "查看用户的收件箱。",
    "Id of the delivery, or how it starts.": "投递的编号，或编号的开头。",
    "Name or login of a recipient.": "接收人的姓名或登录名。",
    "Recipients as they are described: the head of finance.": "用描述指明的接收人：财务部的部长。",
    "Channel; the inbox when there is none.": "发送方式；不写则发到收件箱。",
    "Name of a group.": "群的名称。",
    "Seconds to wait for the outcome.": "等待结果的秒数。",
    "Send a message, and say how each delivery stands after a moment.\n\n"
    "Exit code: 0 all sent, 2 wrong use or unclear whom, 3 failed, 4 not all sent yet.": (
        "发送一条消息，并在片刻之后说明每个接收人的情况。\n\n"
        "退出码：0 全部送出，2 用法有误或接收人不明，3 失败，4 尚未全部送出。"
    ),
    "Only by this channel.": "只看这种发送方式的。",
    "Only of this sender.": "只看这个人发出的。",
    "List deliveries, newest first.": "列出投递，新的在前。",
    "Show all that is known of a delivery.": "显示一次投递的全部情况。",
    "Try a delivery again that was given up; the server, or the next one, sends it.": (
        "重新发送一条已放弃的通知；由服务进程（或下次启动的）发送。"
    ),
    "Only what is unread.": "只看未读的。",
    "List the messages of a user, newest first.": "列出用户的消息，新的在前。",
    "Ids of messages; all when there is none.": "消息的编号；不写则是全部。",
    "Mark messages as read.": "把消息标为已读。",
    "Print what arrives, until Ctrl-C.": "显示新到的消息，按 Ctrl-C 结束。",
}
