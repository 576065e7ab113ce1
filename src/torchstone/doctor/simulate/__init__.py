"""Traces with known ground truth: a small simulator of hosts, streams and ranks."""

from torchstone.doctor.simulate.machine import Recording, run
from torchstone.doctor.simulate.patients import PATIENTS, Patient
from torchstone.doctor.simulate.truth import shares_of
from torchstone.doctor.simulate.write import Form, write_trace

__all__ = ["PATIENTS", "Form", "Patient", "Recording", "run", "shares_of", "write_trace"]
