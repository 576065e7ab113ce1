# over: solution.py
# verdict: WA grad
# group: grad
# en: An integer part with a graph takes the gradient away from the fraction; detach it.
# zh: 整数部分带着计算图，会抵消小数部分的梯度；要 detach。
@@
-    low = x.floor().detach()
+    low = x + (x.floor() - x).detach()
