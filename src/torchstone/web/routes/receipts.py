"""Routes of receipts: one receipt as a page, and the verification of a document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Path, Query, Request

from torchstone.app.home import Home
from torchstone.app.judging import receipts
from torchstone.app.judging.receipt_document import parse_receipt
from torchstone.app.problems.catalog import title_of
from torchstone.core.errors import BrokenProblem, NotFound
from torchstone.core.verdict import Verdict
from torchstone.web.receipt_schemas import ReceiptPage, Verification
from torchstone.web.schemas import Words

# Each verification holds a thread while it is judged twice; the other threads stay free.
MAX_VERIFICATIONS = 2


def add_receipts(router: APIRouter, home: Home) -> None:
    """Add the routes."""
    limiter = CapacityLimiter(MAX_VERIFICATIONS)

    @router.get("/receipts/{submission}")
    def show_receipt(submission: Annotated[str, Path(max_length=64)]) -> ReceiptPage:
        return _page(home, submission)

    @router.post(
        "/receipts/verify",
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"type": "object"}}},
            }
        },
    )
    async def verify(
        request: Request, name: Annotated[str, Query(max_length=255)] = "receipt.json"
    ) -> Verification:
        document, source = parse_receipt(await request.body(), name)
        found = await to_thread.run_sync(
            lambda: receipts.verify_document(home, document, source, lambda event: None),
            limiter=limiter,
        )
        title = _title(home, found.problem)
        return Verification.model_validate(
            {**asdict(found), "title": title, "differences": list(found.differences)},
            from_attributes=True,
        )


def _page(home: Home, submission: str) -> ReceiptPage:
    found = receipts.show_receipt(home, submission)
    receipt = found.receipt
    fields = {name: getattr(receipt, name, None) for name in ReceiptPage.model_fields}
    return ReceiptPage.model_validate(
        fields
        | {
            "submission": found.submission,
            "source": found.source,
            "title": _title(home, receipt.problem),
            # A number in JSON is exact up to 2^53 only.
            "seed": str(receipt.seed),
            "num_passed": sum(case.code is Verdict.AC for case in receipt.cases),
            "num_cases": len(receipt.cases),
        }
    )


def _title(home: Home, problem: str) -> Words | None:
    try:
        return Words(**title_of(home.problem(problem)))
    except (NotFound, BrokenProblem):
        return None
