# over: solution.py
# verdict: WA value
# group: sample
# en: Clipping by value changes each entry alone; a norm would scale all of them.
# zh: 按值裁剪逐个元素进行；按范数则会整体缩放。
@@
-            torch.nn.utils.clip_grad_value_(parameters, max_value)
+            torch.nn.utils.clip_grad_norm_(parameters, max_value)
