"""Notifications: whom they reach, by which channels, and the inboxes."""
