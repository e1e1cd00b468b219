"""The native API: messages, runs, approvals, notices, reminders."""
