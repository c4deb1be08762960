"""The machine that was measured on: cores, interpreter, memory. Linux gives all of it, other systems less."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_KILOBYTES = re.compile(r"^(\w+):\s+(\d+) kB", re.MULTILINE)
_CPU_NAME = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of a process in megabytes: resident, its share when shared pages are split, what it has alone."""

    resident: float
    proportional: float
    private: float


def machine() -> dict[str, str | float]:
    """Cores this process may use, processor, Python, and how busy the machine is already."""
    described: dict[str, str | float] = {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "processor": _processor(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    if hasattr(os, "getloadavg"):
        described["load before"] = round(os.getloadavg()[0], 2)
    return described


def available_memory() -> float | None:
    """Megabytes that can still be used without swapping; None where the system does not tell."""
    return _kilobytes(_PROC / "meminfo").get("MemAvailable")


def resident_memory() -> float | None:
    """Megabytes of this process; None where the system does not tell."""
    return _kilobytes(_PROC / "self" / "status").get("VmRSS")


def memory_of(pid: int) -> Memory | None:
    """The memory of a process; None where the system does not tell."""
    status = _kilobytes(_PROC / str(pid) / "status")
    rollup = _kilobytes(_PROC / str(pid) / "smaps_rollup")
    if not status or not rollup:
        return None
    return Memory(status["VmRSS"], rollup["Pss"], rollup["Private_Clean"] + rollup["Private_Dirty"])


def processor_seconds_of(pid: int) -> float | None:
    """Return the processor seconds that a process has used on all cores; None if the system does not tell."""
    try:
        after_name = (_PROC / str(pid) / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    user, system = after_name[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _kilobytes(path: Path) -> dict[str, float]:
    """The fields of a file of ``Name: n kB`` lines, in megabytes; none where there is no such file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return {}
    return {name: int(amount) / 1024 for name, amount in _KILOBYTES.findall(text)}


def _processor() -> str:
    try:
        found = _CPU_NAME.search((_PROC / "cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or "unknown"
