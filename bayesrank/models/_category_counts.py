"""Counts of categories as one PyMC variable: Dirichlet-multinomial cells, by their tally."""

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank.data import Responses
from bayesrank.likelihoods.dirichlet_multinomial import CountTally, count_tally, draw_counts
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray, IntArray


def tally_data(tally: CountTally) -> dict[str, IntArray | FloatArray]:
    """Return a tally as data of a model, by name."""
    return {
        "tally_place": tally.place,
        "tally_level": tally.level,
        "tally_repeats": tally.repeats,
        "tally_system": tally.system,
        "tally_total": tally.total,
        "tally_total_repeats": tally.total_repeats,
        "tally_log_ways": tally.log_ways,
    }


def observe_categories(responses: Responses, mean: Tensor, concentration: Tensor) -> None:
    """Add the counts of all cells to the open model, one term of the likelihood a system.

    The likelihood is of the tally of the counts, which is data beside them: whoever changes the
    counts of a model changes `tally_data` too.
    """
    systems, _, categories = responses.counts.shape
    data = tally_data(count_tally(responses.counts))
    place, level, repeats, system, total, total_repeats, ways = (
        pm.Data(name, values) for name, values in data.items()
    )

    def log_density(_value: Tensor, phi: Tensor, kappa: Tensor, _trials: Tensor) -> Tensor:
        # A factor that does not occur is no term: 0 x log 0 would be NaN.
        a = (kappa[:, None] * phi).ravel()[place]
        up = repeats * pt.log(a + level)
        down = total_repeats * pt.log(kappa[system] + total)
        none = pt.zeros(systems)
        found = pt.inc_subtensor(none[place // categories], up)
        return ways + found - pt.inc_subtensor(none[system], down)

    dims = ("system", "question", "category")
    pm.CustomDist(
        "counts",
        mean,
        concentration,
        pm.Data("n_trials", responses.n_trials, dims=dims[:2]),
        logp=log_density,
        random=_draw,
        signature="(c),(),(m)->(m,c)",
        dtype="int64",
        observed=pm.Data("counts_observed", responses.counts, dims=dims),
        dims=dims,
    )


def _draw(
    mean: FloatArray,
    concentration: FloatArray,
    trials: NDArray[np.int64],
    rng: np.random.Generator,
    size: tuple[int, ...] | None,
) -> NDArray[np.int64]:
    """Return counts of the cells; `size` is what stands in front of (question, category)."""
    if size is not None:
        mean = np.broadcast_to(mean, (*size, mean.shape[-1]))
        concentration = np.broadcast_to(concentration, size)
        trials = np.broadcast_to(trials, (*size, trials.shape[-1]))
    return draw_counts(trials, mean=mean, concentration=concentration, rng=rng)
