# over: solution.py
# verdict: WA value | RTE
# group: small
# en: One dictionary for all optimisers: two of them over one parameter share its moments.
# zh: 所有优化器共用一个字典：两个优化器管同一个参数时，矩就混在一起。
@@
 from torch import Tensor
+
+SHARED = {}
@@
         lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
-        state = self.state.setdefault(id(param), {})
+        state = self.state[id(param)] = SHARED.setdefault(param, {})
@@
         alpha, momentum = group["alpha"], group["momentum"]
-        state = self.state.setdefault(id(param), {})
+        state = self.state[id(param)] = SHARED.setdefault(param, {})
