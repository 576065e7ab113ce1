# verdict: FORBIDDEN_OP
# en: The class derives from torch's own DataParallel.
# zh: 直接继承 torch 自带的 DataParallel。
from torch import nn


def scatter(inputs, devices, dim=0):
    return [inputs]


def replicate(module, devices):
    return [module]


def parallel_apply(replicas, inputs, kwargs_list=None, devices=None):
    return [replica(*args) for replica, args in zip(replicas, inputs, strict=False)]


def gather(outputs, device, dim=0):
    return outputs[0]


class DataParallel(nn.DataParallel):
    def __init__(self, module, devices, *, output_device=None, dim=0):
        super().__init__(module, dim=dim)
