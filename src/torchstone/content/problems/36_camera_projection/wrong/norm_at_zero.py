# over: solution.py
# verdict: WA grad
# group: edge
# en: `where` picks one value but differentiates both branches: at theta = 0 the other gives 0 · inf = NaN.
# zh: `where` 只选一个值，反向却要经过两支：theta = 0 时另一支给出 0 · inf = NaN。
@@
-    low = torch.where(is_small, s, 0.0)
-    theta = torch.where(is_small, 1.0, s).sqrt()
+    low = s
+    theta = s.sqrt()
