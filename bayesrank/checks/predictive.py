"""Does the model predict data like those observed: posterior predictive checks of what matters."""

from dataclasses import dataclass, replace

import numpy as np
import pymc as pm
import xarray as xr
from numpy.typing import NDArray

from bayesrank._record import read_record, write_record
from bayesrank._text import quoted
from bayesrank._validate import as_generator, validate_count, validate_probability
from bayesrank.checks._paired_statistics import OBSERVED, PairedStatistics
from bayesrank.checks._replicates import described, replicates
from bayesrank.checks._response_statistics import ResponseStatistics
from bayesrank.checks._statistics import Statistics, joined
from bayesrank.checks.diagnostics import Check
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.models._attach import Attachment
from bayesrank.typing import RandomSeed

__all__ = ["Predictive", "predictive"]

type Floats = NDArray[np.float64]

# One false alarm in a hundred checks of a model that is right; about five are made at once.
_MISFIT_BELOW = 0.01
_MEANINGS = {
    "win rate": "wins and half the ties, of all comparisons of a model",
    "tie rate": "ties, of all comparisons",
    "tie rate of a judge": "ties, of all comparisons of a judge",
    "side advantage": "wins less losses of the model shown first, of decisive comparisons",
    "intransitive triads": "a ahead of b, b of c and c of a, of triads that all met",
    "accuracy": "mean score over questions of a model",
    "spread of questions": "standard deviation over questions of their mean score",
    "agreement of trials": "probability that two trials of a question end alike",
}


@dataclass(frozen=True, eq=False)
class Predictive:
    """What the model predicts of statistics that matter, beside what was observed.

    Attributes
    ----------
    dataset : xarray.Dataset
        On (statistic,): ``observed``; ``mean``, ``low`` and ``high`` of the prediction;
        ``p_value``, two-sided; coordinates ``kind``, such as "win rate", and ``item``, such as the
        name of a model. Attributes ``draws`` and ``ci_prob``.
    checks : tuple of Check
        One a kind, with its p-value: of all its items together where there are several.
    """

    dataset: xr.Dataset
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> str:
        """Whether the model predicts all kinds: "pass" or "fail"."""
        return "fail" if any(check.verdict == "fail" for check in self.checks) else "pass"

    def sentences(self) -> tuple[str, ...]:
        """Return the verdict on each kind in words.

        Returns
        -------
        tuple of str
        """
        return tuple(check.sentence for check in self.checks)

    def recorded(self, posterior: xr.DataTree) -> xr.DataTree:
        """Return the posterior with these checks in its record, where tables and pages find them.

        Parameters
        ----------
        posterior : DataTree
            The one that was checked.

        Returns
        -------
        DataTree
            A copy; a misfit becomes one of its notes.
        """
        tree = posterior.copy()
        record = read_record(tree)
        plain = [vars(check) for check in self.checks]
        misfits = [c.sentence for c in self.checks if c.verdict == "fail"]
        told = replace(record, diagnostics={**record.diagnostics, "predictive": plain})
        write_record(tree, told.with_notes(*(f"Misfit of the model: {s}" for s in misfits)))
        return tree


def predictive(
    posterior: xr.DataTree,
    model: pm.Model,
    *,
    draws: int = 400,
    ci_prob: float = 0.95,
    random_seed: RandomSeed = None,
) -> Predictive:
    """Compare what was observed with what the model predicts would be observed again.

    Parameters
    ----------
    posterior : DataTree
        From `bayesrank.sample`.
    model : pymc.Model
        The model that it was drawn of.
    draws : int, default 400
        Replicated data sets; the posterior is thinned to as many draws.
    ci_prob : float, default 0.95
        Probability of the intervals of predictions.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    Predictive
        Of comparisons: the win rate of each model, the tie rate (and that of each judge, where
        judges are modelled), the advantage of the side, and the share of intransitive triads. Of
        responses: the accuracy of each model, how much questions differ, and how often two trials
        of a question agree. Where all that a statistic looks at is in the model, as win rates are
        in that of Bradley and Terry, it fits even if the model is wrong; the others tell.

    Raises
    ------
    ArgumentError
        For a posterior of other data or of the Bayesian bootstrap, variables that were not kept,
        or a model whose data are not known.

    Notes
    -----
    Replicates are counts, never single outcomes. p-values split draws that equal the observed
    value (mid-p) and are two-sided; those of several items at once are of the sum of squares of
    their standardised distances from the prediction. They use the data twice, which makes them
    somewhat cautious: a misfit that they show is one.

    References
    ----------
    .. [1] Gelman, A., Meng, X.-L. and Stern, H. (1996). Posterior predictive assessment of model
       fitness via realized discrepancies. Statistica Sinica 6(4), 733-760.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.Responses.from_counts([[3, 7], [5, 9]], 10, systems=["a", "b"])
    >>> model = bayesrank.models.bayes_at_n(responses)
    >>> posterior = bayesrank.sample(model, random_seed=1)
    >>> found = bayesrank.checks.predictive(posterior, model, draws=100, random_seed=1)
    >>> found.verdict, [check.name for check in found.checks]
    ('pass', ['accuracy', 'spread of questions', 'agreement of trials'])
    """
    validate_count(draws, name="draws", minimum=10)
    validate_probability(ci_prob, name="ci_prob")
    attachment = described(posterior, model)
    rng = as_generator(random_seed)
    observed, replicated = _statistics(posterior, model, attachment, draws=draws, rng=rng)
    kinds = {
        kind: _Kind(kind, items, values[0], replicated[kind][1])
        for kind, (items, values) in observed.items()
    }
    tail = (1 - ci_prob) / 2
    columns = {
        name: np.concatenate(parts)
        for name, parts in {
            "observed": [k.observed for k in kinds.values()],
            "mean": [k.values.mean(axis=0) for k in kinds.values()],
            "low": [np.quantile(k.values, tail, axis=0) for k in kinds.values()],
            "high": [np.quantile(k.values, 1 - tail, axis=0) for k in kinds.values()],
            "p_value": [k.p_values() for k in kinds.values()],
        }.items()
    }
    kind_of = [kind for kind, it in kinds.items() for _ in it.items]
    item_of = [item for it in kinds.values() for item in it.items]
    n = len(next(iter(kinds.values())).values)
    dataset = xr.Dataset(
        {name: ("statistic", values) for name, values in columns.items()},
        {
            "kind": ("statistic", np.array(kind_of, dtype=object)),
            "item": ("statistic", np.array(item_of, dtype=object)),
        },
        attrs={"draws": n, "ci_prob": ci_prob},
    )
    return Predictive(dataset, tuple(kind.check(ci_prob) for kind in kinds.values()))


