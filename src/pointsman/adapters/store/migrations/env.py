"""Alembic's entry: migrates over the connection that ``store.migrate`` hands in."""

from alembic import context

from pointsman.adapters.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
