"""Calls that wait for people: what is asked, and what they decide."""
