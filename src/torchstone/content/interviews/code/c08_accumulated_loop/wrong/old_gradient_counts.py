# over: solution.py
# verdict: WA value
# group: small
# en: Clear before the first batch as well: a gradient may be there when fit is called.
# zh: 第一批之前也要清零：调用 fit 时可能带着旧梯度。
@@
-        optimizer.zero_grad()
         for x, y in taken:
@@
         optimizer.step()
+        optimizer.zero_grad()
         count += num_samples
