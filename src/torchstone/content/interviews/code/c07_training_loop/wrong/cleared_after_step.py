# over: solution.py
# verdict: WA value | WA property
# group: small
# en: Clearing after the step leaves the gradient that was there before the first one.
# zh: 在 step 之后才清零，第一步就会用上进来之前留下的旧梯度。
@@
-        # Before backward, not after step: an old gradient may be there when fit is called.
-        optimizer.zero_grad()
         loss = loss_fn(model(x), y)
         loss.backward()
         optimizer.step()
+        optimizer.zero_grad()
