"""OpenAPI is the contract: fuzzed against a real server, and what the page's types follow."""

import contextlib
import json
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.web.live import LiveServer
from tools.openapi import CONTRACT, contract

ROOT = Path(__file__).parents[2]


@pytest.mark.pure
def test_the_contract_of_the_page_is_that_of_the_server() -> None:
    written = (ROOT / CONTRACT).read_text(encoding="utf-8")
    assert written == contract(), "run `python tools/openapi.py`"


@pytest.mark.pure
def test_every_shape_of_an_answer_is_named_and_every_failure_documented() -> None:
    document = json.loads(contract())
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            answers = operation["responses"]
            for status in ("4XX", "503"):
                assert answers[status]["content"]["application/json"]["schema"] == {
                    "$ref": "#/components/schemas/Fault"
                }, (path, method)
            assert "500" not in answers


@pytest.mark.web
@pytest.mark.sandbox
@pytest.mark.full
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode))
def test_no_request_gets_a_500_or_an_answer_that_is_not_documented(
    own_server: LiveServer, mode: schemathesis.GenerationMode
) -> None:
    own_server.start()
    own_server.enter()
    own_server.wait_warm()
    schema = schemathesis.openapi.from_dict(json.loads(contract()))
    schema.config.update(base_url=own_server.url)
    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]
    num_tried = 0
    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def fuzz(case: schemathesis.Case) -> None:
            nonlocal num_tried
            num_tried += 1
            headers = {
                name: value
                for name, value in own_server.page_headers(case.method).items()
                if value is not None and name != "Host"
            }
            case.call_and_validate(headers=headers, checks=checks, timeout=60)

        # What takes nothing, or any text, cannot be asked wrongly; the count below tells.
        with contextlib.suppress(Unsatisfiable):
            fuzz()
    assert num_tried > 200
