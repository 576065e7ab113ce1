# over: solution.py
# verdict: WA property
# group: launches
# en: A gradient that nobody wants costs a pass over memory: give the kernel a null pointer.
# zh: 没人要的梯度也要花一遍访存：应把空指针交给核函数。
@@
-    wanted = list(ctx.needs_input_grad[:2])
+    wanted = [True, True]
