# over: solution.py
# verdict: WA property
# en: Adds the losses and calls backward once: the graphs of all batches are alive together, which accumulation is to avoid.
# zh: 把损失加起来只反向一次：各批的计算图同时存在，而累积正是为了避免这一点。
@@
-        for x, y in batches:
-            loss = loss_fn(model(x), y)
-            # Divided by what this update really takes, not by `accumulate`.
-            (loss / len(batches)).backward()
-            losses.append(loss.item())
+        each = [loss_fn(model(x), y) for x, y in batches]
+        (sum(each) / len(each)).backward()
+        losses = [loss.item() for loss in each]
