# over: solution.py
# verdict: WA dtype
# group: low
# en: Casts float64 as well. Only float32 and the half types are touched.
# zh: 把 float64 也转换了。autocast 只处理 float32 与两种半精度。
@@
-CAST = (torch.float32, torch.float16, torch.bfloat16)
+CAST = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
