"""Rank 0 collects, the others send; the last one may be killed before it does."""


def probe(submission, op, data, tools):
    rank = tools.rank
    if rank.number == 0:
        total, ended = rank.call("collect", submission.collect, rank.connections, data["value"])
        return {"sum": total, "ended": ended}
    if data["dies"] and rank.number == rank.world_size - 1:
        rank.die({"sent": False})
    (conn,) = rank.connections
    rank.call("send", submission.send, conn, data["value"])
    return {"sent": True}
