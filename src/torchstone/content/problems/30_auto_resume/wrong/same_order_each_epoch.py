# over: solution.py
# verdict: WA property
# group: plain
# en: The permutation is drawn once: every epoch takes the samples in the same order.
# zh: 排列只抽一次：每个 epoch 的样本顺序都相同。
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
