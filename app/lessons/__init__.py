"""Lessons: a snippet, prose around it, notes anchored to its source text, and questions. One TOML file each.

``contents.toml`` lists them by topic. To write one, copy a file and read the docstrings of `app.lessons.lesson` (what
a file may hold) and `app.lessons.prose` (how a number in the text becomes a claim that the tests check). Then ask real
PyTorch what it says to the claims (``make record``) and run ``pytest tests/app/lessons``.
"""
