"""Drive a prefetching loader on a device that only exists as notes.

The process of the submission holds no device. Each call of it is noted by the process that leads
this one, and a tensor of the device is a handle full of zeros. `conclude` runs in the leader: it
plays the notes on machines that run the queued operations in different orders, and says what the
reads of the consumer found. What the machines hold never comes near the submission.
"""

import gc
import sys
import threading
import time
import weakref
from collections import deque, namedtuple
from itertools import accumulate
from queue import Empty, Full

import torch

Pair = namedtuple("Pair", ["x", "y"])
# An endless source ends here, long after every bound.
MOST_PULLS = 300
# So often an event is "not yet" before it has passed; in one call of `next` no time passes at all.
NOT_YET, POLLS = 2, 100
SHORT_S, STILL_WAITS, LEAVE_SLICES = 0.05, 4, 10
FRESH, STRANGE = -1, -2
POLICIES = ("in order", "kernels first", "copies first", "memory first", "lazy")

# Taken before the submission is read, which may rebind them.
_sleep, _now, _me, _frames = time.sleep, time.monotonic, threading.get_ident, sys._current_frames
_collect, _freeze, _zeros, _Tensor, _ref = (
    gc.collect,
    gc.freeze,
    torch.zeros,
    torch.Tensor,
    weakref.ref,
)
_clone, _detach, _view, _flatten = (
    torch.Tensor.clone,
    torch.Tensor.detach,
    torch.Tensor.view,
    torch.Tensor.flatten,
)
_storage, _pointer, _to_list = (
    torch.Tensor.untyped_storage,
    torch.UntypedStorage.data_ptr,
    torch.Tensor.tolist,
)
_dtype, _shape = (
    torch._C.TensorBase.dtype.__get__,
    torch._C.TensorBase.shape.__get__,
)
_BYTES, _LINES = torch.uint8, torch.contiguous_format


def token_of(tensor):
    """Return the dtype, the shape and every bit of a tensor as a text."""
    flat = _flatten(_clone(_detach(tensor), memory_format=_LINES))
    return f"{_dtype(tensor)} {list(_shape(tensor))} {bytes(_to_list(_view(flat, _BYTES))).hex()}"


def kind_of(token):
    """Return what two tensors share that may use one block of memory."""
    return token.rpartition(" ")[0]


def pointer_of(tensor):
    return _pointer(_storage(tensor))


def leaves(tree):
    """Return the tensors of a batch; those of a dict by the order of its keys as texts."""
    if isinstance(tree, _Tensor):
        return [tree]
    if isinstance(tree, dict):
        items = [tree[key] for key in sorted(tree, key=str)]
    else:
        items = tree if isinstance(tree, (list, tuple)) else ()
    return [leaf for item in items for leaf in leaves(item)]


class Queues:
    """Streams as queues: what has run, and what has to run before something else.

    An operation is a list: its name first. Only "wait" ties two streams together.
    """

    def __init__(self):
        self.queues, self.done, self.events = [], [], []

    def stream(self):
        self.queues.append([])
        self.done.append(0)

    def add(self, stream, operation):
        self.queues[stream].append(operation)

    def event(self, stream):
        """An event covers what its stream holds now, and nothing that comes later."""
        self.events.append((stream, len(self.queues[stream])))

    def has_passed(self, stream, place):
        return self.done[stream] >= place

    def run(self, stream, place):
        """Run a stream up to a place, and of the others only what this demands."""
        wanted = [(stream, place)]
        while wanted:
            stream, place = wanted[-1]
            if self.has_passed(stream, place):
                wanted.pop()
                continue
            operation = self.queues[stream][self.done[stream]]
            if operation[0] == "wait" and not self.has_passed(*self.events[operation[1]]):
                wanted.append(self.events[operation[1]])
                continue
            self.execute(operation)
            self.done[stream] += 1

    def execute(self, operation):
        """Nothing is held here."""


