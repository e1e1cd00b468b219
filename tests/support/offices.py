"""An agent folder that splits requests without a network: it counts, looks up and sends."""

from pathlib import Path

AGENT = """\
agent: office
language: zh
tools:
  - python: tools
  - builtin: Global_Decomposition
policy:
  - {tool: send, when: "to == 'admin'", then: allow}
offline:
  split: {tool: Global_Decomposition}
  values:
    to:
      patterns: ['发给(\\w+)', 'to (\\w+)']
      ask: {zh: 发给谁？, en: "To whom?"}
  calls:
    bases:
      tool: count_bases
      when: [知识库数量, knowledge bases]
      task: {zh: 统计知识库数量, en: count the knowledge bases}
      say: {zh: "知识库数量：{{ count }}", en: "knowledge bases: {{ count }}"}
    users:
      tool: count_users
      when: [用户数量, users]
      task: {zh: 统计用户数量, en: count the users}
      say: {zh: "用户数量：{{ count }}", en: "users: {{ count }}"}
    send:
      tool: send
      when: ['/发给/', '/send/']
      after: ["*"]
      task: {zh: "把结果发给{{ values.to }}", en: "send the results to {{ values.to }}"}
      arguments:
        to: to
        text: {text: "{{ for one in given }}{{ one.text }}\\n{{ end }}"}
      say: {zh: "已发送给 {{ to }}。", en: "Sent to {{ to }}."}
  fallback: {zh: 我能统计和发送。, en: I count and send.}
"""

TOOLS = '''\
import json
from pathlib import Path

from pointsman import Risk, tool

FOLDER = Path(__file__).parent


@tool(risk=Risk.READ)
def count_bases() -> dict[str, int]:
    """Count the knowledge bases."""
    if (FOLDER / "broken").exists():
        raise OSError("the database is down")
    return {"count": 178}


@tool(risk=Risk.READ)
def count_users() -> dict[str, int]:
    """Count the users."""
    return {"count": 51}


@tool(risk=Risk.WRITE)
def send(to: str, text: str) -> dict[str, str]:
    """Send a message."""
    with (FOLDER / "sent.jsonl").open("a", encoding="utf-8") as sent:
        sent.write(json.dumps({"to": to, "text": text}, ensure_ascii=False) + "\\n")
    return {"to": to}
'''

SCENE = "统计一下知识库数量和用户数量，一起发给admin"


def write(folder: Path) -> Path:
    """The folder ``office``, written."""
    office = folder / "office"
    office.mkdir()
    (office / "agent.yaml").write_text(AGENT, encoding="utf-8")
    (office / "tools.py").write_text(TOOLS, encoding="utf-8")
    return office
