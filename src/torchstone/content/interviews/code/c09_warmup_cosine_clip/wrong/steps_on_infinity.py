# over: solution.py
# verdict: WA property
# group: edge
# en: A gradient that is not finite ruins every parameter; leave the step out.
# zh: 梯度非有限时走一步会毁掉所有参数；应当跳过。
@@
-        if math.isfinite(norm):
-            optimizer.step()
-        else:
+        optimizer.step()
+        if not math.isfinite(norm):
             history["skipped"].append(step)
