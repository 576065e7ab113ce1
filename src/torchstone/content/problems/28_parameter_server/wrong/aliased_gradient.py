# over: solution.py
# verdict: WA value
# group: alias
# en: The worker zeroes its gradients after a push, while the server still queues them: keep a
#   copy.
# zh: worker 推送后会清零梯度，而服务器还在排队保存它们：要存副本。
@@
-            copies = {name: grad.detach().clone() for name, grad in grads.items()}
+            copies = {name: grad.detach() for name, grad in grads.items()}
