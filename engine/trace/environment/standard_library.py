"""What a snippet may import of Python's own: what is harmless without files, network and processes."""

from __future__ import annotations

IMPORTABLE = (
    "__future__", "abc", "argparse", "array", "ast", "base64", "bisect", "calendar", "cmath", "codecs", "collections",
    "collections.abc", "colorsys", "configparser", "contextlib", "contextvars", "copy", "copyreg", "csv", "dataclasses", "datetime",
    "decimal", "dis", "enum", "errno", "fnmatch", "fractions", "functools", "gc", "getopt", "glob", "graphlib", "hashlib", "heapq",
    "html", "inspect", "io", "itertools", "json", "keyword", "locale", "logging", "math", "numbers", "operator", "optparse", "os",
    "os.path", "pathlib", "pickle", "platform", "pprint", "queue", "random", "re", "reprlib", "secrets", "shlex", "shutil",
    "statistics", "string", "struct", "sys", "tempfile", "textwrap", "threading", "time", "timeit", "token", "tokenize", "traceback",
    "types", "typing", "unicodedata", "unittest", "urllib", "urllib.parse", "uuid", "warnings", "weakref", "zipfile",
    "zlib",
)  # fmt: skip
"""Modules that people's snippets import and use."""

BEHIND_THE_SCENES = (
    "_strptime", "atexit", "difflib", "encodings.ascii", "encodings.idna", "encodings.latin_1", "encodings.utf_16", "linecache",
    "numpy.fft", "numpy.linalg", "numpy.polynomial", "numpy.random", "scipy.fft", "scipy.special", "tracemalloc", "unicodedata",
)  # fmt: skip
"""Modules that the above load only when a function is called, which would be too late."""
