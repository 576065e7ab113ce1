# over: solution.py
# verdict: WA value
# group: sample
# en: zero_grad before each batch leaves the gradient of the last one alone.
# zh: 每批之前清零，只剩最后一批的梯度。
@@
-        optimizer.zero_grad()
         for x, y in taken:
+            optimizer.zero_grad()
             loss = loss_fn(model(x), y)
