"""Messages to people: channels, letters, and what becomes of each delivery."""
