"""Ways to run models without waiting for compilation."""

import numpy as np
import pymc as pm
import pytest

from bayesrank.inference import flat


@pytest.fixture
def interpreted(monkeypatch):
    """Evaluate flat models by NumPy: slower by the call, quicker for a few of them."""

    def interpreted(inputs, outputs):
        function = pm.pytensorf.compile(
            inputs, outputs, mode="FAST_COMPILE", on_unused_input="ignore"
        )

        def density(x, data):
            with np.errstate(all="ignore"):  # far out, as compiled functions are silent
                value, slope = function(x, *data)
            return float(value), np.asarray(slope)

        return density

    monkeypatch.setattr(flat, "_jitted", interpreted)
