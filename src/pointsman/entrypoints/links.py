"""The console's addresses that the server and the command line give to people."""


def set_up(code: str) -> str:
    """Where the first administrator is made."""
    return f"/setup/{code}"


def invitation(code: str) -> str:
    """Where somebody chooses his password."""
    return f"/invite/{code}"
