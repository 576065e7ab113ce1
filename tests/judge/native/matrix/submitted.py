"""What the matrix submits: ways to call something, in every state that a submission can make.

It runs under the bans as a submission does. `attack` is a call that takes the tensors that it uses.
"""

import gc
import signal
import threading

import torch
from torch.autograd import forward_ad

ENDED = []


class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


class Saving(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


class Owner(bytearray):
    work = staticmethod(lambda: None)

    def __del__(self):
        self.work()


class Finalised:
    def __init__(self, work):
        self.work = work

    def __del__(self):
        self.work()


class Seen(torch.Tensor):
    work = None

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            if cls.work is not None:
                cls.work()
            return function(*args, **(kwargs or {}))


def plain(attack, given):
    attack(given.tensors)


def requires_grad(attack, given):
    attack([each.requires_grad_(each.is_floating_point()) for each in given.tensors])


def no_grad(attack, given):
    with torch.no_grad():
        attack(given.tensors)


def inference_mode(attack, given):
    with torch.inference_mode():
        attack(given.tensors)


def below_autograd(attack, given):
    with torch._C._AutoDispatchBelowAutograd():
        attack(given.tensors)


def keys_excluded(attack, given):
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutogradCPU)
    for key in ("ADInplaceOrView", "AutogradOther", "AutocastCPU", "AutogradMeta"):
        keys = keys | torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
    with torch._C._ExcludeDispatchKeyGuard(keys):
        attack(given.tensors)


def vmap(attack, given):
    def rows(*tensors):
        attack(list(tensors))
        return tensors[0]

    torch.vmap(rows, randomness="different")(*given.batched)


def forward_mode(attack, given):
    with forward_ad.dual_level():
        duals = [
            forward_ad.make_dual(each, each) if each.is_floating_point() else each
            for each in given.tensors
        ]
        attack(duals)


def autocast(attack, given):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        attack(given.tensors)


def function_mode(attack, given):
    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, kinds, args=(), kwargs=None):
            return function(*args, **(kwargs or {}))

    with Mode():
        attack(given.tensors)


def dispatch_mode(attack, given):
    class Mode(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
            return function(*args, **(kwargs or {}))

    with Mode():
        attack(given.tensors)


def tensor_subclass(attack, given):
    Seen.work = staticmethod(lambda: attack(given.tensors))
    given.leaf.as_subclass(Seen).clone()


def saved_tensors_hook(attack, given):
    hooked = []

    def pack(tensor):
        if not hooked:
            hooked.append(True)
            attack(given.tensors)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
        Saving.apply(given.leaf.requires_grad_())


def tensor_hook(attack, given):
    leaf = given.leaf.requires_grad_()
    leaf.register_hook(lambda grad: attack(given.tensors))
    Identity.apply(leaf).backward(given.grad)


def own_backward(attack, given):
    class Attacking(Identity):
        @staticmethod
        def backward(ctx, grad):
            attack(given.tensors)
            return grad

    Attacking.apply(given.leaf.requires_grad_()).backward(given.grad)


def finaliser(attack, given):
    held = Finalised(lambda: attack(given.tensors))
    del held
    gc.collect()


def finaliser_in_an_operator(attack, given):
    Owner.work = staticmethod(lambda: attack(given.tensors))
    given.owned.set_(given.leaf.untyped_storage())


def generator_close(attack, given):
    def wait():
        try:
            yield
        finally:
            attack(given.tensors)

    waiting = wait()
    next(waiting)
    waiting.close()


def signal_handler(attack, given):
    signal.signal(signal.SIGUSR1, lambda number, frame: attack(given.tensors))
    signal.raise_signal(signal.SIGUSR1)


def second_thread(attack, given):
    thread = threading.Thread(target=attack, args=(given.tensors,))
    thread.start()
    thread.join()


def import_time(attack, given):
    attack(given.tensors)


def meta_tensors(attack, given):
    attack(given.metas)


def fake_tensors(attack, given):
    import torch._subclasses.fake_tensor as fake

    with fake.FakeTensorMode(allow_non_fake_inputs=True):
        attack(given.tensors)


STATES = {
    "plain": plain,
    "requires_grad": requires_grad,
    "no_grad": no_grad,
    "inference_mode": inference_mode,
    "below autograd": below_autograd,
    "keys excluded": keys_excluded,
    "vmap": vmap,
    "forward AD": forward_mode,
    "autocast": autocast,
    "function mode": function_mode,
    "dispatch mode": dispatch_mode,
    "tensor subclass": tensor_subclass,
    "saved-tensor hook": saved_tensors_hook,
    "tensor hook": tensor_hook,
    "own backward": own_backward,
    "finaliser": finaliser,
    "finaliser in an operator": finaliser_in_an_operator,
    "generator close": generator_close,
    "signal handler": signal_handler,
    "second thread": second_thread,
    "import time": import_time,
    "meta tensors": meta_tensors,
    "fake tensors": fake_tensors,
}


def call(given, tensors):
    args, kwargs = given.arguments(tensors)
    return given.call(*args, **kwargs)


def operation_by_name(given, tensors):
    args, kwargs = given.arguments(tensors)
    return torch._C._jit_get_operation(given.base)[0](*args, **kwargs)


def traced(given, tensors):
    return torch.jit.trace(lambda *new: call(given, list(new)), tuple(tensors))(*tensors)


def pulled_back(given, tensors):
    if not tensors or not tensors[0].is_floating_point():

        def function(leaf):
            call(given, tensors)
            return leaf

        return torch.func.vjp(function, given.leaf)[0]
    return torch.func.vjp(lambda first: call(given, [first, *tensors[1:]]), tensors[0])[0]


def replayed(given, tensors):
    return given.node.backward(given.node_grad)


def called_node(given, tensors):
    return given.node.grad_fn(given.node_grad)


ROUTES = {
    "functional": call,
    "method": call,
    "out=": call,
    "in-place": call,
    "overload": call,
    "in Python": call,
    "nested": call,
    "other layout": call,
    "allowed": call,
    "allowed reduction": call,
    "jit operation": operation_by_name,
    "jit graph": traced,
    "functorch": pulled_back,
    "recorded node": replayed,
    "node called": called_node,
}


def record(given):
    leaves = [each.detach().requires_grad_(each.is_floating_point()) for each in given.tensors]
    given.node = call(given, leaves)


def run(route, state, given, records):
    """Attack; what is kept in ENDED says that the attack came to its end."""

    def attack(tensors):
        if records:
            with torch.enable_grad():
                ROUTES[route](given, tensors)
        else:
            ROUTES[route](given, tensors)
        ENDED.append(route)

    STATES[state](attack, given)
