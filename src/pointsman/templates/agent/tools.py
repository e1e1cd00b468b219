"""What the café's agent can do. Type hints and docstrings are what the model reads."""

from datetime import date

from pointsman import Risk, tool


@tool(risk=Risk.READ)
def opening_hours(day: date) -> dict[str, str]:
    """When the café is open.

    Args:
        day: The day in question.
    """
    weekend = day.weekday() >= 5
    return {"day": day.isoformat(), "opens": "09:00", "closes": "22:00" if weekend else "18:00"}


@tool(title="Book a table")  # no risk declared: a write, which the user confirms
def book_table(day: date, people: int, guest: str) -> dict[str, str | int]:
    """Book a table in the café.

    Args:
        day: The day of the visit.
        people: How many people will come.
        guest: The name that the table is booked under.
    """
    number = f"T{day:%m%d}-{people}"  # a real café would ask its booking system here
    return {"number": number, "day": day.isoformat(), "people": people, "guest": guest}
