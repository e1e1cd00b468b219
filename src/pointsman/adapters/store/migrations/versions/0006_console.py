"""What the console reads beside the journal."""

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Nothing yet."""
