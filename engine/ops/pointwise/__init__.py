"""Operators that treat every element by itself: arithmetic, functions of one number, comparisons, logic."""
