# over: solution.py
# verdict: WA property
# group: sample
# en: In eval mode nothing in the model is random.
# zh: 切到 eval 模式，模型里就没有随机性了。
@@
-    model.train()
+    model.eval()
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
