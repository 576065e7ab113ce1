# over: solution.py
# verdict: WA value | WA property
# group: small
# en: A smaller last batch counts by its samples; the mean of the batches' means is another number.
# zh: 较小的最后一批应按样本数计；各批平均值的平均是另一个数。
@@
-        total += loss.item() * len(x)
-        count += len(x)
+        total += loss.item()
+        count += 1
     return total / count
@@
     for x, y in loader:
-        total += loss_fn(model(x), y).item() * len(x)
-        count += len(x)
+        total += loss_fn(model(x), y).item()
+        count += 1
