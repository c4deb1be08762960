"""Everything that a process tells of its work while it works."""

from __future__ import annotations

from dataclasses import dataclass, field

from utils.observability.metrics import Metrics


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Handed to whatever has something to tell; one made without arguments is told to nobody."""

    metrics: Metrics = field(default_factory=Metrics)
