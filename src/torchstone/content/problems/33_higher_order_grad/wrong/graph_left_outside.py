# over: solution.py
# verdict: WA grad
# group: edge
# en: The last step runs in the grad mode of the caller: under no_grad the penalty has no graph.
# zh: 最后一步处于调用者的梯度模式：在 no_grad 下惩罚没有计算图。
@@
         (gradient,) = derivatives(critic(point).sum(), (point,), create_graph=True)
-        # vector_norm has the subgradient 0 at 0, where a square root of a sum has NaN.
-        norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
-        return (norm - target).square().mean()
+    # vector_norm has the subgradient 0 at 0, where a square root of a sum has NaN.
+    norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
+    return (norm - target).square().mean()
 
