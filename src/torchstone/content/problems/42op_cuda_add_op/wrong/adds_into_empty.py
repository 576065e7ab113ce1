# over: solution.py
# verdict: WA value
# group: sample
# en: The memory of torch.empty holds anything; what is added into it must begin with zeros.
# zh: torch.empty 的内存里可以是任何值；要往里累加，必须先置零。
@@
     if out.numel():
-        kernel.add_forward(a, b, out, alpha, a.numel(), b.numel())
+        kernel.add_forward(out, a, out, 1.0, a.numel(), a.numel())
+        kernel.add_forward(out, b, out, alpha, a.numel(), b.numel())
