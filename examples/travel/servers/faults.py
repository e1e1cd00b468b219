"""What goes wrong in a way that the caller can understand.

A fault's text reaches the model, and often the user, so it says in Chinese and in English what was
wrong and what would work. It never holds a key or a URL.
"""


class TravelFault(Exception):
    """A request that cannot be met: one sentence in each language."""

    def __init__(self, zh: str, en: str) -> None:
        self.zh, self.en = zh, en
        super().__init__(f"{zh}\n{en}")
