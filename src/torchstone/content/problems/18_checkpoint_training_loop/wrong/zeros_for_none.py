# over: solution.py
# verdict: WA property
# group: checkpoint
# en: An input without a gradient gets zeros; None says that nothing flows there, and a stored
#   zero costs memory and moves optimisers with momentum.
# zh: 没有梯度的输入得到了全零张量；应返回 None，表示没有梯度流到那里：零张量既占内存，又会让
#   带动量的优化器更新参数。
@@
-        return None, None, None, *[a.grad if isinstance(a, Tensor) else None for a in args]
+        return (
+            None,
+            None,
+            None,
+            *[
+                (torch.zeros_like(a) if a.grad is None else a.grad)
+                if isinstance(a, Tensor)
+                else None
+                for a in args
+            ],
+        )
