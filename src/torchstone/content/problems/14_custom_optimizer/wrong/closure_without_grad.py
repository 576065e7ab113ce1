# over: solution.py
# verdict: RTE | WA property
# group: small
# en: The closure computes gradients, so it runs with grad mode on, whatever the mode outside is.
# zh: 闭包要计算梯度：无论外层是什么模式，都要在启用梯度的状态下调用它。
@@
-            with torch.enable_grad():
+            with torch.no_grad():
