"""The help of ``users`` and ``tokens`` in Chinese, by the English that stands in
``accounts_app``."""

ACCOUNT_HELP = {
    "Say who may use the server, and what he may do.": "管理谁可以使用服务、可以做什么。",
    "Make and revoke API tokens for programs.": "为程序创建和撤销 API 令牌。",
    "Login of the user.": "用户的登录名。",
    "List the users.": "列出用户。",
    "Full name.": "姓名。",
    "Roles with commas between: approver, operator, admin, finance …": (
        "角色，用逗号分隔：approver、operator、admin、finance……"
    ),
    "Signs in by the identity provider; no password.": "通过身份提供方登录，没有密码。",
    "Add a user, and print the link by which he chooses his password.": (
        "添加用户，并显示供他设置密码的链接。"
    ),
    "All roles he is to have, commas between.": "他应有的全部角色，用逗号分隔。",
    "Give a user exactly these roles; '' takes all.": "让用户只有这些角色；'' 表示全部收回。",
    "End a user's password and sessions, and print the link by which he chooses another.": (
        "作废用户的密码和会话，并显示供他重设密码的链接。"
    ),
    "Let a user no longer sign in; his sessions end and his tokens rest.": (
        "不再让用户登录；他的会话结束，令牌停用。"
    ),
    "Let a user sign in again.": "重新允许用户登录。",
    "End all sessions of a user.": "结束用户的所有会话。",
    "Only about this user.": "只看这个用户的。",
    "Show the security log: sign-ins, failures, changes of roles, tokens; newest first.": (
        "显示安全日志：登录、失败、角色变更、令牌；新的在前。"
    ),
    "What it is for.": "用途。",
    "What it may do, commas between: chat, approve, operate, admin.": (
        "可以做什么，用逗号分隔：chat、approve、operate、admin。"
    ),
    "How long it lasts.": "有效天数。",
    "Make a token for a user. It is printed this once.": "为用户创建令牌，只显示这一次。",
    "List the tokens, newest first, without what makes them tokens.": (
        "列出令牌，新的在前，不显示令牌本身。"
    ),
    "Its id, or how it starts.": "令牌的编号，或开头。",
    "Revoke a token.": "撤销令牌。",
    "Address to listen on; without users only this machine's own.": (
        "监听的地址；没有用户时只能是本机的地址。"
    ),
    "Serve agents over HTTP: OpenAI's protocol, our own, and the console.": (
        "通过 HTTP 提供智能体：OpenAI 的协议、自己的协议和控制台。"
    ),
}
