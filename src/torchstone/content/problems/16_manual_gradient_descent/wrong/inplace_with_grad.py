# over: good/autograd_backward.py
# verdict: RTE
# group: sample
# en: The update in place of a leaf that requires grad stands outside no_grad; autograd refuses it.
# zh: 原地更新需要梯度的叶子时没有放在 no_grad 里，autograd 会拒绝。
@@
-            with torch.no_grad():
-                for p, v in zip((w, b), velocities, strict=True):
-                    v.mul_(momentum).add_(p.grad)
-                    p -= lr * v
-                    p.grad = None
+            for p, v in zip((w, b), velocities, strict=True):
+                v.mul_(momentum).add_(p.grad)
+                p -= lr * v
+                p.grad = None
