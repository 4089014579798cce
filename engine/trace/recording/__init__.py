"""Listening to the engine: its reports become steps."""
