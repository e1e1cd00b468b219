"""The arguments of a call, out of the text that a model wrote."""
