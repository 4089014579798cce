"""Mistakes that raise no error, each kind in a file of its own; they are said unasked.

Most are a `watcher.Watcher` that follows the replay; some can be told only at the end of the run.
"""
