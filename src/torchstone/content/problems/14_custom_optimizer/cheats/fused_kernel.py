# over: solution.py
# verdict: FORBIDDEN_OP
# en: Calls the fused kernel of Adam.
# zh: 调用 Adam 的融合算子。
@@
-        lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
-        state = self.state.setdefault(id(param), {})
-        if not state:
-            names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * group["amsgrad"]
-            state |= {"step": 0} | {name: torch.zeros_like(param) for name in names}
-        # A count for each parameter: one without a gradient does not age.
+        state = self.state.setdefault(id(param), {"step": torch.tensor(0.0)})
+        for name in ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"):
+            state.setdefault(name, torch.zeros_like(param))
@@
-        if group["decoupled_weight_decay"]:
-            param.mul_(1 - lr * decay)
-        else:
-            # A new tensor: the gradient belongs to the caller.
-            grad = grad.add(param, alpha=decay)
-        mean, square = state["exp_avg"], state["exp_avg_sq"]
-        mean.mul_(beta1).add_(grad, alpha=1 - beta1)
-        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
-        if group["amsgrad"]:
-            square = torch.maximum(state["max_exp_avg_sq"], square, out=state["max_exp_avg_sq"])
-        # Python's floats are doubles; in float32 1 - 0.999 would keep four digits.
-        correction1, correction2 = 1 - beta1 ** state["step"], 1 - beta2 ** state["step"]
-        root = (square / correction2).sqrt_().add_(group["eps"])
-        param.addcdiv_(mean, root, value=-lr / correction1)
+        torch.ops.aten._fused_adam_(
+            [param],
+            [grad],
+            [state["exp_avg"]],
+            [state["exp_avg_sq"]],
+            [state["max_exp_avg_sq"]],
+            [state["step"]],
+            lr=group["lr"],
+            beta1=group["betas"][0],
+            beta2=group["betas"][1],
+            weight_decay=group["weight_decay"],
+            eps=group["eps"],
+            amsgrad=group["amsgrad"],
+            maximize=False,
+        )
