# over: solution.py
# verdict: WA value | RTE
# group: small
# en: Each parameter has moments of its own; one set for all mixes them up.
# zh: 每个参数各有自己的矩，共用一份就会互相串扰。
@@
         lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
-        state = self.state.setdefault(id(param), {})
+        state = self.state.setdefault(param.shape, {})
@@
         alpha, momentum = group["alpha"], group["momentum"]
-        state = self.state.setdefault(id(param), {})
+        state = self.state.setdefault(param.shape, {})
