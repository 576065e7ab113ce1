"""Write the handbook page on the proof of the bank from the JSON of `torchstone bank check`.

Usage: ``torchstone bank check --json > proof.json``, then
``python tools/bank_doc.py proof.json "machine and date" "the same in Chinese"``. The page keeps its
lines and notes on problems that are not in the JSON.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torchstone.bank import load_bank
from torchstone.bank.problem import Problem
from torchstone.core.i18n import LANGS, Lang

HANDBOOK = Path(__file__).resolve().parent.parent / "docs" / "handbook"

WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "title": "The proof of the bank",
        "intro": "`tools/bank_doc.py` writes this page from `torchstone bank check --json`:",
        "read": (
            "Right answers are the model solution and solutions in other styles. Wrong answers "
            "are the named misconceptions. Each is judged under fresh seeds. *Mutants* are "
            "right answers that were changed by rule. *Refused* is the share of them that are "
            "refused. The other mutants are right programs, and `survivors.toml` of the problem "
            "gives the reasons. *Right reaches* is the largest error of the model solution as a "
            "share of the tolerance, outside half precision. *Rounded reaches* is the same "
            "share for the exact result rounded to the next lower precision. It must be far "
            "above 1."
        ),
        "head": (
            "| problem | right | wrong | cheats | mutants | refused | right reaches "
            "| rounded reaches | median ms |"
        ),
        "kills": "The verdict of each wrong answer",
        "kill_head": "| problem | wrong answer | verdict |",
    },
    "zh": {
        "title": "题库的证明",
        "intro": "由 `tools/bank_doc.py` 根据 `torchstone bank check --json` 的输出写成：",
        "read": (
            "“正确”指标准解答与其他写法，“错误”指各个有名字的误解，都用新抽取的种子评测。"
            "“被拒”统计按规则生成的变异程序；没有被拒的都是正确的程序，"
            "题目旁的 `survivors.toml` 写明了理由。“正确解达到”是标准解答的最大误差占容差的比例"
            "（半精度除外）；“降精度达到”是把真值舍入到低一级精度之后的同一比例，必须远大于 1。"
        ),
        "head": (
            "| 题目 | 正确 | 错误 | 作弊 | 变异 | 被拒 | 正确解达到 | 降精度达到 | 中位毫秒 |"
        ),
        "kills": "每个错误答案的判定",
        "kill_head": "| 题目 | 错误答案 | 判定 |",
    },
}


def main() -> int:
    """Write both pages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("proof", type=Path, help="what bank check --json wrote")
    parser.add_argument("notes", nargs=len(LANGS), help="a note on the run in each language")
    given = parser.parse_args()
    proof = json.loads(given.proof.read_text(encoding="utf-8"))
    for lang, note in zip(LANGS, given.notes, strict=True):
        path = HANDBOOK / lang / "bank.md"
        old = path.read_text(encoding="utf-8") if path.is_file() else ""
        path.write_text(page(proof, lang, note, old), encoding="utf-8")
    return 0


def page(proof: dict[str, Any], lang: Lang, note: str, old: str) -> str:
    """Return the page in one language; keep the old lines on other problems."""
    words, bank = WORDS[lang], load_bank()
    proven = [entry["id"] for entry in proof["problems"]]
    kept = _kept(old, proven)
    rows = kept["rows"] + [row(entry, bank.get(entry["id"]), lang) for entry in proof["problems"]]
    kills = kept["kills"] + [
        f"| {entry['id']} | `{variant.partition('/')[2]}` | {', '.join(dict.fromkeys(kills))} |"
        for entry in proof["problems"]
        for variant, kills in entry["kills"].items()
        if variant.startswith("wrong/")
    ]
    notes = [*kept["notes"], f"- {', '.join(proven)}: {note}"]
    lines = [f"# {words['title']}", "", words["intro"], "", *notes, "", words["read"], ""]
    lines += [words["head"], "|---|" + "---:|" * 8, *sorted(rows)]
    lines += ["", f"## {words['kills']}", "", words["kill_head"], "|---|---|---|", *sorted(kills)]
    return "\n".join([*lines, ""])


def _kept(old: str, proven: Sequence[str]) -> dict[str, list[str]]:
    """Return the old page's lines on problems that are not in this proof."""
    kept: dict[str, list[str]] = {"rows": [], "kills": [], "notes": []}
    for line in old.splitlines():
        if (found := re.match(r"\| (\d\d(?:op)?) (\|?)", line)) and found[1] not in proven:
            kept["kills" if found[2] else "rows"].append(line)
        elif found := re.match(r"- ((?:\d\d(?:op)?, )*\d\d(?:op)?): (.*)", line):
            left = [each for each in found[1].split(", ") if each not in proven]
            kept["notes"] += [f"- {', '.join(left)}: {found[2]}"] if left else []
    return kept


def row(entry: dict[str, Any], problem: Problem, lang: Lang) -> str:
    """Return the line of one problem."""
    score, good, rounded = (entry[key] for key in ("mutation_score", "good_ratio", "lowprec_ratio"))
    cells = [
        f"{problem.id} {problem.title.said_in(lang)}",
        str(1 + len(problem.good)),
        str(len(problem.wrong)),
        str(len(problem.cheats)),
        str(entry["rule_mutants"]),
        "–" if score is None else f"{score:.1%}",
        "–" if good is None else f"{good:.2f}",
        "–" if rounded is None else "∞" if rounded == float("inf") else f"{rounded:.3g}",
        "–" if entry["median_ms"] is None else f"{entry['median_ms']:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
