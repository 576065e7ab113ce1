# over: solution.py
# verdict: WA property
# group: no_grad
# en: Grad mode is thread-local; pass it on.
# zh: 梯度开关是线程局部的，要传给工作线程。
@@
-            with torch.set_grad_enabled(grad_enabled):
+            with torch.set_grad_enabled(torch.is_grad_enabled()):
