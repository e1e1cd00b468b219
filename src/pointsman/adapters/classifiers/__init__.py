"""What tells the intents of a message: rules, a small local model, a chat model, a cascade.

Each module has one class that fits ``ports.Classifier``. ``examples`` needs the extra ``local``;
ask ``examples.available()`` first. Only ``learned`` and below import numpy.
"""
