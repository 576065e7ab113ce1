# over: solution.py
# verdict: WA property
# group: seed
# en: The permutation depends on the epoch alone: another seed trains in the same order.
# zh: 排列只由 epoch 决定：换了 seed，训练顺序却一样。
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
