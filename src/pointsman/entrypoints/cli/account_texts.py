"""What ``pointsman users`` and ``tokens`` say, in Chinese and English."""

ACCOUNT_TEXTS: dict[str, tuple[str, str]] = {
    "serve.set_up": (
        "还没有账号：本机上的任何人都可以使用。用这个链接创建第一个管理员（24 小时内有效，"
        "只能用一次）：\n\n  {link}\n",
        "There are no accounts yet: whoever is on this machine may use it. Make the first "
        "administrator here (once, within 24 hours):\n\n  {link}\n",
    ),
    "serve.sign_in": (
        "需要登录：{url} 。程序请用 API 令牌（pointsman tokens create）。\n",
        "Sign in at {url} ; programs need an API token (pointsman tokens create).\n",
    ),
    "users.none": ("没有用户。", "There are no users."),
    "users.added": ("已添加用户 {login}。", "Added the user {login}."),
    "users.link": (
        "请把这个链接交给他（3 天内有效，只能用一次）：\n\n  {link}\n",
        "Give him this link (it works once, within 3 days):\n\n  {link}\n",
    ),
    "users.oidc": (
        "他可以通过身份提供方登录。",
        "He can sign in by the identity provider.",
    ),
    "users.roles": ("{login} 的角色：{roles}", "{login} has the roles: {roles}"),
    "users.disabled": ("已停用 {login}。", "{login} is disabled."),
    "users.enabled": ("已启用 {login}。", "{login} is enabled."),
    "users.ended": ("已结束 {login} 的 {count} 个会话。", "Ended {count} sessions of {login}."),
    "users.entry": (
        "{at}  {event}  {login}  由 {by}  {address}  {about}",
        "{at}  {event}  {login}  by {by}  {address}  {about}",
    ),
    "users.no_entries": ("安全日志是空的。", "The security log is empty."),
    "tokens.none": ("没有令牌。", "There are no tokens."),
    "tokens.made": (
        "{login} 的令牌（只显示这一次，{expires} 到期）：",
        "A token of {login}; it is shown this once, and expires {expires}:",
    ),
    "tokens.revoked": ("已撤销令牌 {id}。", "The token {id} is revoked."),
    "head.login": ("登录名", "login"),
    "head.name": ("姓名", "name"),
    "head.roles": ("角色", "roles"),
    "head.seen": ("最近使用", "last seen"),
    "head.starts": ("开头", "starts"),
    "head.scopes": ("范围", "scopes"),
    "head.until": ("到期", "until"),
    "users.active": ("正常", "active"),
    "users.disabled_state": ("已停用", "disabled"),
    "users.invited": ("已邀请", "invited"),
    "users.locked": ("暂时锁定", "locked"),
}
