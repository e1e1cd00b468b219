"""Users, signing in, and tokens."""
