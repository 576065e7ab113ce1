# over: solution.py
# verdict: WA value
# group: sample
# en: The norm before clipping tells how the training goes; after it, only the limit.
# zh: 裁剪之前的范数才反映训练状况；裁剪之后只剩下上限。
@@
         norm = float(torch.nn.utils.clip_grad_norm_(parameters, max_norm))
+        norm = float(torch.nn.utils.get_total_norm([p.grad for p in parameters]))
