# over: good/autograd_backward.py
# verdict: RTE
# group: sample
# en: `w = w - lr * w.grad` in grad mode makes w a non-leaf; its `.grad` is None then.
# zh: 在梯度模式下执行 `w = w - lr * w.grad`，w 就不再是叶子，下一步的 `.grad` 是 None。
@@
-            with torch.no_grad():
-                for p, v in zip((w, b), velocities, strict=True):
-                    v.mul_(momentum).add_(p.grad)
-                    p -= lr * v
-                    p.grad = None
+            velocities[0] = momentum * velocities[0] + w.grad
+            velocities[1] = momentum * velocities[1] + b.grad
+            w = w - lr * velocities[0]
+            b = b - lr * velocities[1]
