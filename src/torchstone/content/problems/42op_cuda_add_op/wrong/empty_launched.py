# over: solution.py
# verdict: WA grad
# group: edge
# en: An empty sum is 0, and somebody has to write it; a kernel that is not launched does not.
# zh: 空和为 0，也要有人写出；没有启动的核函数什么都不会写。
@@
-    out = torch.empty(rows, dtype=grad.dtype, device=grad.device)
+    # Memory that nobody writes holds anything. NaN here, so that it is never 0 by chance.
+    out = torch.full(rows, float("nan"), dtype=grad.dtype, device=grad.device)
@@
-    else:
-        out.zero_()
