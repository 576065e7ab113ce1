# outcome: CE
# tries: describe an error that breaks whoever reads it
import os
import stat
import sys


def job_socket():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return fd
        except OSError:
            continue
    raise LookupError("no socket")


wire = sys.modules["child.protocol.wire"]
frame = wire.pack(
    b"L",
    {
        "error": {
            "code": "CE",
            "key": "load.missing_name",
            "values": {"name": {"a": [1]}, "defined": "{x!r:>{y}}"},
            "error": {"line": -(10**4000), "type": None, "message": "\x1b[2J", "text": []},
        }
    },
)
os.write(job_socket(), b"".join(bytes(part) for part in frame))
