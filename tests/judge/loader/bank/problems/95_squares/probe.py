"""Count the workers while the submission gives its first result, and after the last."""

import gc


def probe(submission, op, data, tools):
    results = iter(submission.squares(data["items"], data["workers"]))
    found = [next(results)]
    tools.rank.count("during")
    found += results
    del results
    gc.collect()
    tools.rank.count("after")
    return {"out": [int(each) for each in found]}
