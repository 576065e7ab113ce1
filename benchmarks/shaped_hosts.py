"""Two hosts on this machine: network namespaces that a link of a given rate connects.

It needs root, and ``ip``, ``tc``, ``unshare`` and ``nsenter``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

INTERFACE = "eth0"
TOOLS = ("ip", "tc", "unshare", "nsenter")
# `tc` wakes up a thousand times a second: what it lets through at a time must last until then.
WAKE_S, LEAST_BURST = 1e-3, 16_384


def can_make_hosts() -> bool:
    """Return whether this process may make network namespaces, and has the tools."""
    return os.geteuid() == 0 and all(map(shutil.which, TOOLS))


class Hosts:
    """Two hosts that see each other and nothing else, as a context.

    Args:
        bits_s: The rate of the link of each.
    """

    def __init__(self, bits_s: float) -> None:
        self._bits_s = bits_s
        self._holders: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Hosts:
        try:
            self._build()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(
        self, host: int, command: Sequence[str], environment: Mapping[str, str], **options: Any
    ) -> subprocess.Popen[bytes]:
        """Start a program on a host; ``options`` are those of ``Popen``."""
        inside = {"GLOO_SOCKET_IFNAME": INTERFACE, "TP_SOCKET_IFNAME": INTERFACE}
        return subprocess.Popen(
            [*self._enter(host), *command], env={**environment, **inside}, **options
        )

    def torchrun(self, host: int, *, ranks_per_host: int) -> list[str]:
        """Return the beginning of a command that starts the ranks of a host."""
        return [
            *(sys.executable, "-m", "torch.distributed.run"),
            *("--nnodes=2", f"--nproc-per-node={ranks_per_host}", "--rdzv-backend=c10d"),
            f"--rdzv-endpoint={_address(0)}:29400",
            # In a namespace the rendezvous does not see that its address is this host's.
            f"--rdzv-conf=is_host={int(host == 0)}",
            f"--local-addr={_address(host)}",
        ]

    def close(self) -> None:
        """End the namespaces, with their interfaces."""
        for holder in self._holders:
            with holder:
                holder.kill()
        self._holders = []

    def _build(self) -> None:
        for _ in range(2):
            holder = subprocess.Popen(
                ["unshare", "--net", "sh", "-c", "echo ready; exec sleep infinity"],
                stdout=subprocess.PIPE,
            )
            self._holders.append(holder)
            assert holder.stdout is not None, "the output of a holder is a pipe"
            # Only now has it a namespace of its own.
            holder.stdout.readline()
        peer = ["type", "veth", "peer", "name", INTERFACE, "netns", str(self._holders[1].pid)]
        self._run(0, "ip", "link", "add", INTERFACE, *peer)
        burst = max(LEAST_BURST, int(2 * self._bits_s / 8 * WAKE_S))
        rate = ["tbf", "rate", f"{int(self._bits_s)}bit", "burst", f"{burst}b", "latency", "400ms"]
        for host in range(2):
            self._run(host, "ip", "address", "add", f"{_address(host)}/24", "dev", INTERFACE)
            for name in (INTERFACE, "lo"):
                self._run(host, "ip", "link", "set", name, "up")
            self._run(host, "tc", "qdisc", "replace", "dev", INTERFACE, "root", *rate)

    def _enter(self, host: int) -> list[str]:
        return ["nsenter", "--target", str(self._holders[host].pid), "--net"]

    def _run(self, host: int, *command: str) -> None:
        subprocess.run([*self._enter(host), *command], check=True, capture_output=True)


def _address(host: int) -> str:
    return f"10.77.0.{host + 1}"
