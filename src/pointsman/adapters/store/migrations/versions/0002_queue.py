"""The tables of the job queue that hands out runs, in a schema of their own. PostgreSQL only."""

from importlib import metadata, resources

import sqlalchemy as sa
from alembic import op

from pointsman.errors import MissingExtra, StoreError

revision = "0002"
down_revision = "0001"

RELEASE = "3.10"
"""The releases of Procrastinate whose tables these are."""

# Its functions name its tables without the schema; so whoever calls one need not search there.
_FUNCTIONS = """
DO $$
DECLARE one regprocedure;
BEGIN
    FOR one IN SELECT oid FROM pg_proc WHERE pronamespace = 'procrastinate'::regnamespace LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = procrastinate, pg_temp', one);
    END LOOP;
END $$
"""


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    driver = connection.connection.driver_connection
    assert driver is not None
    kept = connection.execute(sa.text("SHOW search_path")).scalar()
    driver.execute("CREATE SCHEMA procrastinate; SET LOCAL search_path = procrastinate")
    driver.execute(_schema())
    driver.execute(_FUNCTIONS)
    driver.execute(f"SET LOCAL search_path = {kept}")


def _schema() -> str:
    """The SQL that the installed package carries.

    Raises:
        MissingExtra: there is none.
        StoreError: it is of a release that this one does not know.
    """
    try:
        found = metadata.version("procrastinate")
    except metadata.PackageNotFoundError:
        raise MissingExtra("PostgreSQL", "postgres") from None
    if not found.startswith(f"{RELEASE}."):
        raise StoreError(
            f"procrastinate {found} is installed, {RELEASE} is needed: "
            "pip install 'pointsman[postgres]'"
        )
    return (resources.files("procrastinate.sql") / "schema.sql").read_text(encoding="utf-8")
