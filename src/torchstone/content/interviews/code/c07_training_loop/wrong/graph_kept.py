# over: solution.py
# verdict: WA property
# group: small
# en: A sum of loss tensors holds the graph of every batch; add numbers.
# zh: 把损失张量直接相加，会把每一批的计算图都留住；应当累加数值。
@@
-    total, count = 0.0, 0
+    total, count = torch.zeros((), dtype=torch.float64), 0
     for x, y in loader:
         # Before backward, not after step: an old gradient may be there when fit is called.
@@
-        # A number, not a tensor: a sum of tensors would keep the graph of every batch.
-        total += loss.item() * len(x)
+        total = total + loss * len(x)
         count += len(x)
-    return total / count
+    return (total / count).item()
