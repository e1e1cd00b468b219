"""Parts of ``bootstrap``: what it wires, by subject."""
