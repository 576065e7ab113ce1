"""Kinds of frames exchanged by the host and the processes in its sandboxes.

A kind is one byte in the frame header. The meaning of a letter depends on the receiver, so each
receiver has its own enum.
"""

from __future__ import annotations

from enum import Enum


class ToJob(bytes, Enum):
    """Frames from the host to the process of a submission."""

    LOAD = b"J"
    CASE = b"C"
    # No thread of the job is running or ready to run.
    STILL = b"I"


class FromJob(bytes, Enum):
    """Frames from the process of a submission to the host."""

    CONFINED = b"H"
    LOADED = b"L"
    ANSWER = b"A"
    # The host appends this to an answer: kernel counters, by their keys in the answer.
    COUNTED = b"T"


class FromRank(bytes, Enum):
    """Frames from a rank to the process that forked it.

    Attributes:
        READY: The rank is confined, has joined the group and has not yet read the submission.
        LOADED: Whether the submission loaded, like `FromJob.LOADED`.
        CALL: The rank enters or leaves a collective or a function that the probe names, or waits
            for its work.
        SIGNAL: The rank sends a signal of the problem's probe.
        WAIT: The rank waits for a signal; the reply is one byte.
        MARK: The rank passes a named point, up to which calls and traffic are counted; the reply is
            one byte.
        COUNT: The rank requests a census of its processes; the reply is one byte.
        NOTE: The probe records an observation; there is no reply.
        SETTLE: The rank requests a census once no more processes are left than before, or after a
            time limit.
        LAST_WORDS: The answer of the rank if it is still busy after a given time; None withdraws
            it.
        ORPHANS: The rank requests a census of its workers after the leader has killed the rank.
        ANSWER: The answer to the request.
        LAST: The answer, after which the leader kills the rank.
    """

    READY = b"R"
    LOADED = b"L"
    CALL = b"C"
    SIGNAL = b"S"
    WAIT = b"W"
    MARK = b"M"
    COUNT = b"N"
    NOTE = b"O"
    SETTLE = b"T"
    LAST_WORDS = b"K"
    ORPHANS = b"P"
    ANSWER = b"A"
    LAST = b"X"


class FromRun(bytes, Enum):
    """Frames from a run of a script to the process that started it.

    Attributes:
        READY: The run is confined and has not yet read the submission.
        EVENT: An event occurred; the run waits for one byte.
        ANSWER: The answer to the request.
    """

    READY = b"R"
    EVENT = b"E"
    ANSWER = b"A"


class ToReference(bytes, Enum):
    """Frames from the host to the reference process of a job.

    Attributes:
        OPEN: Open a problem.
        MAKE: Make the next cases.
        GRADE: Grade the answers that follow.
        NAME: Name the misconception.
        COMPARABLE: Send the cases for wrong variants that do not run in the reference process.
        COMPARE: Receive the answers of such a variant.
        SHRINK: Start to shrink a failing case.
        TRIED: Receive the answers to the smaller case.
        BATTERY: Judge synthetic answers.
        EXECUTE: Execute the cells of an editorial.
        OBSERVE: Report the values of the statements of a correct program.
        REST: Forget the job.
    """

    OPEN = b"O"
    MAKE = b"M"
    GRADE = b"G"
    NAME = b"W"
    COMPARABLE = b"N"
    COMPARE = b"K"
    SHRINK = b"S"
    TRIED = b"T"
    BATTERY = b"B"
    EXECUTE = b"E"
    OBSERVE = b"V"
    REST = b"Z"


class ToCompiler(bytes, Enum):
    """Frames from the host to the process that builds a submission.

    Attributes:
        PREPARE: Build the unit of the problem.
        BUILD_CUDA: Build a submission in CUDA C++.
        BUILD_EXTENSION: Build a torch extension.
        BUILD_WHEEL: Build a package.
        EXPLAIN: Look up the source lines of findings and counters.
        ASK_NVCC: Return the messages of NVIDIA's compiler.
    """

    PREPARE = b"P"
    BUILD_CUDA = b"B"
    BUILD_EXTENSION = b"E"
    BUILD_WHEEL = b"W"
    EXPLAIN = b"X"
    ASK_NVCC = b"V"


# The single kind of reply frame of the reference and the builder.
REPLY = b"R"
