"""Operators that arrange elements anew and leave their values alone: views, joins, copies, and moves in the graph."""
