"""Start one zygote alone in its sandbox, to test the walls without torch."""

from collections.abc import Mapping
from pathlib import Path

from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox.command import Launch, Role, _Parts
from torchstone.judge.sandbox.levels import Machine
from torchstone.judge.sandbox.visible import Visible


def zygote_command(
    level: Isolation,
    role: Role,
    *,
    machine: Machine,
    visible: Visible,
    control_fd: int,
    read_only_binds: Mapping[str, Path],
    runtime: Path,
    module: str,
) -> Launch:
    """Build the command for one zygote as `zygote_parent_command` does for all of them.

    Args:
        level: How it is isolated; the caller has checked that this machine reaches it.
        role: Whose code it runs.
        machine: What this machine can do.
        visible: What the interpreter needs.
        control_fd: The zygote's end of the control socket, kept under the same number.
        read_only_binds: Name below `/judge` -> file or folder, e.g. `{"child": ...}`.
        runtime: A private folder for the symbolic links of level `confined`.
        module: What the zygote runs as its main module.
    """
    parts = _Parts(level, machine, visible, runtime)
    launch = parts.launch(module, {role: control_fd}, {role: dict(read_only_binds)})
    only = launch.settings["roles"][role]  # type: ignore[index]
    return parts.finish(only | {"module": module}, launch)
