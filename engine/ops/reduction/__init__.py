"""Operators that make fewer elements of many, or put them in order: sums, extremes, norms, sorting, counting."""
