"""Name the kinds of frames that travel between the host and the processes in its sandboxes.

A kind is one byte in the head of a frame. What a letter means depends on who is asked, so each
receiver has an enum of its own.
"""

from __future__ import annotations

from enum import Enum


class ToJob(bytes, Enum):
    """What the host asks the process of a submission."""

    LOAD = b"J"
    CASE = b"C"
    # No thread of the job runs or is ready to run, for a while already.
    STILL = b"I"


class FromJob(bytes, Enum):
    """What the process of a submission says."""

    CONFINED = b"H"
    LOADED = b"L"
    ANSWER = b"A"
    # Of the host, behind an answer: what the kernel counted of it, by its keys in the answer.
    COUNTED = b"T"


class FromRank(bytes, Enum):
    """What a rank says to the process that forked it.

    Attributes:
        READY: It is confined, has joined the group and has not read the submission yet.
        LOADED: Whether the submission can be loaded, like `FromJob.LOADED`.
        CALL: It makes a collective call, or one that the probe names, returns from it, or waits for
            its work.
        SIGNAL: It sends a signal of the problem's probe.
        WAIT: It waits for a signal; one byte answers it.
        MARK: It names a place in its work, up to which calls and traffic are counted; one byte
            answers it.
        COUNT: It asks that its processes be counted now; one byte answers it.
        NOTE: The probe notes what the submission did; nothing answers it.
        SETTLE: It asks that they be counted when they are as few as before, or the time is over.
        LAST_WORDS: It says what its answer is if it is still busy after a time; None takes it back.
        ORPHANS: It asks that its workers be counted when the leader has killed it.
        ANSWER: Its answer to the request.
        LAST: Its answer, after which the leader kills it.
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
    """What a run of a script says to the process that started it.

    Attributes:
        READY: It is confined and has not read the submission yet.
        EVENT: Something happened; one byte lets it go on.
        ANSWER: Its answer to the request.
    """

    READY = b"R"
    EVENT = b"E"
    ANSWER = b"A"


class ToReference(bytes, Enum):
    """What the host asks the reference process of a job.

    Attributes:
        OPEN: Open a problem.
        MAKE: Make the next cases.
        GRADE: Grade the answers that follow.
        NAME: Name the misconception.
        COMPARABLE: Send the cases that wrong variants shall answer, which do not run here.
        COMPARE: Take the answers of such a variant.
        SHRINK: Begin to make a failing case smaller.
        TRIED: Take the answers to the smaller case.
        BATTERY: Judge answers that were not computed.
        EXECUTE: Execute the cells of an editorial.
        OBSERVE: Say what the statements of a right program give.
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
    """What the host asks the process that builds a submission.

    Attributes:
        PREPARE: Build the unit of the problem.
        BUILD_CUDA: Build a submission in CUDA C++.
        BUILD_EXTENSION: Build an extension of torch.
        BUILD_WHEEL: Build a package.
        EXPLAIN: Look up the lines of what was found and counted.
        ASK_NVCC: Say what NVIDIA's compiler says.
    """

    PREPARE = b"P"
    BUILD_CUDA = b"B"
    BUILD_EXTENSION = b"E"
    BUILD_WHEEL = b"W"
    EXPLAIN = b"X"
    ASK_NVCC = b"V"


# The reference and the builder answer every request with one frame of this kind.
REPLY = b"R"
