"""The record: searched, verified, replayed, counted, and removed when it is old."""
