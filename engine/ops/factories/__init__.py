"""Functions that make tensors of data, of one value, or of evenly spaced numbers."""
