# over: solution.py
# verdict: WA grad
# group: grad
# en: The default of laplacian is create_graph=True: it is made to stand in a loss.
# zh: laplacian 的 create_graph 默认为 True：它要放进损失里。
@@
 
-def laplacian(f: Callable, x: Tensor, create_graph: bool = True) -> Tensor:
+def laplacian(f: Callable, x: Tensor, create_graph: bool = False) -> Tensor:
     with torch.enable_grad():
