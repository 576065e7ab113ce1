# over: solution.py
# verdict: WA value | WA grad
# group: sample
# en: The gradients of the step before are never cleared, so each step adds them once more.
# zh: 从不清空上一步的梯度，每一步都把它们再加一遍。
@@
-        optimizer.zero_grad()
