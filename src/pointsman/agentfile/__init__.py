"""``agent.yaml`` → ``AgentFile``: a whole agent, or every fault with its file, line and a hint.

Above: ``bootstrap``, which wires what is declared here, and ``pointsman doctor``. Inside: ``text``
(YAML and lines), ``shape`` (keys and types), ``checks`` (what a shape cannot say), ``loading``.
Nothing is imported, started or fetched: loading an agent file runs no code of the agent.
"""

from pointsman.agentfile.loading import (
    FILE_NAME,
    SCHEMA_NAME,
    AgentFile,
    BuiltInTool,
    HttpApi,
    McpServer,
    PythonTool,
    SqlDatabase,
    ToolDeclaration,
    ToolOverrides,
    json_schema,
    language,
    load,
    template,
)

__all__ = [
    "FILE_NAME",
    "SCHEMA_NAME",
    "AgentFile",
    "BuiltInTool",
    "HttpApi",
    "McpServer",
    "PythonTool",
    "SqlDatabase",
    "ToolDeclaration",
    "ToolOverrides",
    "json_schema",
    "language",
    "load",
    "template",
]
