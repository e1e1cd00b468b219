"""Reminders: what they are, how they move on, and what is said of them."""
