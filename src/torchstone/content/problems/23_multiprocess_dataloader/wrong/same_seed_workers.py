# over: solution.py
# verdict: WA property
# group: random
# en: fork copies the generator: all workers draw the same augmentation.
# zh: fork 会复制随机数状态，所有 worker 的增强一模一样。
@@
-        # As much of a seed as each generator takes.
-        draw = random.Random(key)
-        random.seed(draw.getrandbits(64))
-        np.random.seed(draw.getrandbits(32))
-        torch.manual_seed(draw.getrandbits(63))