def _statistics(
    posterior: xr.DataTree,
    model: pm.Model,
    attachment: Attachment,
    *,
    draws: int,
    rng: np.random.Generator,
) -> tuple[Statistics, Statistics]:
    """Return statistics of what was observed, and of replicates."""
    if isinstance(attachment.data, Comparisons):
        if OBSERVED not in {v.name for v in model.observed_RVs}:
            raise ArgumentError(_unknown(attachment))
        pairs = PairedStatistics.of(model, attachment)
        found = replicates(posterior, model, OBSERVED, size=pairs.size, draws=draws, rng=rng)
        blocks = [pairs.replicated(block, rng=rng) for block in found]
        return pairs.observed(model), joined(blocks)
    data = attachment.data
    responses = ResponseStatistics.of(model, data) if isinstance(data, Responses) else None
    if responses is None:
        raise ArgumentError(_unknown(attachment))
    size = responses.responses.counts.size
    found = replicates(posterior, model, responses.name, size=size, draws=draws, rng=rng)
    return responses.observed(), joined([responses.replicated(block) for block in found])


def _unknown(attachment: Attachment) -> str:
    return (
        f"what the model {quoted(attachment.family)} observes is not known here; use "
        f"pm.sample_posterior_predictive and compare what matters to you."
    )


@dataclass(frozen=True, eq=False)
class _Kind:
    """A kind of statistic: what was observed, shape (item,), and replicated, (draw, item)."""

    name: str
    items: tuple[str, ...]
    observed: Floats
    values: Floats

    def p_values(self) -> Floats:
        """Return the two-sided p-value of each item."""
        above = _tail(self.values, self.observed)
        p = 2 * np.minimum(above, 1 - above)
        return np.where(np.isfinite(self.observed), p, np.nan)

    def check(self, ci_prob: float) -> Check:
        """Return the verdict on the kind."""
        p = float(self.p_values()[0]) if len(self.items) == 1 else self._together()
        fits = not p < _MISFIT_BELOW
        sentence = f"{self.name.capitalize()} ({_MEANINGS[self.name]}): " + (
            self._one(ci_prob) if len(self.items) == 1 else self._several(ci_prob)
        )
        word = "as the model predicts" if fits else "not as the model predicts"
        return Check(
            self.name,
            p,
            _MISFIT_BELOW,
            "pass" if fits else "fail",
            f"{sentence}; {word}, p {self._p_text(p)}.",
        )

    def _together(self) -> float:
        """Return the p-value of all items at once."""
        spread = self.values.std(axis=0)
        used = np.isfinite(self.observed) & (spread > 0)
        if not used.any():
            return 1.0
        centre = self.values.mean(axis=0)[used]
        distance = (((self.values[:, used] - centre) / spread[used]) ** 2).sum(axis=1)
        own = (((self.observed[used] - centre) / spread[used]) ** 2).sum()
        return float(_tail(distance[:, np.newaxis], np.array([own]))[0])

    def _one(self, ci_prob: float) -> str:
        tail = (1 - ci_prob) / 2
        low, high = np.quantile(self.values[:, 0], [tail, 1 - tail])
        return f"observed {self.observed[0]:.3g}, predicted {low:.3g} to {high:.3g}"

    def _several(self, ci_prob: float) -> str:
        tail = (1 - ci_prob) / 2
        low, high = np.quantile(self.values, [tail, 1 - tail], axis=0)
        known = np.isfinite(self.observed)
        outside = known & ((self.observed < low) | (self.observed > high))
        text = f"{outside.sum()} of {known.sum()} outside their {100 * ci_prob:g} % interval"
        if not outside.any():
            return text
        spread = self.values.std(axis=0)
        gap = np.abs(self.observed - self.values.mean(axis=0))
        score = np.divide(gap, spread, out=np.full(len(gap), np.inf), where=spread > 0)
        worst = int(np.argmax(np.where(outside, score, -np.inf)))
        return (
            f"{text}, most of all {quoted(self.items[worst])} (observed "
            f"{self.observed[worst]:.3g}, predicted {low[worst]:.3g} to {high[worst]:.3g})"
        )

    def _p_text(self, p: float) -> str:
        least = 1 / len(self.values)
        return f"below {least:.2g}" if p < least else f"{p:.2g}"


def _tail(values: Floats, at: Floats) -> Floats:
    """Return the share of draws above each value, those equal to it counted half."""
    scale = 1e-12 * np.maximum(np.abs(at), 1.0)
    above = (values > at + scale).mean(axis=0)
    below = (values < at - scale).mean(axis=0)
    return above + (1 - above - below) / 2
