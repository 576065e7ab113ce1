"""Own inputs of a problem that the learner keeps under names, for the page and the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchstone.app.home import Home
from torchstone.core.errors import BadInput, NotFound
from torchstone.store.document import MAX_INPUT
from torchstone.store.schema import NAME_LENGTH

if TYPE_CHECKING:
    from torchstone.store import KeptInput

MAX_INPUTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptInputs:
    """All kept inputs of a problem, by name."""

    problem: str
    inputs: tuple[KeptInput, ...]


class InputExists(BadInput):
    """Raised when the name is in use for another text; nothing is written."""

    status = 409


def list_inputs(home: Home, name: str) -> KeptInputs:
    """List the kept inputs of a problem."""
    problem = home.problem(name).id
    with home.open_store() as store:
        return KeptInputs(problem=problem, inputs=store.inputs_of(problem))


def find_input(home: Home, name: str, label: str) -> str:
    """Return the text of a kept input.

    Raises:
        NotFound: No input is kept under this name.
    """
    kept = {each.name: each.code for each in list_inputs(home, name).inputs}
    if label.strip() not in kept:
        raise NotFound("app.input_absent", name=label.strip(), problem=home.problem(name).id)
    return kept[label.strip()]


def keep_input(
    home: Home, name: str, label: str, code: str, *, replace: bool = False
) -> KeptInputs:
    """Keep an input under a name, and return all inputs of the problem.

    Args:
        home: The learner's home.
        name: The problem.
        label: The name of the input.
        code: Its text.
        replace: Whether it replaces another text of that name.

    Raises:
        BadInput: The name or the text cannot be kept, or there are too many inputs.
        InputExists: Another text has that name, and ``replace`` is False.
    """
    problem, label = home.problem(name).id, _name_of(label)
    if not code.strip() or len(code) > MAX_INPUT or "\0" in code:
        raise BadInput("app.input_text", most=MAX_INPUT)
    with home.open_store() as store:
        known = {each.name for each in store.inputs_of(problem)}
        if len(known) >= MAX_INPUTS and label not in known:
            raise BadInput("app.input_many", most=MAX_INPUTS, problem=problem)
        if not store.keep_input(problem, label, code, replace=replace):
            raise InputExists("app.input_exists", name=label, problem=problem)
        return KeptInputs(problem=problem, inputs=store.inputs_of(problem))


def rename_input(home: Home, name: str, label: str, new_label: str) -> KeptInputs:
    """Keep an input under another name, and return all inputs of the problem.

    Raises:
        BadInput: The new name cannot be used.
        NotFound: No input is kept under the old name.
        InputExists: The new name is in use.
    """
    problem, new_label = home.problem(name).id, _name_of(new_label)
    with home.open_store() as store:
        known = {each.name for each in store.inputs_of(problem)}
        if label not in known:
            raise NotFound("app.input_absent", name=label, problem=problem)
        if new_label != label and not store.rename_input(problem, label, new_label):
            raise InputExists("app.input_exists", name=new_label, problem=problem)
        return KeptInputs(problem=problem, inputs=store.inputs_of(problem))


def delete_input(home: Home, name: str, label: str) -> KeptInputs:
    """Remove a kept input, and return the others of the problem.

    Raises:
        NotFound: No input is kept under this name.
    """
    problem = home.problem(name).id
    with home.open_store() as store:
        if not store.drop_input(problem, label):
            raise NotFound("app.input_absent", name=label, problem=problem)
        return KeptInputs(problem=problem, inputs=store.inputs_of(problem))


def _name_of(label: str) -> str:
    found = label.strip()
    if not 1 <= len(found) <= NAME_LENGTH or not found.isprintable() or found.startswith("@"):
        raise BadInput("app.input_name", most=NAME_LENGTH)
    return found
