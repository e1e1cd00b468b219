"""What the engine commits, as figures for Prometheus and as traces and metrics of OpenTelemetry.

Both are observers (``engine.observing``): they read the events that the journal holds anyway, after
the fact, so that nothing is counted that did not happen and no stage knows of being watched.
"""
