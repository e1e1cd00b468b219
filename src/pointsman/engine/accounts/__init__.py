"""Accounts: users, signing in, links, API tokens, and who has which role."""
