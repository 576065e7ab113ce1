# over: solution.py
# verdict: WA value
# group: small
# en: `weight_decay` of Adam is added to the gradient; to shrink the weight itself is AdamW.
# zh: Adam 的 `weight_decay` 加在梯度上；直接收缩权重的是 AdamW。
@@
-        if group["decoupled_weight_decay"]:
+        if decay:
