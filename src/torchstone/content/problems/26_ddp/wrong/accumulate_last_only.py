# over: solution.py
# verdict: WA grad
# group: basic
# en: The average is that of .grad, which holds the sum of all micro-batches, not of the last
#   one alone.
# zh: 要平均的是 .grad，它是所有微批之和，不能只平均最后一个微批。
@@
         for parameter in trained:
+            parameter.register_hook(lambda grad, p=parameter: self.last.update({p: grad.clone()}))
@@
         self.used = set()
+        self.last = {}
@@
-            flat = torch.cat([grad_or_zero(parameter).reshape(-1) for parameter in bucket])
+            flat = torch.cat([self.last.get(p, torch.zeros_like(p)).reshape(-1) for p in bucket])
