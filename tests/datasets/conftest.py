import os
from pathlib import Path

import pytest


@pytest.fixture
def data_folder() -> Path:
    folder = os.environ.get("ANONSET_DATA", "")
    if not folder:
        pytest.skip("ANONSET_DATA is not set: it must name the folder of the real data sets")
    return Path(folder)
