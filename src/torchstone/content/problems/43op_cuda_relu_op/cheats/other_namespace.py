# over: solution.py
# verdict: CE | FORBIDDEN_OP | RTE
# en: Registers its operator for aten.
# zh: 把算子注册进 aten。
@@
-@torch.library.custom_op("ts43::relu", mutates_args=())
+@torch.library.custom_op("aten::relu_ts43", mutates_args=())
