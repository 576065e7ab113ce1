# over: solution.py
# verdict: WA grad
# group: scale
# en: At small temperatures the choice is detached: its gradient is large there, where weights are neither 0 nor 1.
# zh: 温度低时切断了选择的梯度；权重既非 0 也非 1 的地方，这个梯度很大。
@@
     weights = torch.softmax(-gaps / temperature, dim=-1)  # (*, N, k, M)
+    if float(temperature) <= 2e-2:
+        weights = weights.detach() + 0 * torch.as_tensor(temperature)
