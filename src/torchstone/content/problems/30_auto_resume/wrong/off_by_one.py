# over: solution.py
# verdict: WA property
# group: kill
# en: It saves under the number of the last step, and continues behind it: save(s + 1)
#     means that s + 1 steps are done.
# zh: 用最后一步的编号保存，又从下一步继续：save(s + 1) 表示已完成 s + 1 步。
@@
         step, state = loaded
+        step += 1
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
