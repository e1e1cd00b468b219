"""Kinds of values, and how texts say them."""
