# over: solution.py
# verdict: WA property
# group: scale
# en: Puts new tensors into p.grad. Whoever holds the gradients, as a bucket does, no longer
#     sees them.
# zh: 把新张量放进 p.grad。持有原梯度的代码（例如通信桶）就看不到结果了。
@@
-        with torch.no_grad():
-            for grad in grads:
-                grad.mul_(inverse)
+        for group in optimizer.param_groups:
+            for parameter in group["params"]:
+                if parameter.grad is not None:
+                    parameter.grad = parameter.grad * inverse
