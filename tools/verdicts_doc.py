"""Write the handbook's pages of verdicts from the one list in ``core/verdict.py``.

The program has the codes, their order, the exit codes and what can be replayed. This file has only
the sentences; a code without a sentence is an error. A test compares the pages with the output.

Usage: ``python tools/verdicts_doc.py [--check]``
"""

import argparse
import sys
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from torchstone.core.i18n import LANGS, Lang
from torchstone.core.verdict import Aspect, ExitCode, State, Verdict

ROOT = Path(__file__).resolve().parent.parent
HANDBOOK = ROOT / "docs" / "handbook"
MODULES = ROOT / "src" / "torchstone" / "judge" / "native" / "modules.toml"
Said = tuple[str, str]

VERDICTS: Mapping[Verdict, Said] = {
    Verdict.IE: (
        "The judge itself failed, the job was interrupted twice, or the machine was too busy to "
        "judge it. It says nothing about the submission.",
        "评测机自身出错、任务两次被中断，或机器过于繁忙而无法评测。与提交的代码无关。",
    ),
    Verdict.CE: (
        "The file has a syntax error or does not define the names of the interface. It does not "
        "count as a try.",
        "文件有语法错误，或没有定义接口要求的名字；不算一次尝试。",
    ),
    Verdict.FORBIDDEN_OP: (
        "The submission reached a banned operator, function, module or interpreter event. The "
        "report names it and the line.",
        "触发了被禁用的算子、函数、模块或解释器事件；报告会指出名称和行号。",
    ),
    Verdict.OOB: ("A kernel read or wrote outside its arrays.", "核函数读写越界。"),
    Verdict.RACE: (
        "Threads of a kernel raced, or did not meet at their barrier.",
        "核函数的线程之间存在竞争，或没有在同一个屏障会合。",
    ),
    Verdict.UNINIT: (
        "A kernel used memory that had never been written.",
        "核函数使用了从未写过的内存。",
    ),
    Verdict.MLE: (
        "The process ended at its memory limit, or Python or torch raised an out-of-memory error.",
        "进程因触及内存上限而终止，或 Python、torch 因内存不足抛出异常。",
    ),
    Verdict.TLE: (
        "The submission used more CPU time than the problem allows, over all cases. Time in which "
        "it waits for a processor does not count.",
        "全部用例合计，程序使用的 CPU 时间超过题目上限。等待处理器空闲的时间不计入。",
    ),
    Verdict.OLE: (
        "The submission wrote more to standard output and error than the problem allows.",
        "标准输出与标准错误的总量超过题目上限。",
    ),
    Verdict.HUNG: (
        "The submission waits and does nothing: it sleeps, it blocks, or its threads, the threads "
        "of a kernel or the ranks of a job wait for each other. An idle submission is judged a "
        "second time before it gets this verdict.",
        "程序一直等待而不工作：休眠、阻塞，或者它的线程、核函数的线程、任务的各个 rank 互相等待。"
        "空闲的程序会再评测一次，之后才得到这个结果。",
    ),
    Verdict.RTE: (
        "The submission raised an unexpected exception, the process ended, or it sent an invalid "
        "answer.",
        "抛出了不该出现的异常、进程提前退出，或返回的内容不是合法答案。",
    ),
    Verdict.INPUT_MUTATED: (
        "A byte of an argument's storage changed during the call, the backward pass or the second "
        "call.",
        "某个参数的存储在调用、反向传播或第二次调用期间发生了变化。",
    ),
    Verdict.WA: (
        "The answer is wrong. The aspect names the wrong part.",
        "答案错误；方面（aspect）指出错在哪里。",
    ),
    Verdict.SLOW: (
        "The answer is right, but it took more work than the problem allows. The work is a count, "
        "never a time.",
        "结果正确，但做的工作超过题目允许的上限；依据是计数，从不是时间。",
    ),
    Verdict.AC: ("Accepted: every case of every group is right.", "通过：所有组的所有用例都正确。"),
}
ASPECTS: Mapping[Aspect, Said] = {
    Aspect.VALUE: (
        "an element lies outside its tolerance, or NaN and infinities are in other places",
        "有元素超出容差，或 NaN、无穷的位置不符",
    ),
    Aspect.GRAD: (
        "the same for a gradient, or for a gradient of a gradient",
        "梯度或二阶梯度出现同样的问题",
    ),
    Aspect.SHAPE: ("a result or a parameter has another shape", "结果或参数的形状不符"),
    Aspect.DTYPE: ("a result has another dtype", "结果的 dtype 不符"),
    Aspect.PROPERTY: (
        "a required property does not hold: the type of the result, aliasing, an expected "
        "exception, global state, a fact that the problem's probe asks for",
        "某条性质不成立：返回类型、内存共享、应抛出的异常、全局状态，或题目 probe 查验的事实",
    ),
    Aspect.DETERMINISM: (
        "a second call on the same input returns different bits",
        "用同样的输入再次调用，结果不再逐位相同",
    ),
}
STATES: Mapping[State, Said] = {
    State.QUEUED: ("stored, waiting for a slot", "已入库，等待空闲的槽位"),
    State.RUNNING: ("claimed by the host", "已被 host 领取"),
    State.CANCELLED: ("given up by the learner", "由用户取消"),
    State.INTERRUPTED: (
        "a process of the judge ended, or the submission was idle for too long; it runs again",
        "评测机的进程中途退出，或程序空闲过久；任务会重新运行",
    ),
    State.DONE: ("has its one verdict", "已有唯一的判定"),
}
EXITS: Mapping[ExitCode, Said] = {
    ExitCode.ACCEPTED: ("accepted, or the command did what was asked", "通过，或命令正常完成"),
    ExitCode.NOT_ACCEPTED: ("not accepted", "未通过"),
    ExitCode.MISUSE: ("the command was misused", "命令使用有误"),
    ExitCode.OUR_FAULT: ("a fault of Torchstone, including `IE`", "Torchstone 自身出错，包括 `IE`"),
}
INTRO: Said = (
    "# Verdicts\n\n"
    "`tools/verdicts_doc.py` writes this page from `src/torchstone/core/verdict.py`. The codes\n"
    "are public interface: reports, receipts, JSON output and exit codes use them.\n\n"
    "## Codes, worst first\n\n"
    "The order is the precedence *inside one group of cases*: the earliest of several outcomes\n"
    "wins. Across groups, the first failing group decides, because sizes grow and the first\n"
    "failure is the simplest one. Only {overriding} override this rule. Codes that\n"
    "depend on the clock, on load or on the machine cannot be replayed from a receipt. A code can\n"
    "be shrunk if the answer to a case shows it. The judge then searches for the smallest failing\n"
    "case.\n",
    "# 判定\n\n"
    "本页由 `tools/verdicts_doc.py` 根据 `src/torchstone/core/verdict.py` 生成。"
    "这些代码是公开接口：报告、收据、JSON 输出和退出码都使用它们。\n\n"
    "## 代码（从最严重到通过）\n\n"
    "表中的顺序是**同一组用例内部**的优先级：同时出现多种结果时取靠前者。"
    "组与组之间，由第一个失败的组决定结果：规模逐组增大，最先失败的往往最简单；"
    "只有 {overriding} 可以越过这条规则。依赖时钟、负载或机器的代码无法凭收据重放。"
    "从用例的答案就能看出的结果可以缩小：评测机会寻找最小的失败用例。\n",
)
HEADERS: Mapping[str, Said] = {
    "codes": (
        "| code | meaning | exit code | replayable | can be shrunk |",
        "| 代码 | 含义 | 退出码 | 可重放 | 可缩小 |",
    ),
    "aspects": ("| aspect | what is wrong |", "| 方面 | 错在哪里 |"),
    "states": ("| state | meaning |", "| 状态 | 含义 |"),
    "exits": ("| exit code | meaning |", "| 退出码 | 含义 |"),
}
SECTIONS: Mapping[str, Said] = {
    "bans": (
        "## `FORBIDDEN_OP`\n\nA ban ends the process of the submission: it raises no exception, "
        "and `try` does not catch it. A problem\nin Python that bans operators or functions has "
        "two more rules:\n\n"
        "- The submission cannot enter a mode of PyTorch (`TorchFunctionMode`, "
        "`TorchDispatchMode`): a mode sees what\n  PyTorch does on its own. The report names the "
        "function that enters the mode, such as\n  `torch._C._push_on_torch_function_stack`. "
        "`torch.set_default_device` enters one, too. Where a "
        "problem asks for mixed\n  precision, a function mode is allowed.\n"
        "- It can import only the modules below and what they contain, `numpy` only if the problem "
        "does not ban\n  it. For another module the report says `import` and its name.\n",
        "## `FORBIDDEN_OP`\n\n触犯禁令会直接结束程序的进程：不抛出异常，`try` 也捕获不到。"
        "用 Python 作答、且禁用了算子或函数的题目还有两条规则：\n\n"
        "- 不能进入 PyTorch 的模式（`TorchFunctionMode`、`TorchDispatchMode`）："
        "模式看得到 PyTorch 自己做的事。报告的名称是进入模式的函数，"
        "例如 `torch._C._push_on_torch_function_stack`。"
        "`torch.set_default_device` 也会进入一个模式。"
        "要求自己写混合精度的题目允许函数模式。\n"
        "- 只能导入下列模块及其中的内容；题目禁用了 `numpy` 时，它也不能导入。"
        "导入其他模块时，报告的名称是 `import` 加模块名。\n",
    ),
    "aspects": (
        "## Aspects of `WA`\n\nThe order is the precedence inside one case: if several things are "
        "wrong, the report\nnames the earliest.\n",
        "## `WA` 的方面\n\n表中的顺序是同一个用例内部的优先级：同时有几处错误时，"
        "报告靠前的一处。\n",
    ),
    "states": (
        "## States of a job\n\nA state is not a verdict.\n",
        "## 任务的状态\n\n状态不是判定。\n",
    ),
    "exits": ("## Exit codes of commands\n", "## 命令的退出码\n"),
}