class Clock(Queues):
    """Know what the host has learned to be over; the same rules answer a program and its notes."""

    def __init__(self):
        super().__init__()
        self.asked, self.step = {}, 0

    def query(self, number, by_consumer):
        """Return whether an event has passed, and whether the consumer stood still to learn it."""
        stream, place = self.events[number]
        if self.has_passed(stream, place):
            return True, False
        asked = self.asked.setdefault(number, [])
        # A consumer that asks again and again in one call of `next` waits like `synchronize`.
        seen = {step for step in asked if step != self.step} if by_consumer else asked
        is_poll = by_consumer and asked.count(self.step) >= POLLS
        asked.append(self.step if by_consumer else -1 - len(asked))
        if is_poll or len(seen) >= NOT_YET:
            self.run(stream, place)
            return True, is_poll
        return False, False


class Log:
    """Number what the submission makes, and note every call in the order in which it happens."""

    def __init__(self, rank, number=0):
        self.rank, self.number, self.notes, self.clock = rank, number, [], Clock()
        self.lock, self.consumer = threading.RLock(), _me()
        self.handles, self.freed, self.pinned = {}, deque(), {}
        self.num_handles, self.copied, self.awaited, self.num_waits = 0, set(), None, 0

    def note(self, *values):
        """Note something; what was freed meanwhile comes first."""
        with self.lock:
            while self.freed:
                self._send(["free", self.freed.popleft()])
            self._send(list(values))

    def _send(self, values):
        if self.rank:
            self.rank.note([self.number, *values])
        else:
            self.notes.append([self.number, *values])

    def is_consumer(self):
        return _me() == self.consumer

    def handle(self, tensor):
        """Return the number of a tensor of the device, None for another object."""
        known = self.handles.get(id(tensor))
        return known[0] if known is not None and known[1]() is tensor else None

    def new_handle(self, token, like):
        """Make a handle; when it is dropped, its memory is free."""
        made, number = _zeros(_shape(like), dtype=_dtype(like)), self.num_handles
        key, handles, freed = id(made), self.handles, self.freed
        self.num_handles += 1

        def free(_):
            handles.pop(key, None)
            freed.append(number)

        handles[key] = (number, _ref(made, free))
        self.copied.add(token)
        if self.awaited is not None and self.awaited <= self.copied and self.rank:
            self.rank.signal(f"copied {self.number} {self.num_waits}")
        return made, number

    def wait_for_copies(self, tokens):
        """Return whether they are queued before no thread of the program moves any more."""
        end = _now() + SHORT_S
        while not tokens <= self.copied:
            if _now() < end:
                _sleep(0.001)
                continue
            with self.lock:
                self.num_waits += 1
                self.awaited = set(tokens)
                if tokens <= self.copied or not self.rank:
                    break
            self.rank.wait_for(f"copied {self.number} {self.num_waits}")
            break
        self.awaited = None
        return tokens <= self.copied


class Sealed(type):
    """Classes whose methods nobody replaces."""

    def __setattr__(cls, name, value):
        raise TypeError(f"{cls.__name__}.{name} belongs to the judge")

    __delattr__ = None


class Event(metaclass=Sealed):
    """A place in a stream."""

    __slots__ = ("_log", "_number")

    def __init__(self, log, number):
        self._log, self._number = log, number

    def query(self):
        log, by_consumer = self._log, self._log.is_consumer()
        with log.lock:
            log.note("query", self._number, by_consumer)
            return log.clock.query(self._number, by_consumer)[0]

    def synchronize(self):
        log = self._log
        with log.lock:
            log.note("sync event", self._number, log.is_consumer())
            log.clock.run(*log.clock.events[self._number])


class Stream(metaclass=Sealed):
    """A queue of operations."""

    __slots__ = ("_log", "_number")

    def __init__(self, log):
        with log.lock:
            self._log, self._number = log, len(log.clock.queues)
            log.note("stream")
            log.clock.stream()

    def record_event(self):
        log = self._log
        with log.lock:
            number = len(log.clock.events)
            log.note("event", self._number)
            log.clock.event(self._number)
            return Event(log, number)

    def wait_event(self, event):
        if type(event) is not Event:
            raise TypeError(f"wait_event takes an event; got {type(event).__name__}")
        log = self._log
        with log.lock:
            log.note("wait", self._number, event._number)
            log.clock.add(self._number, ["wait", event._number])

    def synchronize(self):
        log = self._log
        with log.lock:
            log.note("sync stream", self._number, log.is_consumer())
            log.clock.run(self._number, len(log.clock.queues[self._number]))


