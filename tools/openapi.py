"""Write the contract between server and page: the OpenAPI document, which gives the page its types.

Usage: ``python tools/openapi.py``, then ``npm run api`` in ``frontend/``.
"""

import asyncio
import json
import sys
from pathlib import Path

from torchstone.app.home import Home
from torchstone.web.application import build_api
from torchstone.web.judge_status import JudgeStatus

ROOT = Path(__file__).resolve().parent.parent
CONTRACT = Path("frontend/openapi.json")


def contract() -> str:
    """Return the text of the document."""
    home = Home()
    document = build_api(home, JudgeStatus(home), asyncio.Event()).openapi()
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def main() -> int:
    """Write the document; with ``--check`` only report whether it is up to date."""
    if "--check" in sys.argv[1:]:
        is_stale = (ROOT / CONTRACT).read_text(encoding="utf-8") != contract()
        if is_stale:
            print(f"{CONTRACT} is out of date", file=sys.stderr)
        return int(is_stale)
    (ROOT / CONTRACT).write_text(contract(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
