# over: solution.py
# verdict: WA value
# group: basic
# en: The same gradients on different weights never make the weights equal: begin with those of
#   rank 0.
# zh: 起点不同，梯度再一致也不会让权重相同：一开始就要换成 rank 0 的值。
@@
-        self._copy_from_first([*module.parameters(), *module.buffers()])