class Device(metaclass=Sealed):
    """A device without memory: what it does is noted."""

    __slots__ = ("_current", "_log")

    def __init__(self, log):
        self._log, self._current = log, [Stream(log)]

    def stream(self):
        return Stream(self._log)

    def current_stream(self):
        return self._current[0]

    def pin(self, tensor):
        token = self._token(tensor)
        copy = _clone(_detach(tensor))
        with self._log.lock:
            self._log.note("pin", token)
            self._log.pinned[pointer_of(copy)] = copy
        return copy

    def copy_async(self, tensor, stream):
        if type(stream) is not Stream:
            raise TypeError(f"copy_async takes a stream; got {type(stream).__name__}")
        log, token = self._log, self._token(tensor)
        with log.lock:
            is_pinned = pointer_of(tensor) in log.pinned
            made, number = log.new_handle(token, tensor)
            log.note("copy", stream._number, number, token, is_pinned)
            log.clock.add(stream._number, ["copy"])
            if not is_pinned:
                log.clock.run(stream._number, len(log.clock.queues[stream._number]))
        return made

    def record_stream(self, tensor, stream):
        if type(stream) is not Stream:
            raise TypeError(f"record_stream takes a stream; got {type(stream).__name__}")
        number = self._log.handle(tensor)
        if number is None:
            raise ValueError("record_stream takes a tensor of the device")
        self._log.note("uses", number, stream._number)

    def _token(self, tensor):
        if not isinstance(tensor, _Tensor):
            raise TypeError(f"a tensor is copied; got {type(tensor).__name__}")
        if self._log.handle(tensor) is not None:
            raise ValueError("the tensor is on the device already")
        return token_of(tensor)


class Source:
    """A loader without a length, which notes what is pulled from it."""

    def __init__(self, log, batches, endless=False, error_at=None, error="LoaderError"):
        self.log, self.batches, self.endless, self.error_at = log, batches, endless, error_at
        self.error = ERRORS[error](f"batch {error_at} cannot be read", error_at)

    def __iter__(self):
        self.log.note("open")
        try:
            for number in range(MOST_PULLS if self.endless else len(self.batches) + 1):
                if number == self.error_at:
                    raise self.error
                if number >= len(self.batches) and not self.endless:
                    return
                self.log.note("pull")
                yield self.batches[number % len(self.batches)]
        finally:
            self.log.note("close")


class Sized(Source):
    """A loader with a length."""

    def __len__(self):
        return len(self.batches)


class LoaderError(Exception):
    """What no library raises."""


# Some of them mean something to who hands batches over, and to who waits for them.
ERRORS = {
    kind.__name__: kind
    for kind in (LoaderError, RuntimeError, ValueError, OSError, EOFError, TimeoutError, Empty)
} | {"Full": Full, "IndexError": IndexError}


def decode(node):
    """Build a batch from pairs of a kind and what stands there."""
    kind, item = node
    if kind in ("tensor", "value"):
        return item
    if kind == "transposed":
        return item.t()
    if kind == "dict":
        return {key: decode(each) for key, each in item.items()}
    built = [decode(each) for each in item]
    return {"list": list, "tuple": tuple, "pair": lambda each: Pair(*each)}[kind](built)


def alike(log, given, wanted):
    """Return whether a batch has the structure of the loader's, its tensors aside."""
    if isinstance(wanted, _Tensor):
        return isinstance(given, _Tensor)
    if type(given) is not type(wanted):
        return False
    if isinstance(wanted, dict):
        return given.keys() == wanted.keys() and all(
            alike(log, given[k], wanted[k]) for k in wanted
        )
    if isinstance(wanted, (list, tuple)):
        pairs = zip(given, wanted, strict=False)
        return len(given) == len(wanted) and all(alike(log, *pair) for pair in pairs)
    return given is wanted or given == wanted


