from __future__ import annotations

import numpy as np
import pytest

from vectorstores.units.postings import distinct


@pytest.mark.parametrize("numbers", [[], [7], [3, 1, 3, -2, 1], [5, 5, 5]])
def test_distinct_numbers_are_those_of_numpy(numbers: list[int]) -> None:
    values = np.asarray(numbers, dtype=np.int64)
    assert distinct(values).tolist() == np.unique(values).tolist()
