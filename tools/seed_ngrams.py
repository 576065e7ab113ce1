"""Write the hashes by which the check of questions finds sentences copied from the outlines.

The outlines say what the questions are about; their sentences are not ours to copy. They are not
shipped: ``seeds.bin`` has only hashes of their runs of words, and ``syllabus.toml`` the number of
questions of each topic.

Usage: ``python tools/seed_ngrams.py FOLDER`` with the outlines as text, YAML or JSON files; the
folder has a ``syllabus.yaml``.
"""

import re
import sys
from collections import Counter
from pathlib import Path

from torchstone.bank.questions.copied import digest, fingerprints, question_key

CONTENT = Path(__file__).resolve().parent.parent / "src/torchstone/content/questions"
_ITEM = re.compile(r"^\s*(?:[-*]|\d+[.)]|zh:|- zh:)\s*(?P<words>.+)$", re.MULTILINE)
_NUMBER = re.compile(r"^\s*- id: '?(?P<topic>\d+(?:\.\d+){3})\.\d+'?\s*$", re.MULTILINE)


def main() -> None:
    """Write both files."""
    folder = Path(sys.argv[1])
    found: set[bytes] = set()
    for path in sorted(folder.iterdir()):
        if path.suffix in {".txt", ".yaml", ".json"}:
            text = path.read_text(encoding="utf-8")
            found |= fingerprints(text)
            found |= {digest(key) for each in _ITEM.findall(text) if (key := question_key(each))}
    (CONTENT / "seeds.bin").write_bytes(b"".join(sorted(found)))
    counts = Counter(_NUMBER.findall((folder / "syllabus.yaml").read_text(encoding="utf-8")))
    lines = [f'"{topic}" = {count}' for topic, count in counts.items()]
    head = "# How many questions each topic has. Written by tools/seed_ngrams.py.\n[questions]\n"
    (CONTENT / "syllabus.toml").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(found)} hashes, {len(counts)} topics, {sum(counts.values())} questions")


if __name__ == "__main__":
    main()
