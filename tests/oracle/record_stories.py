"""Asks real PyTorch how each story in ``tests/oracle/stories`` goes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
import torch.utils.checkpoint

from tests.oracle.telling import THEMES, all_stories, tell


def main(target: str) -> None:
    torch.set_num_threads(1)
    told = {theme: {name: tell(story, torch) for name, story in all_stories(theme)} for theme in THEMES}
    Path(target).write_text(json.dumps(told, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
