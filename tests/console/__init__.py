"""Tests of the web console in a real browser, against real servers."""
