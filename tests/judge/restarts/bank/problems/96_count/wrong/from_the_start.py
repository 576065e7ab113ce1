# verdict: WA property
# group: plain
# en: Every start counts from zero.
# zh: 每次启动都从零开始数。
"""Count to ``total``; what is counted is in a file after every step."""

import os


def count(folder, total, on_step):
    os.makedirs(folder, exist_ok=True)
    done = 0
    for name in sorted(os.listdir(folder)):
        if name.startswith("ckpt_"):
            with open(f"{folder}/{name}", "rb") as file:
                value = file.read()
            if len(value) == 4096 and value == value[:8] * 512:
                done = max(done, int.from_bytes(value[:8], "little"))
    for step in range(total):
        on_step(step)
        with open(f"{folder}/tmp", "wb") as file:
            file.write((step + 1).to_bytes(8, "little") * 512)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{folder}/tmp", f"{folder}/ckpt_{step + 1:03d}")
        for name in sorted(name for name in os.listdir(folder) if name[:5] == "ckpt_")[:-2]:
            os.unlink(f"{folder}/{name}")
    return total
