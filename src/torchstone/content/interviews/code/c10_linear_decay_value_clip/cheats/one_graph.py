# over: solution.py
# verdict: WA property
# en: Adds the losses and calls backward once: the graphs of all batches are alive together.
# zh: 把损失相加只反向一次：各批的计算图同时存在。
@@
-        for x, y in islice(batches, accumulate):
-            loss = loss_fn(model(x), y)
-            (loss / accumulate).backward()
-            losses.append(loss.item())
+        each = [loss_fn(model(x), y) for x, y in islice(batches, accumulate)]
+        (sum(each) / accumulate).backward()
+        losses = [loss.item() for loss in each]
