"""Have an echo send a word back, within a time; then end with the echo still running."""


def probe(submission, op, data, tools):
    tools.rank.last_words({"out": "nothing"}, within_s=4.0)
    echo = submission.Echo()
    answer = {"out": echo.call(data["word"])}
    tools.rank.last_words(None)
    if op == "late":
        echo.close()
        tools.rank.count("left")
        return answer
    return tools.rank.leave_orphans("left", answer, within_s=4.0)
