"""Schemas of the doctor: the diagnosis of a trace, its timeline and its charts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from torchstone.app.programs import doctor, doctor_views
from torchstone.web.schema_derivation import derive
from torchstone.web.schemas import ApiModel, Text

# The type checker cannot see fields that are derived, so the routes name these as plain models.
# Its schema is a number, a name that pydantic has taken.
Source = derive(doctor.Source, leave_out=("schema",))
TraceOverview = derive(doctor_views.TraceOverview)
Reported = derive(doctor_views.Reported)
Picture = derive(doctor_views.Picture)
Flame = derive(doctor_views.Flame)
Gap = derive(doctor_views.Gap)
GapList = derive(doctor_views.GapList)
Found = derive(doctor_views.Found)

FileName = Annotated[Text, StringConstraints(min_length=1, max_length=1000)]
TraceId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
Moment = Annotated[float, Field(allow_inf_nan=False)]
Columns = Annotated[int, Field(ge=1, le=4096)]
Number = Annotated[int, Field(ge=0, le=10**9)]


class TraceOpened(ApiModel):
    """A file was received; further ranks of the run and all questions take the id."""

    trace: TraceId
