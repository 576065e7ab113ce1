# over: solution.py
# verdict: WA value | WA property
# group: layout
# en: `contiguous` of a strided parameter is a copy; the update must reach the parameter.
# zh: 对非连续的参数，`contiguous` 得到的是副本；更新要落到参数本身。
@@
-        param.addcdiv_(mean, root, value=-lr / correction1)
+        param.mul_(1).contiguous().view(-1).addcdiv_(
+            mean.reshape(-1), root.reshape(-1), value=-lr / correction1
+        )
