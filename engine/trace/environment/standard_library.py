"""What a snippet may import of Python's own: what is harmless without files, network and processes."""

from __future__ import annotations

IMPORTABLE = (
    "__future__", "abc", "argparse", "array", "bisect", "calendar", "cmath", "collections", "collections.abc",
    "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "gc", "glob",
    "hashlib", "heapq", "inspect", "io", "itertools", "json", "logging", "math", "numbers", "operator", "os", "os.path",
    "pathlib", "pickle", "pprint", "queue", "random", "re", "shutil", "statistics", "string", "struct", "sys",
    "textwrap", "threading", "time", "timeit", "traceback", "types", "typing", "unittest", "uuid", "warnings",
    "weakref",
)  # fmt: skip
"""Modules that people's snippets import and use."""

BEHIND_THE_SCENES = (
    "_strptime", "atexit", "difflib", "encodings.ascii", "encodings.idna", "encodings.latin_1", "encodings.utf_16", "linecache",
    "numpy.fft", "numpy.linalg", "numpy.polynomial", "numpy.random", "scipy.fft", "scipy.special", "tracemalloc", "unicodedata",
)  # fmt: skip
"""Modules that the above load only when a function is called, which would be too late."""
