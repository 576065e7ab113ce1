"""Count the workers while the submission gives its first result, and after the last."""

import gc


def probe(submission, op, data, tools):
    tools.rank.count("first")
    # What is made once may stay open.
    for _ in submission.squares(data["items"], data["workers"]):
        pass
    gc.collect()
    tools.rank.settle("before", as_in="first", within_s=3.0)
    results = iter(submission.squares(data["items"], data["workers"]))
    found = [int(next(results))]
    tools.rank.count("during")
    found += map(int, results)
    del results
    gc.collect()
    tools.rank.settle("after", as_in="before", open_as_in="before", within_s=3.0)
    return {"out": found}
