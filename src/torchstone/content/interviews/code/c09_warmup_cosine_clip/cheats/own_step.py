# over: solution.py
# verdict: WA property
# en: Updates the parameters itself, without the optimizer and its momentum.
# zh: 绕开优化器和它的动量，自己改参数。
@@
-            optimizer.step()
+            with torch.no_grad():
+                for group in groups:
+                    for parameter in group["params"]:
+                        parameter -= group["lr"] * parameter.grad
