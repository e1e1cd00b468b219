"""Repeating times: rules, cron lines, the lunar calendar, working days."""