def write_page(lang: Lang) -> str:
    """Return the page in one language."""
    side = LANGS.index(lang)
    overriding = (", ", "、")[side].join(f"`{code}`" for code in Verdict if code.is_overriding)
    page = [INTRO[side].format(overriding=overriding), *_table("codes", _codes(side), side)]
    page += ["", SECTIONS["bans"][side], *_modules(side)]
    for name, rows in (
        ("aspects", [(f"`{each}`", ASPECTS[each][side]) for each in Aspect]),
        ("states", [(f"`{each}`", STATES[each][side]) for each in State]),
        ("exits", [(f"{int(each)}", EXITS[each][side]) for each in ExitCode]),
    ):
        page += ["", SECTIONS[name][side], *_table(name, rows, side)]
    return "\n".join(page) + "\n"


def _codes(side: int) -> list[tuple[str, ...]]:
    yes, no = (("yes", "no"), ("是", "否"))[side]
    return [
        (
            f"`{each}`",
            VERDICTS[each][side],
            str(int(each.exit_code)),
            yes if each.is_replayable else no,
            yes if each.can_be_shrunk else no,
        )
        for each in Verdict
    ]


def _modules(side: int) -> list[str]:
    table = tomllib.loads(MODULES.read_text(encoding="utf-8"))
    # The judge itself makes the module `submission`.
    names = [f"`{name}`" for name in table["importable"] if name != "submission"]
    comma, stop = ((", ", "."), ("、", "。"))[side]
    if side:
        return [comma.join(names) + stop]
    return textwrap.wrap(comma.join(names) + stop, 120, break_long_words=False)


def _table(name: str, rows: Sequence[tuple[str, ...]], side: int) -> list[str]:
    header = HEADERS[name][side]
    rule = "|" + "---|" * (header.count("|") - 1)
    return [header, rule, *(f"| {' | '.join(row)} |" for row in rows)]


def main(argv: list[str] | None = None) -> int:
    """Write the pages; with ``--check`` print which of them are out of date."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 on a difference"
    )
    options = parser.parse_args(argv)
    stale = []
    for lang in LANGS:
        path, page = HANDBOOK / lang / "verdicts.md", write_page(lang)
        if not path.is_file() or path.read_text(encoding="utf-8") != page:
            stale.append(path)
            if not options.check:
                path.write_text(page, encoding="utf-8")
    for path in stale:
        print(f"{'out of date' if options.check else 'written'}: {path.relative_to(HANDBOOK)}")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
