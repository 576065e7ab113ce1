# over: solution.py
# verdict: WA grad
# group: grad
# en: The maximum may be detached, the sum may not: it depends on x, and its gradient makes a row's gradients sum to 0.
# zh: 最大值可以 detach，和却不可以：它依赖 x，正是它的梯度使整行梯度之和为 0。
@@ stable_softmax
     weights = shift_down(x, dim, mask).exp()
-    total = weights.sum(dim, keepdim=True)
+    total = weights.sum(dim, keepdim=True).detach()
