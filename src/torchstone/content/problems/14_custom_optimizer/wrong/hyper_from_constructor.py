# over: solution.py
# verdict: WA value
# group: groups
# en: Hyper-parameters are read from the group in every step: that is where a scheduler writes.
# zh: 超参数每一步都要从参数组里读：调度器就写在那里。
@@
-        lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
+        lr = self.defaults["lr"]
+        (beta1, beta2), decay = group["betas"], group["weight_decay"]
