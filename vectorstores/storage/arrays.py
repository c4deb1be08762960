"""Reading a numpy file of a known type, whatever a damaged disk made of it."""

from __future__ import annotations

from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

# Errors that numpy raises over a damaged header, beside OSError and ValueError.
_OF_A_DAMAGED_HEADER = (EOFError, SyntaxError, TokenError, MemoryError, OverflowError, TypeError, LookupError)


def read_array(path: Path, dtype: DTypeLike, *, mapped: bool = False) -> NDArray[Any]:
    """Read the array of a ``.npy`` file, or map it into memory: a plain array over its pages.

    Indexing a memmap object would cost ten times as much. Raises OSError, or ValueError when the file is damaged or holds another
    type.
    """
    try:
        array = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
    except _OF_A_DAMAGED_HEADER as error:
        raise ValueError(f"{path.name} has a damaged header") from error
    if not isinstance(array, np.ndarray) or array.dtype != np.dtype(dtype):
        raise ValueError(f"{path.name} does not hold {np.dtype(dtype)}")
    return np.asarray(array)
