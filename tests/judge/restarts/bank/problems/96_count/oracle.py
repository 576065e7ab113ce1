"""Which steps every run of the counter makes."""

from torchstone.judge.kit import Exact, Holds

STEPS = {
    "plain": [[0, 1, 2, 3], [], [4, 5]],
    "kill": [[0, 1, 2], [2, 3], [], [3]],
    "damage": [[0, 1, 2, 3], [3], [0, 1, 2, 3]],
    "full": [[0, 1], [2], [2, 3]],
    "moved": [[0, 1], [2, 3]],
}
ENDED = {
    "plain": ["answered"] * 3,
    "kill": ["killed"] * 3 + ["answered"],
    "save": ["killed"] * 2 + ["answered"],
}
WORDS = {"en": "what was expected", "zh": "符合预期的值"}


def steps(events):
    return [event[1] for event in events if event[0] == "step"]


def told(number, wanted):
    words = dict(WORDS)

    def is_right(events):
        came = steps(events)
        if came == wanted:
            return True
        first = came[0] if came else "none"
        words.update(
            en=f"start {number} began with step {first}: {came}, after {len(came) / 3:.3f} s",
            zh=f"第 {number} 次启动从第 {first} 步开始：{came}",
        )
        return False

    return Holds(is_right, words, is_fault_in_words=True)


def expect(case):
    group = case.secret["group"]
    found = {}
    for number, wanted in enumerate(STEPS.get(group, ())):
        found[f"run{number}:events"] = told(number, wanted)
    for number, wanted in enumerate(ENDED.get(group, ())):
        found[f"run{number}:ended"] = Exact(wanted)
        found[f"run{number}:outside"] = Exact([])
    if group == "save":
        found["run2:value"] = Exact(400)
    if group == "full":
        found["run1:error"] = Exact("OSError")
    if group == "moved":
        names = ["ckpt_003", "ckpt_004", "notes.txt"]
        found["run1:files"] = Holds(lambda x: [each[0] for each in x] == names, WORDS)
    return found
