"""The record of runs: told, explained, compared, counted, and what is kept of it."""
