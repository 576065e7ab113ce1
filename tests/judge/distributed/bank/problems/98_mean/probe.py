"""Each rank passes tensors of its own to the submission."""


def probe(submission, op, data, tools):
    rank, found = tools.rank, {}
    is_late = data["late"] and rank.number == 1
    if is_late:
        found["started"] = rank.wait_for("started")
    for number, step in enumerate(data["values"]):
        finish = submission.start(step.clone())
        if data["late"] and not is_late:
            rank.signal("started")
        found[f"out.{number}"] = tools.sendable(finish())
        rank.mark(f"step {number}")
    return found
