"""What Python itself refuses: a call whose arguments do not fit, names that do not match what is taken apart, a value of another kind."""
