"""Runs under fire: real processes that are killed, stopped and cut off from their database while
they carry runs whose side effects are counted outside of them."""
