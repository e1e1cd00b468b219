"""Numbers from databases: queries that may run, their tables, and charts."""
