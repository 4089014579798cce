"""Lessons: a snippet, prose around it, notes anchored to its source text, and questions. One TOML file each."""
