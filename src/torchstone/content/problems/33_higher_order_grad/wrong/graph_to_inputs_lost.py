# over: solution.py
# verdict: WA grad
# group: grad
# en: Inputs are always detached, so that with create_graph=True no graph leads back to them.
# zh: 输入一律先 detach，于是 create_graph=True 时没有通向输入的图。
@@
     """Return a view of what has a graph, else a leaf of our own: the caller's flag stays."""
-    # A path from one input to another does not lead through the view.
-    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()
+    return x.detach().requires_grad_()
 
