"""What of a run's texts a reader has seen: nothing is shown twice, nothing left out.

Deltas come as the model writes and say nothing of their turn; the journal's whole texts come after
them, sometimes when the next turn has begun.
"""

BETWEEN = "\n\n"
"""Stands between the texts of two turns."""


class LostText(Exception):
    """What was shown is not what the model said, and cannot be taken back."""


class ShownText:
    """Decides what to show of each piece. Every method returns the text to show now."""

    def __init__(self) -> None:
        self._any = False
        self._last = ""
        self._open = ""
        """Shown, and not yet found in a whole text."""

    def piece(self, text: str) -> str:
        """A piece of the reply that is being written."""
        if not self._open:
            text = text.lstrip()
        return self._show(text)

    def void(self) -> None:
        """What was shown of this reply does not count.

        Raises:
            LostText: somebody has read it.
        """
        if self._open:
            raise LostText

    def turn(self, text: str) -> str:
        """The whole text of a turn.

        Raises:
            LostText: pieces of it are missing among what was shown.
        """
        text = self._last = text.strip()
        if not text:
            return ""
        _, found, after = self._open.partition(text)
        if found:
            self._open = after.lstrip()
            return ""
        if not text.startswith(self._open):
            raise LostText
        rest = self._show(text[len(self._open) :])
        self._open = ""
        return rest

    def end(self, text: str) -> str:
        """The text that the run rests with: that of the last turn, or one that the engine made."""
        self._open = ""
        return "" if text.strip() == self._last else self._show(text)

    def _show(self, text: str) -> str:
        if not text:
            return ""
        joint = BETWEEN if self._any and not self._open else ""
        self._open, self._any = self._open + text, True
        return joint + text
