"""Products of matrices and vectors, and what they refuse."""
