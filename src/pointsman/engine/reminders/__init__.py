"""Reminders: kept by their owners, fired when they are due, and the tools for them."""
