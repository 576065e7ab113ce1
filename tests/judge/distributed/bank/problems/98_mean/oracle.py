"""The mean over ranks in float64, and the bytes that a ring all-reduce sends."""

from torchstone.judge.kit import COUNT, Exact, Holds, Want

WORDS = {"en": "the bytes of a ring all-reduce", "zh": "环形 all-reduce 的字节数"}

CALLS = {"en": "a collective call", "zh": "一次集合通信"}


def expect(case):
    values = case.secret["values"]
    world_size = values.shape[1]
    found = {}
    for number, step in enumerate(values):
        mean = step.double().mean(0)
        for rank in range(world_size):
            found[f"rank{rank}:out.{number}"] = Want(mean, 1e-6, step.dtype)
    if case.secret["group"] == "late":
        found["rank1:started"] = Exact(True)
    if case.secret["group"] == "bytes":
        sent = 2 * (world_size - 1) * values[:, 0].nbytes
        found["wire.bytes"] = Holds(lambda x: 0.93 * sent <= x <= 1.1 * sent, WORDS, takes=COUNT)
    if case.secret["group"] == "bytes" and len(values) > 1:
        found["rank0:step 1.calls"] = Holds(lambda x: x >= 1, CALLS, takes=COUNT)
        # At least what rank 0 itself sends; the other rank may have begun before the mark.
        found["rank0:step 1.bytes"] = Holds(lambda x: x >= 0.2 * sent, WORDS, takes=COUNT)
    return found