class Pass:
    """One consumer: it takes batches, queues work on them, drops them and goes on."""

    def __init__(self, submission, data, log):
        self.rank, self.log = log.rank, log
        self.device, self.data = Device(log), data
        self.batches = [decode(each) for each in data["batches"]]
        self.tokens = [[token_of(leaf) for leaf in leaves(each)] for each in self.batches]
        if not data["pin"]:
            for leaf in (leaf for each in self.batches for leaf in leaves(each)):
                log.pinned[pointer_of(leaf)] = leaf
        self.streams = [self.device.current_stream()]
        self.streams += [Stream(log) for _ in range(data.get("streams", 1) - 1)]
        kind = Sized if data.get("sized") else Source
        failing = {key: data[key] for key in ("error_at", "error") if key in data}
        self.source = kind(log, self.batches, data.get("endless", False), **failing)
        given = {} if data.get("by_default") else {"depth": data["depth"], "pin": data["pin"]}
        self.loader = submission.PrefetchLoader(self.source, self.device, **given)
        self.is_late = False

    def run(self):
        """Make all passes."""
        if self.rank and self.data.get("leak"):
            _freeze()  # a collection looks at what this program makes only
        for most in self.data.get("passes", [None]):
            before = len(_frames())
            # The frame of the pass is the last one that holds the iterator.
            self._one(most)
            if self.data.get("leak"):
                _collect()
                self._wait_for_threads(before)

    def _one(self, most):
        self.log.note("begin")
        stream, number = iter(self.loader), 0
        while most is None or number < most:
            if self.data.get("pause"):
                _sleep(self.data["pause"])
            self._switch(number)
            self.log.clock.step += 1
            self.log.note("next")
            try:
                batch = next(stream)
            except StopIteration:
                self.log.note("end", [])
                return
            except Exception as error:
                if self.source.error_at is None:
                    raise
                kind = "itself" if error is self.source.error else type(error).__name__
                self.log.note("end", [kind, *(str(each) for each in error.args)])
                # The loader has it for the next pass; the frames of this one are over.
                error.with_traceback(None)
                return
            self._use(batch, number)
            del batch
            number += 1
        if self.data.get("leak"):
            # A thread of the program has time to fill its queue before the consumer leaves.
            for _ in range(LEAVE_SLICES):
                _sleep(SHORT_S / LEAVE_SLICES)

    def _switch(self, number):
        """Compute on another stream from now on."""
        chosen = self.streams[number % len(self.streams)]
        if self.device._current[0] is not chosen:
            self.device._current[0] = chosen
        self.log.note("compute", chosen._number)

    def _use(self, batch, number):
        wanted = self.batches[number % len(self.batches)]
        is_alike = alike(self.log, batch, wanted)
        handles = [self.log.handle(leaf) for leaf in leaves(batch)] if is_alike else []
        self.log.note("given", is_alike, handles)
        if self.data.get("settle"):
            self._settle(number)
        self.log.note("read", self.device._current[0]._number)
        self.log.clock.add(self.device._current[0]._number, ["read"])

    def _settle(self, number):
        """Wait until the next copies are queued, or nothing moves any more."""
        later = self.tokens[number + 1 : number + 1 + self.data["depth"]]
        if not self.is_late:
            self.is_late = not self.log.wait_for_copies({each for own in later for each in own})
        self.log.note("settled")

    def _wait_for_threads(self, before):
        """Wait until the threads of the pass have ended; one may sleep before it looks."""
        end, num_waits = _now() + SHORT_S, 0
        while len(_frames()) > before and not self.is_late:
            if _now() < end:
                _sleep(0.005)
            elif self.rank and num_waits < STILL_WAITS:
                # It returns when no thread moves any more.
                self.rank.wait_for("the end of the threads")
                num_waits += 1
            else:
                self.is_late = True
        self.log.note("threads", max(0, len(_frames()) - before))


def probe(submission, op, data, tools):
    """Answer one request; what `conclude` says comes from the leader, if there is one."""
    if op == "arguments":
        return arguments(submission, data, tools)
    rank, notes = getattr(tools, "rank", None), []
    for number, each in enumerate(data["runs"]):
        log = Log(rank, number)
        # Those who try without a leader read the notes here, in their order.
        log.notes = notes
        Pass(submission, each, log).run()
    return {} if rank else conclude(op, data, notes)


def arguments(submission, data, tools):
    """Return what lengths and bad depths give."""
    log, found = Log(None), {}
    device = Device(log)
    for depth in data["depths"]:
        tried = tools.attempt(
            lambda depth=depth: submission.PrefetchLoader(Source(log, []), device, depth=depth)
        )
        found[f"depth {depth}"] = outcome(tried)
    sized = Sized(log, [torch.zeros(1)] * data["length"])
    found["len"] = outcome(tools.attempt(lambda: len(submission.PrefetchLoader(sized, device))))
    bare = Source(log, [torch.zeros(1)])
    found["no len"] = outcome(tools.attempt(lambda: len(submission.PrefetchLoader(bare, device))))
    return {"arguments": found}


