# over: solution.py
# verdict: WA property
# en: Adds the losses and calls backward once: the graphs of all batches are alive together.
# zh: 把损失相加只反向一次：各批的计算图同时存在。
@@
-        for x, y in taken:
-            loss = loss_fn(model(x), y)
-            # The mean over all samples: each batch counts by its share of them.
-            (loss * (len(x) / num_samples)).backward()
-            total += loss.item() * len(x)
+        summed = sum(loss_fn(model(x), y) * len(x) for x, y in taken)
+        (summed / num_samples).backward()
+        total += summed.item()
