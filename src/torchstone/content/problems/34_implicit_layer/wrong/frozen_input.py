# over: solution.py
# verdict: WA grad
# group: small
# en: The adjoint equation is solved only if x requires a gradient; the parameters need it as
#   well.
# zh: 只有 x 需要梯度时才求解伴随方程；Parameter 同样需要。
@@
         y = self.cell(z, x)
-        if y.requires_grad:
+        if y.requires_grad and x.requires_grad:
             self._correct(y, z, x)
