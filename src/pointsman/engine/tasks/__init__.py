"""Tasks of a request: planned, carried out in runs of their own, and brought together."""
