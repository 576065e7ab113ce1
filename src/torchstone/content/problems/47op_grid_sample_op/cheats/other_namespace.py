# over: solution.py
# verdict: CE | FORBIDDEN_OP | RTE
# en: Registers its operator for aten.
# zh: 把算子注册进 aten。
@@
-@torch.library.custom_op("ts47::grid_sample", mutates_args=())
+@torch.library.custom_op("aten::grid_sample_ts47", mutates_args=())
