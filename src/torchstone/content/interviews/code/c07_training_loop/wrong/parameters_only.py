# over: solution.py
# verdict: WA property
# group: sample
# en: The running statistics of batch norm are buffers; without them the best model cannot be restored.
# zh: 批归一化的滑动统计量是缓冲区；漏掉它们，最好的模型就恢复不出来。
@@
-                state = model.state_dict()
+                state = dict(model.named_parameters())
