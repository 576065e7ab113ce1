# over: solution.py
# verdict: WA property
# group: sample
# en: f is called anew for each coordinate, although one graph serves all of them.
# zh: 每个坐标都重新调用 f，其实一张图就够所有坐标使用。
@@
         for d in range(x.shape[1]):
+            (gradient,) = derivatives(f(x).sum(), (x,), create_graph=True)
             (row,) = derivatives(gradient[:, d].sum(), (x,), create_graph)
