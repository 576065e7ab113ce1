"""A process with torch and the bans loaded that forks one child per snippet.

Closing functions reaches every alias, so it must not happen in the process that runs the tests. One
JSON object a line comes in and one goes out.
"""

import json
import os
import signal
import sys
import time
import traceback


def _child(bans, request, report, output):
    os.dup2(output, 1)
    os.dup2(output, 2)
    started = time.perf_counter()
    bans.impose(**request["deny"])
    scope = {"__builtins__": bans.arm(report), "__name__": "submission"}
    armed = time.perf_counter()
    driver = compile(request["driver"], "<driver>", "exec")
    bans.trust(driver)
    bans.seal()
    os.write(report, json.dumps({"arm_ms": (armed - started) * 1e3}).encode() + b"\n")
    exec(compile(request["source"], "<submission>", "exec"), scope)
    exec(driver, {"submission": scope, "bans": bans})


def _drain(fd):
    parts = []
    while part := os.read(fd, 65536):
        parts.append(part)
    os.close(fd)
    return b"".join(parts).decode()


def _run(bans, request):
    report_r, report_w = os.pipe()
    output_r, output_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)  # a test that hangs is a failure, not a hung run
        status = 0
        try:
            _child(bans, request, report_w, output_w)
        except BaseException:  # noqa: BLE001  whatever a snippet raises is its result
            traceback.print_exc()
            status = 3
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    os.close(report_w)
    os.close(output_w)
    lines = [json.loads(line) for line in _drain(report_r).splitlines()]
    output = _drain(output_r)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return {"status": status, "report": lines[1:], "facts": lines[:1], "output": output}


def main():
    sys.path.insert(0, sys.argv[1])
    from child.zygote import preloading

    # As the zygote does, so that what is loaded before the bans is the same.
    preloading.import_torch()
    from child.bans import bans

    bans.install(sys.argv[2])
    bans.prepare()
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        print(json.dumps(_run(bans, json.loads(line))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
