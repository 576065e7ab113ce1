# over: solution.py
# verdict: WA value
# group: small
# en: zero_grad before every batch leaves only the gradient of the last one.
# zh: 每批都清零，累积下来只剩最后一批的梯度。
@@
         for x, y in batches:
+            optimizer.zero_grad()
             loss = loss_fn(model(x), y)
