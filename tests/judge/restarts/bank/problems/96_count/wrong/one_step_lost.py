# verdict: WA property
# group: plain
# en: It begins one step before the last one that is saved.
# zh: 从最后一次保存的前一步开始。
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
    for step in range(max(0, done - 1), total):
        on_step(step)
        with open(f"{folder}/tmp", "wb") as file:
            file.write((step + 1).to_bytes(8, "little") * 512)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{folder}/tmp", f"{folder}/ckpt_{step + 1:03d}")
        for name in sorted(name for name in os.listdir(folder) if name[:5] == "ckpt_")[:-2]:
            os.unlink(f"{folder}/{name}")
    return total
