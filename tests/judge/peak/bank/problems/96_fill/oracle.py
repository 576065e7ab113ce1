"""The sum, and the memory that it may take: one block at a time, however many there are."""

from torchstone.judge.kit import COUNT, Exact, Holds

MIB = 1 << 20
WORDS = {"en": "at most {0} MiB at once", "zh": "同时至多 {0} MiB"}


def at_most(mib):
    words = {lang: text.format(mib) for lang, text in WORDS.items()}
    return Holds(lambda num_bytes: num_bytes <= mib * MIB, words, takes=COUNT)


def expect(case):
    found = {}
    for number, count in enumerate(case.secret["counts"]):
        prefix = f"{number}:" if number else ""
        found[f"{prefix}sum"] = Exact(count * MIB)
        if case.secret["alone"]:
            found[f"{prefix}peak.rise"] = at_most(count // 16)
            if not case.steps[number].data.get("stays"):
                found[f"{prefix}peak.bytes"] = at_most(24 + count // 8)
    return found
