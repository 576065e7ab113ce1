# over: solution.py
# verdict: WA value
# group: train
# en: unscale_ only checks, and step divides: whoever clips in between clips gradients times
#     65536. Clip after unscale_.
# zh: unscale_ 只做检查，到 step 才相除：在两者之间裁剪，裁的就是乘过 65536 的梯度。
#     应当先反缩放再裁剪。
@@
-        inverse = 1.0 / self.get_scale()
-        with torch.no_grad():
-            for grad in grads:
-                grad.mul_(inverse)
@@
         self._stepped.add(key)
+        with torch.no_grad():
+            for grad in gradients_of(optimizer):
+                grad.mul_(1.0 / self.get_scale())
