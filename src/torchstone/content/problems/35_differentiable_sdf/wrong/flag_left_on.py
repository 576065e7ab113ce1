# over: solution.py
# verdict: WA property
# group: small
# en: p.requires_grad_() changes the tensor of the caller.
# zh: p.requires_grad_() 改动了调用者的张量。
@@
-        x = p if p.requires_grad else p.detach().requires_grad_()
+        x = p if p.requires_grad else p.requires_grad_()