def outcome(tried):
    raised = tried.get("raised")
    if raised is not None:
        kinds = (raised["type"], *raised["bases"])
        return next((kind for kind in kinds if kind in ("ValueError", "TypeError")), kinds[0])
    return tried["value"] if type(tried.get("value")) is int else "accepted"


class Machine(Queues):
    """A device with memory, which runs what is queued in the worst order that is allowed.

    Attributes:
        compute: The streams on which the consumer computes.
        found: What each read found, by the pass and the batch.
        last_read: How far each stream of kernels has to run for its last read.
    """

    def __init__(self, policy, compute):
        super().__init__()
        self.policy, self.compute = policy, compute
        self.contents, self.blocks, self.users, self.pool = [], {}, {}, {}
        self.found, self.last_read = {}, {}

    def copy(self, stream, handle, token):
        """Take a freed block of this stream at once, unless its user has not come to an end."""
        pool = self.pool.setdefault((stream, kind_of(token)), [])
        if self.policy == "memory first" and not any(map(self._is_free, pool)):
            # Of the kernels it runs those whose end the allocator awaits, and no others.
            for point in pool[0][1] if pool else ():
                self.run(*point)
        entry = next(filter(self._is_free, pool), None)
        if entry is None:
            block = len(self.contents)
            self.contents.append(None)
        else:
            pool.remove(entry)
            block = entry[0]
        self.blocks[handle] = (block, stream, kind_of(token))
        self.queue(stream, ["copy", block, token])

    def _is_free(self, entry):
        return all(self.has_passed(*point) for point in entry[1])

    def free(self, handle):
        block, stream, kind = self.blocks[handle]
        points = [(user, len(self.queues[user])) for user in self.users.pop(handle, ())]
        self.pool[(stream, kind)].append((block, points))

    def read(self, stream, number, handles):
        # A wait that no kernel follows demands nothing.
        self.last_read[stream] = len(self.queues[stream]) + 1
        self.queue(stream, ["read", number, [self.blocks[handle][0] for handle in handles]])

    def queue(self, stream, operation):
        self.add(stream, operation)
        self.progress()

    def execute(self, operation):
        if operation[0] == "copy":
            self.contents[operation[1]] = operation[2]
        elif operation[0] == "read":
            self.found[operation[1]] = [self.contents[block] for block in operation[2]]

    def progress(self):
        """Run what this policy runs as soon as it can."""
        if self.policy == "lazy":
            return
        if self.policy in ("copies first", "memory first"):
            while any([self._advance(stream) for stream in self._streams(of_copies=True)]):
                pass
            return
        for stream in self._streams(of_copies=False):
            self.run(stream, self.last_read.get(stream, 0))
        if self.policy == "in order":
            for stream in self._streams(of_copies=True):
                self.run(stream, len(self.queues[stream]))

    def _streams(self, *, of_copies):
        numbers = range(len(self.queues))
        return [each for each in numbers if (each in self.compute) != of_copies]

    def _advance(self, stream):
        """Run a stream up to an event that has not passed; return whether anything ran."""
        before, queue = self.done[stream], self.queues[stream]
        while self.done[stream] < len(queue):
            operation = queue[self.done[stream]]
            if operation[0] == "wait" and not self.has_passed(*self.events[operation[1]]):
                break
            self.execute(operation)
            self.done[stream] += 1
        return self.done[stream] > before

    def finish(self):
        for stream, place in self.last_read.items():
            self.run(stream, place)
        for stream, queue in enumerate(self.queues):
            self.run(stream, len(queue))


