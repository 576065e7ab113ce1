# over: solution.py
# verdict: WA property
# group: kill
# en: The order is drawn from the global generator at the start of an epoch; after a
#     restart in its middle it is another one.
# zh: 顺序在 epoch 开头用全局生成器抽取；中途重启后得到的是另一个顺序。
@@
     num_batches = len(dataset) // batch_size
+    order: list[int] = []
@@
-        epoch, position = divmod(step, num_batches)
-        indices = _order(seed, epoch, len(dataset))[position * batch_size :][:batch_size]
+        position = step % num_batches
+        if position == 0 or not order:
+            order = torch.randperm(len(dataset)).tolist()
+        indices = order[position * batch_size :][:batch_size]
@@
-
-def _order(seed: int, epoch: int, num_samples: int) -> list[int]:
-    """Return the permutation of an epoch; it depends on nothing that a restart could lose."""
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
-    return order
-
