"""Write the handbook page on the proof of the bank from the records beside the problems.

Usage: ``python tools/bank_doc.py``; ``--check`` compares and writes nothing. The records are what
``torchstone bank check --record`` wrote into ``proof.toml`` of each problem.
"""

import argparse
import sys
from pathlib import Path

from torchstone.bank import load_bank
from torchstone.bank.problem import Problem
from torchstone.bank.proof_record import ProofRecord, read_record
from torchstone.core.i18n import LANGS, Lang

HANDBOOK = Path(__file__).resolve().parent.parent / "docs" / "handbook"

WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "title": "The proof of the bank",
        "intro": (
            "`torchstone bank check --record` proves a problem and writes what it proved to "
            "`proof.toml` in the folder of the problem. `tools/bank_doc.py` writes this page from "
            "these files."
        ),
        "read": (
            "Right answers are the model solution and solutions in other styles. Wrong answers "
            "are the named misconceptions. *Seeds* are the fresh seeds for each right answer, and "
            "for each wrong one and each cheat. *Mutants* are "
            "right answers that were changed by rule. *Refused* is the share of them that are "
            "refused. The other mutants are right programs, and `survivors.toml` of the problem "
            "gives the reasons. *Right reaches* is the largest error of the model solution as a "
            "share of the tolerance, outside half precision. *Rounded reaches* is the same "
            "share for the exact result rounded to the next lower precision. It must be far "
            "above 1. The times are those of the machine that proved the problem."
        ),
        "head": (
            "| problem | proven | right | wrong | cheats | seeds | mutants | refused "
            "| right reaches | rounded reaches | median ms |"
        ),
        "kills": "The verdict of each wrong answer",
        "kill_head": "| problem | wrong answer | verdict |",
    },
    "zh": {
        "title": "题库的证明",
        "intro": (
            "`torchstone bank check --record` 证明一道题，并把证明的内容写进该题目录的 "
            "`proof.toml`；`tools/bank_doc.py` 根据这些文件写出本页。"
        ),
        "read": (
            "“正确”指参考答案与其他写法，“错误”指各个有名字的误解；“种子”是每个正确答案、"
            "每个错误答案与作弊程序各用了多少个新抽取的种子。“被拒”统计按规则生成的变异体；"
            "没有被拒的都是正确的程序，"
            "题目旁的 `survivors.toml` 写明了理由。“正确答案达到”是参考答案的最大误差占容差的比例"
            "（半精度除外）；“降精度达到”是把真值舍入到低一级精度之后的同一比例，必须远大于 1。"
            "时间取自证明该题的机器。"
        ),
        "head": (
            "| 题目 | 证明于 | 正确 | 错误 | 作弊 | 种子 | 变异 | 被拒 | 正确答案达到 "
            "| 降精度达到 | 中位毫秒 |"
        ),
        "kills": "每个错误答案的判定",
        "kill_head": "| 题目 | 错误答案 | 判定 |",
    },
}


def main() -> int:
    """Write both pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare and write nothing")
    given = parser.parse_args()
    records = [(problem, read_record(problem.path)) for problem in load_bank(is_whole=False).judged]
    recorded = [(problem, record) for problem, record in records if record is not None]
    for lang in LANGS:
        path = HANDBOOK / lang / "bank.md"
        text = page(recorded, lang)
        if not given.check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            sys.stderr.write(f"{path.name} ({lang}) is old; run: python tools/bank_doc.py\n")
            return 1
    return 0


def page(recorded: list[tuple[Problem, ProofRecord]], lang: Lang) -> str:
    """Return the page in one language."""
    words = WORDS[lang]
    lines = [f"# {words['title']}", "", words["intro"], "", words["read"], ""]
    lines += [words["head"], "|---|" + "---:|" * 10]
    lines += [row(problem, record, lang) for problem, record in recorded]
    lines += ["", f"## {words['kills']}", "", words["kill_head"], "|---|---|---|"]
    lines += [
        f"| {problem.id} | `{name.partition('/')[2]}` | {verdict} |"
        for problem, record in recorded
        for name, verdict in record.kills.items()
        if name.startswith("wrong/")
    ]
    return "\n".join([*lines, ""])


def row(problem: Problem, record: ProofRecord, lang: Lang) -> str:
    """Return the line of one problem."""
    good, rounded, mutants = record.good_ratio, record.lowprec_ratio, record.mutants
    cells = [
        f"{problem.id} {problem.title.said_in(lang)}",
        record.date,
        str(record.right),
        str(record.wrong),
        str(record.cheats),
        f"{record.good_seeds}, {record.other_seeds}",
        str(mutants),
        f"{record.mutants_killed / mutants:.1%}" if mutants else "–",
        "–" if good is None else f"{good:.2f}",
        "–" if rounded is None else "∞" if rounded == float("inf") else f"{rounded:.3g}",
        "–" if record.median_ms is None else f"{record.median_ms:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
