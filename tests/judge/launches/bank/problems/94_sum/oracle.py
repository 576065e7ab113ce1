"""Say what each launch must leave."""

from torchstone.judge.kit import COUNT, Exact, Holds

FAILS = {"en": "an exit code other than 0", "zh": "非 0 的退出码"}
TRAFFIC = {"en": "bytes between the ranks", "zh": "rank 之间有字节往来"}


def expect(case):
    """Return the sum, and how each rank ended."""
    secret = case.secret
    names = [f"run0:rank{rank}:exit" for rank in range(secret["ranks"])]
    found = {"run0:left": Exact(0), "run0:outside": Exact([])}
    if secret["group"] == "fails":
        return found | {name: Holds(lambda code: code != 0, FAILS, takes=COUNT) for name in names}
    found |= {name: Exact(0) for name in names}
    found |= {"run0:sum": Exact(secret["sum"])}
    found["run0:files"] = Holds(lambda files: [each[0] for each in files] == ["sum.txt"], FAILS)
    if secret["ranks"] > 1:
        found["run0:bytes"] = Holds(lambda sent: sent > 500, TRAFFIC, takes=COUNT)
    return found
