# over: solution.py
# verdict: WA grad
# group: grad
# en: The second differentiation runs without create_graph, so that the result cannot be differentiated again.
# zh: 第二次求导没有 create_graph，结果不能再求导。
@@
         (gradient,) = derivatives(one_number(f(x)), (x,), create_graph=True)
-        rows = [derivatives(g, (x,), create_graph)[0] for g in gradient.reshape(-1)]
+        rows = [derivatives(g, (x,), create_graph=False)[0] for g in gradient.reshape(-1)]
         matrix = torch.stack(rows) if rows else x.new_zeros(0)
