# over: solution.py
# verdict: INPUT_MUTATED | RTE
# group: sample
# en: contiguous() returns x itself where x is contiguous: in place is in the memory of the caller.
# zh: x 已经连续时 contiguous() 返回的就是 x：原地计算会改写调用者的内存。
@@
-    x = x.contiguous()
-    y = torch.empty_like(x)
-    kernel.relu_forward(x, y, x.numel())
+    y = x.contiguous()
+    kernel.relu_forward(y, y, y.numel())
