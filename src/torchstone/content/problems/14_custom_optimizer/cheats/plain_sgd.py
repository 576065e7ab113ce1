# over: solution.py
# verdict: WA value
# en: Plain sign descent behind the interface; it is right in the first step only.
# zh: 接口后面只是符号下降，只有第一步是对的。
@@
-        lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
-        state = self.state.setdefault(id(param), {})
-        if not state:
-            names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * group["amsgrad"]
-            state |= {"step": 0} | {name: torch.zeros_like(param) for name in names}
-        # A count for each parameter: one without a gradient does not age.
+        state = self.state.setdefault(id(param), {"step": 0})
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
+        param.add_(grad.sign(), alpha=-group["lr"])
