"""An approval as JSON values, the same for the HTTP API and for ``--json``."""

from typing import Any

import msgspec

from pointsman.domain.approval_texts import for_user
from pointsman.engine.approvals.asked import Asked


def shape(asked: Asked) -> dict[str, Any]:
    """The approval, the call that it is about, and why.

    ``by`` is ``user`` for who asked, else the role that may approve; ``why`` are the user's words;
    ``sources`` say where each value came from, by its path; ``may`` is what the reader may decide;
    ``text`` tells who asked how it stands, in the run's language. Instants are ISO 8601, in UTC.
    """
    run, call, approval = asked.run, asked.call, asked.approval
    shaped: dict[str, Any] = msgspec.to_builtins(
        {
            "approval": approval.id,
            "run": run.id,
            "conversation": run.conversation,
            "agent": run.agent,
            "call": call.key,
            "tool": call.tool,
            "risk": call.risk,
            "arguments": call.arguments,
            "sources": asked.sources,
            "tainted": call.tainted,
            "rule": call.rule,
            "by": approval.by,
            "requester": approval.requester,
            "why": run.input,
            "question": approval.question,
            "asked": approval.asked,
            "expires": approval.expires,
            "state": approval.state,
            "decided_by": approval.decided_by,
            "decided_at": approval.decided_at,
            "reason": approval.reason,
            "edited_from": approval.edited_from,
            "replaced_by": approval.replaced_by,
            "edits": [
                {
                    "at": edit.at,
                    "by": edit.editor,
                    "changed": edit.changed,
                    "former": edit.former,
                    "reason": edit.reason,
                }
                for edit in asked.edits
            ],
            "refused": [
                {"at": one.at, "by": one.by, "wanted": one.wanted, "kind": one.kind}
                for one in asked.refused
            ],
            "may": asked.may,
            "text": for_user(approval, call.tool, run.language),
        }
    )
    return shaped
