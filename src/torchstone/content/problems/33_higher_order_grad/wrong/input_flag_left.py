# over: solution.py
# verdict: INPUT_MUTATED
# group: sample
# en: requires_grad_() on the caller's tensor stays after the call; make a leaf of your own.
# zh: 对调用者的张量执行 requires_grad_()，调用之后仍然生效；应建立自己的叶子。
@@
     """Return a view of what has a graph, else a leaf of our own: the caller's flag stays."""
-    # A path from one input to another does not lead through the view.
-    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()
+    return x if x.requires_grad else x.requires_grad_()
 
