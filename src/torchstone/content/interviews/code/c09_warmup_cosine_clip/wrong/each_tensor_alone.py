# over: solution.py
# verdict: WA value
# group: sample
# en: The limit is for one vector of all gradients; tensor by tensor the direction changes.
# zh: 上限针对全部梯度拼成的一个向量；逐个张量裁剪会改变方向。
@@
-        norm = float(torch.nn.utils.clip_grad_norm_(parameters, max_norm))
+        norm = float(torch.nn.utils.get_total_norm([p.grad for p in parameters]))
+        for parameter in parameters:
+            torch.nn.utils.clip_grad_norm_([parameter], max_norm)
