"""The squares, and what the leader counts before, meanwhile and afterwards."""

from torchstone.judge.kit import Exact, Holds


def expect(case):
    workers = case.secret["workers"]

    def right(counts):
        if [row[0] for row in counts] != ["first", "before", "during", "after"]:
            return False
        _, before, during, after = (row[1:] for row in counts)
        # The last two are threads, and descriptors of the program.
        is_clean = all(row[:4] == [0] * 4 for row in (before, after))
        return during[:3] == [workers, 0, 0] and is_clean and after[4] <= before[4]

    wanted = f"{workers} workers in between, and nothing that is left"
    return {
        "out": Exact([item * item for item in case.secret["items"]]),
        "counts": Holds(right, {"en": wanted, "zh": wanted}),
    }
