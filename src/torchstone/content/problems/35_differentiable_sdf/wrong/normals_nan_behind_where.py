# over: solution.py
# verdict: WA grad
# group: edge
# en: where() after the division hides NaN in the value only; its gradient is NaN.
# zh: 除完再用 where() 只遮住了数值里的 NaN，梯度仍是 NaN。
@@
-    return g / torch.where(length > 0, length, 1)
+    return torch.where(length > 0, g / length, 0)