class Story:
    """Read the notes of a program: what it did wrong, and what its reads found on each machine."""

    def __init__(self, data, notes):
        self.batches = [decode(each) for each in data["batches"]]
        self.tokens = [[token_of(leaf) for leaf in leaves(each)] for each in self.batches]
        self.data, self.clock = data, Clock()
        self.compute = {note[1] for note in notes if note[0] == "compute"}
        self.machines = [Machine(policy, self.compute) for policy in POLICIES]
        self.copied_at, self.settled, self.given = {}, {}, {}
        self.pass_number, self.at = -1, 0
        self.pulled, self.num_pulled, self.num_given = 0, 0, 0
        self.opened, self.left_open, self.threads, self.ends = 0, [], [], []
        self.pins, self.waits = {}, 0
        self.unpinned, self.mixed, self.structure, self.foreign = 0, 0, [], []

    def read(self, notes):
        for self.at, (name, *values) in enumerate(notes):
            READERS[name](self, *values)
        for machine in self.machines:
            machine.finish()

    def _all(self, method, *values):
        for machine in self.machines:
            getattr(machine, method)(*values)

    def on_stream(self):
        self.clock.stream()
        self._all("stream")

    def on_event(self, stream):
        self.clock.event(stream)
        self._all("event", stream)

    def on_wait(self, stream, event):
        self.clock.add(stream, ["wait", event])
        self._all("queue", stream, ["wait", event])

    def on_query(self, event, by_consumer):
        has_passed, is_poll = self.clock.query(event, by_consumer)
        self.waits += is_poll
        if has_passed:
            self._force(*self.clock.events[event])

    def on_sync_event(self, event, by_consumer):
        self.waits += by_consumer
        self._force(*self.clock.events[event])

    def on_sync_stream(self, stream, by_consumer):
        self.waits += by_consumer
        self._force(stream, len(self.clock.queues[stream]))

    def _force(self, stream, place):
        self.clock.run(stream, place)
        self._all("run", stream, place)
        self._all("progress")

    def on_pin(self, token):
        self.pins[token] = self.pins.get(token, 0) + 1

    def on_copy(self, stream, handle, token, is_pinned):
        self.copied_at[handle] = self.at
        self.mixed += stream in self.compute
        self.unpinned += not is_pinned
        self.clock.add(stream, ["copy"])
        self._all("copy", stream, handle, token)
        if not is_pinned:
            self._force(stream, len(self.clock.queues[stream]))

    def on_free(self, handle):
        self._all("free", handle)

    def on_uses(self, handle, stream):
        for machine in self.machines:
            machine.users.setdefault(handle, set()).add(stream)

    def on_open(self):
        self.opened += 1

    def on_close(self):
        self.opened -= 1

    def on_pull(self):
        self.num_pulled += 1

    def on_begin(self):
        self.pass_number += 1
        self.num_pulled = self.num_given = 0
        self.ends.append([0])

    def on_next(self):
        self.clock.step += 1

    def on_given(self, is_alike, handles):
        key = (self.pass_number, self.num_given)
        self.num_given += 1
        self.ends[-1][0] += 1
        self._count_pulls()
        if not is_alike:
            self.structure.append(self.num_given - 1)
        if None in handles:
            self.foreign.append(self.num_given - 1)
        is_usable = is_alike and None not in handles
        self.given[key] = handles if is_usable else []
        self.last = key

    def _count_pulls(self):
        self.pulled = max(self.pulled, self.num_pulled - self.num_given)

    def on_settled(self):
        self._count_pulls()
        self.settled[self.last] = self.at

    def on_read(self, stream):
        self.clock.add(stream, ["read"])
        self._all("read", stream, self.last, self.given[self.last])

    def on_end(self, error):
        self.ends[-1].append(error)

    def on_threads(self, left):
        self.threads.append(left)
        self.left_open.append(self.opened)

    def on_compute(self, stream):
        if self.num_given:
            self._count_pulls()

    def late(self):
        """Return the batches whose copies were not queued when batch k was out, for a depth."""
        found = set()
        for (number, batch), handles in self.given.items():
            for before in range(max(0, batch - self.data["depth"]), batch):
                at = self.settled.get((number, before))
                if at is not None and any(self.copied_at[handle] > at for handle in handles):
                    found.add(batch)
        return sorted(found)

    def contents(self, machine):
        """Number the tensors whose content the reads found, in the order in which they belong."""
        flat = [token for own in self.tokens for token in own]
        first = [0, *accumulate(map(len, self.tokens))]
        numbers = {token: number for number, token in reversed(list(enumerate(flat)))}
        found = []
        for key in sorted(self.given):
            position = key[1] % len(self.tokens) if self.tokens else 0
            got = machine.found.get(key, [])
            for place, token in enumerate(got):
                right = first[position] + place
                if right < len(flat) and flat[right] == token:
                    found.append(right)
                else:
                    found.append(FRESH if token is None else numbers.get(token, STRANGE))
        return found

    def pins_of(self, flat):
        """Return how often each tensor was pinned; equal ones share what there is."""
        return [self.pins.get(token, 0) / flat.count(token) for token in flat]

    def report(self):
        flat = [token for own in self.tokens for token in own]
        found = {machine.policy: self.contents(machine) for machine in self.machines}
        return found | {
            "structure": self.structure,
            "elsewhere": self.foreign,
            "late": self.late(),
            "copies among kernels": self.mixed,
            "pulled ahead": self.pulled,
            "host waits": self.waits,
            "pins": self.pins_of(flat),
            "other pins": sum(count for token, count in self.pins.items() if token not in flat),
            "unpinned copies": self.unpinned,
            "passes": self.ends,
            "open": self.left_open,
            "threads": self.threads,
        }


