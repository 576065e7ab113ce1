# verdict: FORBIDDEN_OP | RTE
# en: gradcheck.py is read from disk and executed under another name.
# zh: 从磁盘读取 gradcheck.py，换个名字执行。
import os

import torch


class GradcheckError(RuntimeError):
    pass


def gradcheck(fn, inputs, **options):
    path = os.path.join(os.path.dirname(torch.__file__), "autograd", "gradcheck.py")
    with open(path) as file:
        scope = {"__name__": "mine"}
        exec(file.read(), scope)
    return scope["gradcheck"](fn, inputs, **options)
