# %% setup
import tempfile
import warnings

import torch
import torch._dynamo  # building a DDP imports it: once here, and not in every process
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def worker(rank, body, world, folder, answers):
    torch.set_num_threads(1)
    meeting = f"file://{folder}/meeting"
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=world)
    try:
        answers.put((rank, body(rank)))
    except (RuntimeError, ValueError) as error:
        answers.put((rank, str(error)))
    dist.destroy_process_group()


def launch(body, world=2):
    """Run `body(rank)` in processes of one group; list what they return, or their errors."""
    with tempfile.TemporaryDirectory() as folder:
        answers = mp.get_context("fork").SimpleQueue()
        mp.start_processes(worker, (body, world, folder, answers), world, start_method="fork")
        return [answer for _, answer in sorted(answers.get() for _ in range(world))]


def numbers(rank):
    """Return two numbers that tell where they come from."""
    return torch.tensor([rank + 1.0, 10.0 * (rank + 1)])


# %% 8.2.1.1.1 from one to all, from all to one
def one_and_all(rank):
    told = numbers(rank)
    dist.broadcast(told, src=1)
    parts = [torch.zeros(1) for _ in range(3)] if rank == 0 else None
    dist.gather(torch.tensor([float(rank)]), parts, dst=0)
    share = torch.zeros(1)
    table = [torch.tensor([100.0 + r]) for r in range(3)] if rank == 0 else None
    dist.scatter(share, table, src=0)
    return told.tolist(), parts and [part.item() for part in parts], share.item()


told, gathered, shares = zip(*launch(one_and_all, world=3), strict=True)
print(told[0], gathered, shares)
# > [2.0, 20.0] ([0.0, 1.0, 2.0], None, None) (100.0, 101.0, 102.0)
assert told == ([2.0, 20.0],) * 3  # claim: broadcast-gives-all-the-same
assert gathered == ([0.0, 1.0, 2.0], None, None)  # claim: gather-fills-one
assert shares == (100.0, 101.0, 102.0)  # claim: scatter-gives-each-a-part


# %% 8.2.1.1.1 everybody to everybody
def all_and_all(rank):
    total = numbers(rank)
    dist.all_reduce(total)
    parts = [torch.zeros(2) for _ in range(2)]
    dist.all_gather(parts, numbers(rank))
    mine = torch.zeros(1)
    dist.reduce_scatter_single(mine, numbers(rank))
    whole = torch.zeros(2)
    dist.all_gather_single(whole, mine)
    turned = torch.zeros(2)
    dist.all_to_all_single(turned, numbers(rank))
    return [each.tolist() for each in (total, torch.stack(parts), mine, whole, turned)]


(total, parts, mine_0, whole, turned_0), (_, _, mine_1, _, turned_1) = launch(all_and_all)
print(total, parts, mine_0, mine_1, turned_0, turned_1)
# > [3.0, 30.0] [[1.0, 10.0], [2.0, 20.0]] [3.0] [30.0] [1.0, 2.0] [10.0, 20.0]
assert total == [3.0, 30.0]  # claim: all-reduce-sums-everywhere
assert parts == [[1.0, 10.0], [2.0, 20.0]]  # claim: all-gather-keeps-them-apart
assert mine_0 + mine_1 == total  # claim: reduce-scatter-leaves-a-part
assert whole == total  # claim: scatter-then-gather-is-all-reduce
assert [turned_0, turned_1] == [[1.0, 2.0], [10.0, 20.0]]  # claim: all-to-all-transposes


# %% 8.2.1.1.1 the sum on one
def to_one(rank):
    total = numbers(rank)
    dist.reduce(total, dst=0)
    return total.tolist()


assert launch(to_one)[0] == [3.0, 30.0]  # claim: reduce-is-for-one


# %% 8.2.1.1.2 a mean over unequal shares
def measure(rank):
    right = torch.tensor([1.0, 1.0, 1.0, 1.0] if rank == 0 else [0.0])
    of_means = right.mean()
    dist.all_reduce(of_means)
    sums = torch.tensor([right.sum(), float(len(right))])
    dist.all_reduce(sums)
    return of_means.item() / 2, (sums[0] / sums[1]).item()


of_means, exact = launch(measure)[0]
print(of_means, round(exact, 4))
# > 0.5 0.8
assert of_means == 0.5  # claim: a-mean-of-means-is-wrong
assert abs(exact - 4 / 5) < 1e-6  # claim: sum-and-count-are-right


# %% 8.2.1.1.2 a decision for all
def decide(rank):
    loss = [0.9, 0.4][rank]
    alone = loss < 0.5
    stop = torch.tensor(float(loss))
    dist.all_reduce(stop, op=dist.ReduceOp.MAX)
    settings = [{"lr": 0.1}] if rank == 0 else [None]
    dist.broadcast_object_list(settings, src=0)
    return alone, bool(stop < 0.5), settings[0]


decisions = launch(decide)
print(decisions)
# > [(False, False, {'lr': 0.1}), (True, False, {'lr': 0.1})]
assert decisions[0][0] != decisions[1][0]  # claim: alone-they-disagree
assert decisions[0][1] == decisions[1][1]  # claim: reduced-they-agree
assert decisions[1][2] == {"lr": 0.1}  # claim: objects-can-be-sent


