"""Asks real PyTorch how each story in ``tests/oracle/stories`` goes: ``python -m tests.oracle.record_stories``."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.oracle.telling import THEMES, all_stories, tell

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def main() -> None:
    torch.set_num_threads(1)
    for theme in THEMES:
        told = {name: tell(story, torch) for name, story in all_stories(theme)}
        path = GOLDEN / "stories" / f"{theme}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(told, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
