# over: solution.py
# verdict: WA property
# group: perf
# en: The graph runs through every step: memory grows, though only the last point matters.
# zh: 图贯穿每一步，内存随步数增长；其实只需最后一点。
@@
-    if torch.is_grad_enabled():
-        # Two evaluations: one for the slope, one through which the gradient flows.
-        slope = (gradient(f, points.detach(), create_graph=False) * unit).sum(-1).detach()
-        value = f(points)
-        # Zero in value; its derivative is -df / slope, that of the root. Misses divide by one.
-        root = -(value - value.detach()) / torch.where(hit, slope, 1)
-        t = t + torch.where(hit, root, 0)
-        points = origins + t[..., None] * unit
@@
-@torch.no_grad()
