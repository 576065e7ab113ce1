"""Derive the schemas of the contract from the messages of the judge: each key has one definition.

A derived schema has the name, the docstring and the fields of its ``msgspec.Struct``. An argument
states each difference between the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from pydantic import Field, create_model

from torchstone.judge import messages
from torchstone.web.schemas import ApiModel, Words

Struct = type[msgspec.Struct]

_derived: dict[Struct, type[ApiModel]] = {messages.Words: Words}


def derive(struct: Struct, *, leave_out: Collection[str] = (), **changed: Any) -> type[ApiModel]:
    """Derive the schema of a struct; its fields have schemas in place of structs.

    Args:
        struct: The message of the judge.
        leave_out: Fields that the page does not need.
        **changed: Types of additional fields, or of fields in another form.
    """
    config = struct.__struct_config__
    hints = get_type_hints(struct)
    fields: dict[str, Any] = {}
    if config.tag is not None:
        fields[str(config.tag_field)] = (Literal[config.tag], ...)
    for each in msgspec.structs.fields(struct):
        if each.name not in leave_out:
            kind = changed.pop(each.name, None) or _translate(hints[each.name])
            fields[each.name] = (kind, _default(each))
    fields |= {name: (kind, ...) for name, kind in changed.items()}
    shape = create_model(struct.__name__, __base__=ApiModel, __doc__=struct.__doc__, **fields)
    _derived[struct] = shape
    return shape


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.required:
        return ...
    # FastAPI returns a list where the struct has a tuple.
    return Field(default_factory=list) if field.default == () else field.default


def _translate(hint: Any) -> Any:
    """Return a type with a schema in place of every struct."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _derived.get(hint) or derive(hint)
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _union(inside)
    if origin is tuple and inside[-1] is Ellipsis:
        return list[_translate(inside[0])]  # type: ignore[misc]
    if origin in (tuple, list):
        return origin[tuple(map(_translate, inside))]
    return hint


def _union(members: tuple[Any, ...]) -> Any:
    tagged = [
        each for each in members if isinstance(each, type) and issubclass(each, msgspec.Struct)
    ]
    if len(tagged) < 2:
        return _either(map(_translate, members))
    bare = _either(map(_translate, tagged))
    name = tagged[0].__struct_config__.tag_field
    discriminated = Annotated[bare, Field(discriminator=name)]  # type: ignore[valid-type]
    return _either([discriminated, *(each for each in members if each is type(None))])


def _either(members: Iterable[Any]) -> Any:
    return reduce(or_, members)
