"""The key that signs what is left of removed runs, and heads of the journal."""

import os

KEY = "POINTSMAN_AUDIT_KEY"
"""The variable with the key; it must not lie beside the database."""


def audit_key() -> bytes:
    """The key; empty when it is not set."""
    return os.environ.get(KEY, "").strip().encode()
