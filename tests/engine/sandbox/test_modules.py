"""What a snippet may import, and the words where it may not."""

from __future__ import annotations

import pytest

from engine.sandbox.modules import Explainer, missing
from engine.trace.environment.standard_library import IMPORTABLE


def test_a_missing_module_opens_with_pythons_words_and_says_what_there_is() -> None:
    with pytest.raises(
        ModuleNotFoundError, match=r"^No module named 'flask'\. A snippet can import torch, numpy"
    ) as error:
        Explainer.find_spec("flask")
    assert error.value.name == "flask"


def test_a_missing_part_of_torch_is_said_to_be_one() -> None:
    assert missing("torch.distributed") == (
        "No module named 'torch.distributed'. This part of torch is not played here."
    )


PROMISED = """
    math random itertools functools collections dataclasses typing re copy operator statistics decimal fractions string
    textwrap enum abc unicodedata tempfile base64 codecs ast zlib contextlib datetime io time types heapq bisect warnings
"""


@pytest.mark.parametrize("name", PROMISED.split())
def test_what_snippets_import_is_loaded_ahead(name: str) -> None:
    assert name in IMPORTABLE
