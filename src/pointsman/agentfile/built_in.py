"""The tools that an agent file may name as ``builtin``; ``bootstrap`` makes them."""

BUILT_IN = (
    "Global_Decomposition",
    "System_Notify",
    "RemindAdd",
    "RemindList",
    "RemindChange",
    "RemindSnooze",
    "RemindCancel",
)
