"""Schemas of tools: made, read, checked, and fitted to what providers accept."""
