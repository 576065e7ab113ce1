"""Detect CUDA features that cudasim does not support, and refuse the program."""

from collections.abc import Iterator

from torchstone.cudasim.edits import Edits
from torchstone.cudasim.facts import Facts
from torchstone.cudasim.outline import Function, Outline
from torchstone.cudasim.refusals import header_refusal, identifier_refusal, ptx_refusal
from torchstone.cudasim.stream import Header, Program, Stream, opener_width, streams
from torchstone.cudasim.tokens import CudaSyntaxError, Kind, Token
from torchstone.cudasim.words import say

_ASM = frozenset(("asm", "__asm", "__asm__"))


def refuse_unsupported(
    program: Program, outline: Outline, facts: Facts, edits: Edits, *, name: str
) -> None:
    """Raise an error for the first unsupported feature.

    Where an ``#if`` or the use of a macro decides whether the compiler sees the feature, insert a
    directive into the text that makes the compiler report the same message.

    Raises:
        CudaSyntaxError: There is one; the message names it and what to use instead.
    """
    for header in program.headers:
        _refuse_header(header, edits, name=name)
    for stream in streams(program):
        for place, message in _find(stream, outline if stream is program.code else None, facts):
            token = stream.tokens[place]
            if not stream.conditional[place]:
                raise _error(token, message, name=name)
            edits.insert_before(token, f'_Pragma("GCC error \\"{_quote(_quote(message))}\\"") ')


def _refuse_header(header: Header, edits: Edits, *, name: str) -> None:
    message = header_refusal(header.name)
    if message and not header.conditional:
        raise _error(header.token, message, name=name)
    if message:
        edits.replace(header.keyword, f'error "{_quote(message)}" //')


def _quote(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _error(token: Token, message: str, *, name: str) -> CudaSyntaxError:
    return CudaSyntaxError(message, name=name, line=token.line, column=token.column)


def _find(stream: Stream, outline: Outline | None, facts: Facts) -> Iterator[tuple[int, str]]:
    """Yield the position and the message of each unsupported feature."""
    for place, token in enumerate(stream.tokens):
        if token.kind is Kind.MARK:
            if token.spelling not in ("<<<", "<<") or not opener_width(stream, place):
                continue
            function = outline.function_at(place) if outline is not None else None
            if function is not None and function.is_device_only:
                yield place, say("refusal.nested_launch", "en")
        elif token.kind is Kind.WORD:
            message = _refuse_word(stream, place, outline, facts)
            if message:
                yield place, message


def _refuse_word(stream: Stream, place: int, outline: Outline | None, facts: Facts) -> str:
    word = stream.spelling(place)
    if word in _ASM:
        return _refuse_asm(stream, place, outline)
    if word == "cudaDeviceSynchronize":
        function = outline.function_at(place) if outline is not None else None
        is_device = function is not None and function.is_device_only
        return say("refusal.device_synchronize", "en") if is_device else ""
    message = identifier_refusal(word, stream.spelling(place + 1))
    if not message or word in facts.declared or _belongs_to_program(stream, place):
        return ""
    function = outline.function_at(place) if outline is not None else None
    return "" if function is not None and _is_local(stream, place, function) else message


def _belongs_to_program(stream: Stream, place: int) -> bool:
    """Return whether a name is a member, or in a namespace of the program."""
    before = stream.spelling(place - 1)
    if before in (".", "->"):
        # Members of cudasim's own groups do not belong to the program.
        return stream.spelling(place) != "map_shared_rank"
    return (
        before == "::"
        and stream.is_word(place - 2)
        and stream.spelling(place - 2) not in ("cg", "cooperative_groups", "cuda", "nvcuda")
    )


def _is_local(stream: Stream, place: int, function: Function) -> bool:
    """Return whether the function declares a variable of that name, with a type before it."""
    word = stream.spelling(place)
    return any(
        stream.spelling(k) == word
        and (stream.is_word(k - 1) or stream.spelling(k - 1) in ("*", "&", ">"))
        and stream.spelling(k - 1) not in ("return", "else", "case", "throw", "new")
        and stream.spelling(k + 1) in ("=", ";", ",", ")", "[", "{", ":")
        for k in range(function.start, place + 1)
    )


def _refuse_asm(stream: Stream, place: int, outline: Outline | None) -> str:
    """Return the message that refuses inline PTX; an empty asm, a barrier, is kept."""
    function = outline.function_at(place) if outline is not None else None
    if outline is not None and (function is None or not function.is_device):
        return ""
    begin = place + 1
    while stream.spelling(begin) in ("volatile", "__volatile__", "goto", "inline"):
        begin += 1
    close = stream.partner[begin] if begin < len(stream) else -1
    if close < 0:
        return ""
    text = ""
    for k in range(begin + 1, close):
        if stream.tokens[k].kind is not Kind.STRING:
            break
        text += stream.spelling(k).strip('"')
    return "" if not text.strip() and close > begin + 1 else ptx_refusal(text)
