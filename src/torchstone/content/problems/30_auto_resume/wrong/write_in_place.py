# over: solution.py
# verdict: WA property
# group: kill-in-save
# en: It writes under the final name: a kill in the middle leaves half a checkpoint
#     there.
# zh: 直接写到最终文件名：中途被杀，那里就留下半个检查点。
@@
-        partial = f"{path}.tmp"
-        with open(partial, "wb") as file:
+        with open(path, "wb") as file:
@@
-        os.replace(partial, path)
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
