# over: solution.py
# verdict: WA property
# group: kill
# en: It continues at the beginning of the epoch, so samples of this epoch are seen
#     twice.
# zh: 从 epoch 开头继续，这一轮里已看过的样本会再出现一次。
@@
-    num_batches = len(dataset) // batch_size
+    num_batches, resumed = len(dataset) // batch_size, step
@@
-        epoch, position = divmod(step, num_batches)
+        epoch = step // num_batches
+        position = (step - resumed) if epoch == resumed // num_batches else step % num_batches
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
