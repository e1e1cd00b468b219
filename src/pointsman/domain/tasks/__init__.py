"""Requests that are split into tasks: plans, what becomes of each task, and the words for it."""
