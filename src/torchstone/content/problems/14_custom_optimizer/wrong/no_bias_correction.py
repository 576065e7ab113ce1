# over: solution.py
# verdict: WA value
# group: sample
# en: Both moments start at 0; without the division by 1 − βᵗ the first steps have the wrong size.
# zh: 两个矩都从 0 起步；不除以 1 − βᵗ，最初几步的大小就不对。
@@
-        # Python's floats are doubles; in float32 1 - 0.999 would keep four digits.
-        correction1, correction2 = 1 - beta1 ** state["step"], 1 - beta2 ** state["step"]
-        root = (square / correction2).sqrt_().add_(group["eps"])
-        param.addcdiv_(mean, root, value=-lr / correction1)
+        root = square.sqrt().add_(group["eps"])
+        param.addcdiv_(mean, root, value=-lr)
