"""What Backplay costs beside what it is measured against: ``make bench`` prints every ratio of one run.

The machine may be busy: both sides of a ratio take turns, so that they see the same load, and figures are compared
within one run only. Nothing here is a test: a test that can fail because of the weather is none.
"""
