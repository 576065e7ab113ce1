"""What a consumer must find on each machine, and what a loader may do meanwhile."""

from pathlib import Path

from torchstone.judge.kit import COUNT, Exact, Holds
from torchstone.judge.kit.problem import load_module

probe = load_module(Path(__file__).with_name("probe.py"))


def words(en, zh):
    return {"en": en, "zh": zh}


NUMBERED = words(
    "; the numbers are those of the tensors whose content each read found, −1 is fresh memory",
    "；数字是每次读取所得内容所属张量的编号，−1 表示尚未写入的显存",
)
READS = {
    "in order": words(
        "all batches in order, on a device that runs everything as it is queued",
        "按序得到全部批次（设备按入队顺序立即执行一切操作）",
    ),
    "kernels first": words(
        "all batches in order, also where a kernel runs before the copies it does not wait for",
        "按序得到全部批次，即使核函数抢在没有要求它等待的拷贝之前运行",
    ),
    "copies first": words(
        "all batches in order, also where freed memory is overwritten before kernels have read it",
        "按序得到全部批次，即使写入已释放显存的拷贝抢在仍要读取它的核函数之前运行",
    ),
    "memory first": words(
        "all batches in order, also where freed memory is overwritten as soon as the kernels have "
        "run whose stream was recorded",
        "按序得到全部批次，即使登记过的流一执行完，已释放的显存就立刻被覆盖",
    ),
    "lazy": words(
        "all batches in order, also where nothing runs before something demands it",
        "按序得到全部批次，即使每个操作都拖到被要求时才运行",
    ),
}
NOTES = {
    "structure": words(
        "the numbers of the batches whose structure or plain values are not those of the loader",
        "结构或普通值与加载器给出的不一致的批次编号",
    ),
    "elsewhere": words(
        "the numbers of the batches with a tensor that is not one of the device",
        "含有不在设备上的张量的批次编号",
    ),
    "late": words(
        "the numbers of the batches that were copied too late: next() had returned batch k, "
        "nothing moved any more, and not all copies of k+1 to k+depth were queued",
        "拷贝得太晚的批次编号：next() 返回第 k 批、程序不再有任何动作时，"
        "第 k+1 到 k+depth 批的拷贝没有全部入队",
    ),
    "copies among kernels": words(
        "copies on a stream on which the consumer computes", "在消费者的计算流上入队的拷贝次数"
    ),
    "host waits": words(
        "how often the consumer's thread waited for the device: in synchronize, or by asking an "
        "event again and again",
        "消费者线程等待设备的次数：调用 synchronize，或反复询问同一个事件",
    ),
    "pins": words("how often each tensor was pinned", "每个张量被锁页的次数"),
    "other pins": words(
        "pins of something that is not in the loader's batches", "对加载器批次之外的张量锁页的次数"
    ),
    "unpinned copies": words(
        "copies from memory that is not page-locked: the host stands still until they are made",
        "从未锁页内存发起的拷贝次数：主机要停到拷贝完成为止",
    ),
    "passes": words(
        "for each pass the number of batches, and the arguments of the exception at its end",
        "每一遍的批次数，以及末尾处加载器异常的参数",
    ),
    "open": words(
        "iterators of the loader that were not closed after each pass",
        "每一遍之后没有关闭的加载器迭代器个数",
    ),
    "threads": words("threads that were left after each pass", "每一遍之后残留的线程数"),
    "arguments": words(
        "ValueError below depth 1; the length of the loader, or TypeError",
        "depth 小于 1 时抛 ValueError；长度为加载器的长度，没有则抛 TypeError",
    ),
}
# What a group looks at in addition to the batches themselves.
LOOKS = {
    "depth": ("late", "copies among kernels", "pulled ahead"),
    "hazard": ("kernels first", "copies first", "memory first", "lazy", "host waits"),
    "switch": ("kernels first", "copies first", "memory first", "lazy"),
    "pin": ("pins", "other pins", "unpinned copies"),
    "leak": ("open", "threads"),
}


def expect(case):
    secret = case.secret
    if secret["op"] == "arguments":
        return expect_arguments(secret)
    looks = ("passes", "structure", "elsewhere", "in order", *LOOKS.get(secret["group"], ()))
    return {
        f"{number}:{look}": expectation
        for number, run in enumerate(secret["runs"])
        for look, expectation in expect_run(run, looks).items()
    }


def expect_run(run, looks):
    values, found = wanted(run), {}
    for look in looks:
        if look == "pulled ahead":
            found[look] = at_most(run["depth"] + 2)
        elif look in READS:
            found[look] = reads(look, values[look])
        else:
            found[look] = Exact(values[look], note=NOTES[look])
    return found


def expect_arguments(secret):
    found = {f"depth {d}": "accepted" if d >= 1 else "ValueError" for d in secret["depths"]}
    found |= {"len": secret["length"], "no len": "TypeError"}
    return {"arguments": Exact(found, note=NOTES["arguments"])}


def wanted(run):
    counts = [len(probe.leaves(probe.decode(each))) for each in run["batches"]]
    passes = [given(run, most) for most in run.get("passes", [None])]
    contents = []
    for number_of_batches, *_ in passes:
        for number in range(number_of_batches):
            position = number % len(counts)
            first = sum(counts[:position])
            contents += range(first, first + counts[position])
    empty = {key: [] for key in ("structure", "elsewhere", "late")}
    zero = dict.fromkeys(("copies among kernels", "host waits", "other pins", "unpinned copies"), 0)
    return {
        **dict.fromkeys(READS, contents),
        **empty,
        **zero,
        "pins": [float(run["pin"])] * sum(counts),
        "passes": passes,
        "open": [0] * len(passes),
        "threads": [0] * len(passes),
    }


def given(run, most):
    """Return how many batches a pass gives, and how it ends if the consumer does not leave."""
    size, error_at = len(run["batches"]), run.get("error_at")
    if error_at is not None:
        return [error_at, ["itself", f"batch {error_at} cannot be read", str(error_at)]]
    if most is None or (most > size and not run.get("endless")):
        return [size, []]
    return [most]


def reads(look, contents):
    note = {lang: READS[look][lang] + NUMBERED[lang] for lang in ("en", "zh")}

    def right(got):
        are_numbers = isinstance(got, list) and all(type(each) is int for each in got)
        return are_numbers and got == contents

    return Holds(right, note, truth=contents)


def at_most(count):
    note = words(
        f"at most {count} batches pulled beyond those given out (depth + 2)",
        f"取得的批次最多比已交出的多 {count} 批（depth + 2）",
    )
    return Holds(lambda got: got <= count, note, takes=COUNT)
