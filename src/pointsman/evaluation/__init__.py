"""Evaluation: conversations with what is expected of them, run through the engine and graded (R13).

``suites`` reads cases from files, ``runner`` carries them through ``engine.service`` like any
user's messages, ``observed`` reads what happened from the journal, ``graders`` compare, ``metrics``
add up, ``results`` keeps them in a file, ``report``, ``junit`` and ``page`` show them.
``calibration`` fits the intents' thresholds, ``recording`` makes a case of a journaled run.
Above: the command line. Nothing here decides what an agent does.
"""