# %% 8.2.1.1.2 what DDP does not do
def by_hand(rank):
    torch.manual_seed(0)
    x = torch.full((1, 2), float(rank + 1))
    model = nn.Linear(2, 1)
    model(x).square().mean().backward()
    alone = model.weight.grad.clone()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= dist.get_world_size()
    loss = DDP(nn.Linear(2, 1))(x).square().mean()
    loss.backward()
    return alone.tolist(), model.weight.grad.tolist(), round(loss.item(), 4)


(alone_0, mean_0, loss_0), (alone_1, mean_1, loss_1) = launch(by_hand)
expected = (torch.tensor(alone_0) + torch.tensor(alone_1)) / 2
assert torch.allclose(torch.tensor(mean_0), expected)  # claim: gradients-by-hand
assert mean_0 == mean_1  # claim: the-same-bits-everywhere
assert loss_0 != loss_1  # claim: nobody-averages-the-loss


# %% 8.2.1.1.3 what may be done with the numbers
def reduced(op, value):
    """Return what all ranks get from a reduction, or the words of its refusal."""
    try:
        dist.all_reduce(value, **({"op": op} if op else {}))
    except (RuntimeError, ValueError) as error:
        return str(error)
    return value.item()


op = dist.ReduceOp


def all_kinds(rank):
    numbers = [reduced(each, torch.tensor([2.0, 3.0][rank])) for each in (op.SUM, op.PRODUCT)]
    numbers += [reduced(each, torch.tensor([2.0, 3.0][rank])) for each in (op.MIN, op.MAX)]
    bits = [reduced(each, torch.tensor([2, 3][rank])) for each in (op.BAND, op.BOR, op.BXOR)]
    return numbers, bits, reduced(op.BAND, torch.tensor(1.0)), reduced(None, torch.tensor(1.0))


numbers_0, bits, of_floats, default = launch(all_kinds)[0]
print(numbers_0, bits, of_floats, default, sep="\n")
# > [5.0, 6.0, 2.0, 3.0]
# > [2, 3, 1]
# > Cannot use ReduceOp.BAND with non-integral dtype
# > 2.0
assert numbers_0 == [2 + 3, 2 * 3, 2, 3]  # claim: four-for-numbers
assert bits == [2 & 3, 2 | 3, 2 ^ 3]  # claim: three-for-bits
assert "with non-integral dtype" in str(of_floats)  # claim: no-bits-of-floats
assert default == 2.0  # claim: sum-is-the-default


# %% 8.2.1.1.3 the mean, and what the dtype does to it
def mean(rank):
    averaged = reduced(op.AVG, torch.tensor([2.0, 4.0][rank]))
    small = reduced(op.SUM, torch.tensor(100, dtype=torch.int8))
    return averaged, small


averaged, small = launch(mean)[0]
print(averaged, small)
# > 3.0 -56
assert not hasattr(dist.ReduceOp, "MEAN")  # claim: there-is-no-mean
assert averaged == (2 + 4) / 2  # claim: avg-works-on-gloo
assert small == 200 - 256  # claim: sums-wrap-around

# %% 8.2.1.1.3 the old spelling
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    old = dist.reduce_op.SUM
message = " ".join(str(each.message) for each in said)
print(message)
# > `torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` instead
assert "`torch.distributed.reduce_op` is deprecated" in message  # claim: reduce-op-warns
assert old == dist.ReduceOp.SUM  # claim: it-is-the-same-value

# %% 8.2.1.1.4 a handle instead of a result
gate = mp.get_context("fork").Event()


def start(rank):
    value = torch.ones(4)
    if rank == 1:
        gate.wait()  # rank 1 comes late
    work = dist.all_reduce(value, async_op=True)
    before = work.is_completed()
    gate.set()
    work.wait()
    nothing = dist.all_reduce(torch.ones(1))
    return isinstance(work, dist.Work), before, value.tolist(), nothing is None


handle, before, value, none = launch(start)[0]
print(handle, before, value, none)
# > True False [2.0, 2.0, 2.0, 2.0] True
assert handle  # claim: a-handle-to-wait-for
assert not before  # claim: not-ready-at-return
assert value == [2.0] * 4  # claim: after-wait-it-is-there
assert none  # claim: without-it-none-is-returned


# %% 8.2.1.1.4 several on their way
def many(rank):
    values = [torch.full((2,), float(rank + number)) for number in range(5)]
    works = [dist.all_reduce(value, async_op=True) for value in values]
    for work in works:
        work.wait()
    last = dist.all_reduce(torch.ones(2), async_op=True)
    future = last.get_future().then(lambda done: done.value()[0] * 10)
    return [value[0].item() for value in values], future.wait().tolist()


values, after = launch(many)[0]
print(values, after)
# > [1.0, 3.0, 5.0, 7.0, 9.0] [20.0, 20.0]
assert values == [1, 3, 5, 7, 9]  # claim: they-are-matched-by-order
assert after == [20.0, 20.0]  # claim: a-future-goes-on


# %% 8.2.1.1.4 from one to another
def pass_on(rank):
    came = torch.zeros(1)
    works = [dist.isend(torch.tensor([rank + 1.0]), dst=1 - rank), dist.irecv(came, src=1 - rank)]
    for each in works:
        each.wait()
    return came.item()


assert launch(pass_on) == [2.0, 1.0]  # claim: both-send-and-nobody-waits