READERS = {
    name.removeprefix("on_").replace("_", " "): method
    for name, method in vars(Story).items()
    if name.startswith("on_")
}


def conclude(op, data, notes):
    """Say what the notes of a program mean; it runs where no code of the program does.

    Raises:
        ValueError: No probe has noted this.
    """
    if op != "pass":
        return {}
    runs = [[] for _ in data["runs"]]
    for note in notes:
        if not (type(note) is list and note and type(note[0]) is int and 0 <= note[0] < len(runs)):
            raise ValueError("a note begins with the number of its run")
        runs[note[0]].append(note[1:])
    found = {}
    for number, (each, own) in enumerate(zip(data["runs"], runs, strict=True)):
        Checker().check(own)
        story = Story(each, own)
        story.read(own)
        found |= {f"{number}:{key}": item for key, item in story.report().items()}
    return found


class Checker:
    """Refuse notes that no probe makes: a program may have found how to send some."""

    def __init__(self):
        self.num_streams, self.num_events, self.handles = 0, 0, {}
        self.has_begun = self.has_given = False

    def check(self, notes):
        for note in notes:
            if not (isinstance(note, list) and note and note[0] in FORMS):
                raise ValueError("a note begins with its name")
            name, *values = note
            forms = FORMS[name]
            fits = len(values) == len(forms) and all(
                getattr(self, f"is_{form}")(value)
                for form, value in zip(forms, values, strict=True)
            )
            if not fits:
                raise ValueError(f"a note has the form {name} {forms}")
            self._count(name, values)

    def _count(self, name, values):
        self.num_streams += name == "stream"
        self.num_events += name == "event"
        if name == "copy":
            self.handles[values[1]] = True
        elif name == "free":
            self.handles[values[0]] = False
        elif name == "begin":
            self.has_begun = True
        elif name == "given":
            self.has_given = True
        needs = {"given": self.has_begun, "end": self.has_begun}
        needs |= dict.fromkeys(("read", "settled"), self.has_given)
        if not needs.get(name, True):
            raise ValueError(f"{name} comes too early")

    def is_stream(self, value):
        return type(value) is int and 0 <= value < self.num_streams

    def is_event(self, value):
        return type(value) is int and 0 <= value < self.num_events

    def is_handle(self, value):
        return type(value) is int and self.handles.get(value, False)

    def is_new(self, value):
        return type(value) is int and value not in self.handles

    def is_given(self, value):
        return type(value) is list and all(each is None or self.is_handle(each) for each in value)

    def is_flag(self, value):
        return type(value) is bool

    def is_text(self, value):
        return type(value) is str

    def is_texts(self, value):
        return type(value) is list and all(map(self.is_text, value))

    def is_count(self, value):
        return type(value) is int and value >= 0


FORMS = {
    "stream": (),
    "event": ("stream",),
    "wait": ("stream", "event"),
    "query": ("event", "flag"),
    "sync event": ("event", "flag"),
    "sync stream": ("stream", "flag"),
    "pin": ("text",),
    "copy": ("stream", "new", "text", "flag"),
    "free": ("handle",),
    "uses": ("handle", "stream"),
    "open": (),
    "close": (),
    "pull": (),
    "begin": (),
    "next": (),
    "given": ("flag", "given"),
    "settled": (),
    "read": ("stream",),
    "end": ("texts",),
    "threads": ("count",),
    "compute": ("stream",),
}
