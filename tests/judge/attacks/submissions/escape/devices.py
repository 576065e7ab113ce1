# outcome: RTE
# tries: open devices
import os

names = ("mem", "kmsg", "tty", "vda", "sda", "nvidia0", "nvidiactl", "fuse", "kvm", "ptmx")
for name in names:
    for mode in (os.O_RDONLY, os.O_RDWR):
        try:
            os.open(f"/dev/{name}", mode)
            break
        except OSError:
            continue
    else:
        continue
    break
else:
    raise PermissionError("there is no device")
