"""Let a submission count in a folder, and report every step."""


def probe(submission, op, data, tools):
    run = tools.run
    run.event("begin", run.number)
    work = tools.attempt(
        lambda: submission.count(run.folder, data["total"], lambda step: run.event("step", step))
    )
    if "raised" in work and not data.get("may_raise"):
        return work
    return {"value": work.get("value"), "error": work.get("raised", {}).get("type")}
