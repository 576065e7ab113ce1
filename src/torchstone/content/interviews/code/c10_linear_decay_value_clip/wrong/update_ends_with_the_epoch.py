# over: solution.py
# verdict: WA property
# group: small
# en: Batches flow on over the border of an epoch; every update takes the same number.
# zh: 批会跨过轮次的边界；每次更新取的批数都一样。
@@
-    batches = _endless(loader)
+    batches = iter(())
@@
         losses = []
-        for x, y in islice(batches, accumulate):
+        taken = list(islice(batches, accumulate))
+        if not taken:
+            batches = iter(loader)
+            taken = list(islice(batches, accumulate))
+        for x, y in taken:
             loss = loss_fn(model(x), y)
