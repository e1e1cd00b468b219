"""Channels: what takes a message to a person or a group. Each is a ``ports.Notifier``."""
