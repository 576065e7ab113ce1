# over: solution.py
# verdict: WA grad
# group: small
# en: p may require a gradient itself: do not cut it off.
# zh: p 自己可能需要梯度，不要切断。
@@
-        x = p if p.requires_grad else p.detach().requires_grad_()
+        x = p.detach().requires_grad_()
