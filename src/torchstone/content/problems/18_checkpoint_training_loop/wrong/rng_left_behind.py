# over: solution.py
# verdict: WA property | WA value
# group: rng
# en: After the recomputation the generator stays where the segment ended, so the stream goes
#   back in time; put the outer state back.
# zh: 重算之后生成器停在该段结束处，随机流倒退了；必须放回外层的状态。
@@
-            if ctx.rng_state is not None:
-                torch.set_rng_state(outer)
+            del outer
