# over: solution.py
# verdict: WA property
# en: Joins the batches to a large one, which does not fit into memory.
# zh: 把小批拼成放不进内存的大批。
@@
-        for x, y in taken:
-            loss = loss_fn(model(x), y)
-            # The mean over all samples: each batch counts by its share of them.
-            (loss * (len(x) / num_samples)).backward()
-            total += loss.item() * len(x)
+        x, y = (torch.cat(part) for part in zip(*taken, strict=True))
+        loss = loss_fn(model(x), y)
+        loss.backward()
+        total += loss.item() * num_samples
