# over: solution.py
# verdict: WA value
# group: sample
# en: In float32 1 − 0.999ᵗ keeps four digits; compute the corrections in double.
# zh: 在 float32 里 1 − 0.999ᵗ 只剩四位有效数字，校正系数要用双精度计算。
@@
-        # Python's floats are doubles; in float32 1 - 0.999 would keep four digits.
-        correction1, correction2 = 1 - beta1 ** state["step"], 1 - beta2 ** state["step"]
+        count = torch.tensor(float(state["step"]))
+        correction1, correction2 = (1 - torch.tensor(beta) ** count for beta in (beta1, beta2))
@@
-        param.addcdiv_(mean, root, value=-lr / correction1)
+        param.addcdiv_(mean, root, value=-lr / correction1.item())
