"""Bradley-Terry and its relatives: strengths from who won against whom."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pymc as pm
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank.data import Comparisons, comparison_graph
from bayesrank.data._cell_views import totals
from bayesrank.exceptions import BayesrankWarning, InputError
from bayesrank.likelihoods import TieRule
from bayesrank.models import _paired_design as design
from bayesrank.models import _paired_notes as words
from bayesrank.models._attach import Attachment, attach
from bayesrank.models._paired_design import BothBad, Judges, Options, ScoreScale, Side
from bayesrank.models._paired_outcomes import (
    LABELS,
    Tensor,
    log_probabilities,
    observe_counts,
    pt,
)
from bayesrank.priors import Prior

__all__ = ["bradley_terry"]

# Comparisons of the median model from which its strength is known far better than its prior: the
# standard error is about 2 / sqrt(100) = 0.2 against a spread around 1.
_WELL_KNOWN = 100


def bradley_terry(
    comparisons: Comparisons,
    *,
    ties: TieRule = "davidson",
    side: Side = False,
    judges: Judges = None,
    bothbad: BothBad = "apart",
    score_scale: ScoreScale = "log_odds",
    prior: Mapping[str, Prior] | None = None,
) -> pm.Model:
    r"""Build a Bradley-Terry model: the stronger model wins more often.

    A comparison that is not tied is won by the first model with log-odds
    :math:`\eta = r_k (s_i - s_j) + b`, from the strengths, the reliability :math:`r_k` of its
    judge and the effect :math:`b` of being shown first. Ties have a likelihood of their own. The
    model is on counts: its cost grows with the pairs that met, not with the number of votes.

    Parameters
    ----------
    comparisons : Comparisons
        Who won against whom. Covariates, where there are any, are standardised differences with
        regularised effects on :math:`\eta`.
    ties : {"davidson", "rao_kupper", "half", "drop"}, default "davidson"
        Davidson's or Rao and Kupper's tie outcome; or half a win each; or left out. Without any
        tie in the data no tie outcome is modelled.
    side : bool or "judge", default False
        Whether being shown first has an effect: one for all, or also one per judge.
    judges : {None, "tie", "reliability", "both"}
        What judges differ in: how often they call ties, how well they tell models apart. Both are
        partially pooled, so that a judge of few or unanimous votes stays near the others.
    bothbad : {"apart", "quality", "pool"}, default "apart"
        Ties that call both models bad: a share of the ties that is the same for all pairs; a share
        that depends on the quality of the pair, and so tells about it; or not told apart.
    score_scale : {"log_odds", "probability", "elo"}, default "log_odds"
        Scale of ``score``: the strength; the probability of winning against the average other
        model; or Elo points with mean 1000. The order is the same.
    prior : mapping of str to Prior, optional
        Priors of ``strength``, ``tie`` (log nu, or log theta), ``side``, ``side_judge``,
        ``tie_judge``, ``log_reliability``, ``effect``, ``bothbad``, ``bothbad_slope``, as far as
        the model has them; the others keep their defaults.

    Returns
    -------
    pymc.Model
        Coordinates ``system``, ``comparison``, ``outcome``; ``strength`` and ``score`` of dims
        (system,). All data are `pymc.Data`, so that one compiled model serves other counts.

    Raises
    ------
    ArgumentError
        For options that these comparisons do not allow (no sides, one judge), or an unknown prior.
    InputError
        For models in groups that never met, unless a prior for ``strength`` is stated; or ties
        only.

    Warns
    -----
    BayesrankWarning
        Where the prior alone bounds or relates some strengths.

    References
    ----------
    .. [1] Bradley, R. A. and Terry, M. E. (1952). Rank analysis of incomplete block designs: I.
       Biometrika 39(3/4), 324-345. https://doi.org/10.1093/biomet/39.3-4.324
    .. [2] Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in
       paired comparison experiments. JASA 65(329), 317-328.
       https://doi.org/10.1080/01621459.1970.10481082
    .. [3] Rao, P. V. and Kupper, L. L. (1967). Ties in paired-comparison experiments. JASA
       62(317), 194-204. https://doi.org/10.1080/01621459.1967.10482901

    Examples
    --------
    >>> from bayesrank import Comparisons, models
    >>> comparisons = Comparisons.from_counts(["a", "b"], ["b", "a"], [3, 2], [1, 2], sided=True)
    >>> model = models.bradley_terry(comparisons, side=True)
    >>> model.named_vars_to_dims["score"]
    ('system',)
    """
    options = design.checked_options(
        comparisons, ties=ties, side=side, judges=judges, bothbad=bothbad, score_scale=score_scale
    )
    _require_links(comparisons, prior)
    priors = design.merged_priors(dict(prior or {}), design.default_priors(options, comparisons))
    cells = design.cells(comparisons, options)
    with pm.Model(coords=_coords(cells, options)) as model:
        strength = _strength(comparisons, priors["strength"])
        eta, first, second = _log_odds(cells, strength, options, priors)
        tie = _tie(options, priors)
        counts = design.outcome_counts(cells, options)
        whole = not (cells.weighted or cells.expected or options.ties == "half")
        observed = pm.Data(
            "outcomes_observed",
            counts.astype(np.int64) if whole else counts,
            dims=("comparison", "outcome"),
        )
        observe_counts(
            "outcomes",
            pm.Data("n_comparisons", _totals(counts, whole=whole), dims="comparison"),
            log_probabilities(eta, tie, ties=options.ties),
            observed,
            whole=whole,
            dims=("comparison", "outcome"),
        )
        if design.models_bothbad(options, comparisons):
            _bothbad(cells, (strength[first] + strength[second]) / 2, options, priors, whole=whole)
        pm.Deterministic("score", _score(strength, options), dims="system")
    sentences, warned = words.notes(comparisons, options)
    for sentence in warned:
        warnings.warn(f"{comparisons.source}: {sentence}", BayesrankWarning, stacklevel=2)
    n = comparisons.n_comparisons
    attach(
        model,
        Attachment(
            family="bradley-terry",
            data=comparisons,
            trials=np.rint(totals(comparisons, n, n)).astype(np.int64),
            missing=np.zeros(len(comparisons.systems), dtype=np.int64),
            prior=words.prior_in_words(priors),
            estimand=words.estimand(options),
            populations=("battles",),
            settings=design.settings(options, priors),
            notes=sentences,
        ),
    )
    return model


def _require_links(comparisons: Comparisons, prior: Mapping[str, Prior] | None) -> None:
    graph = comparison_graph(comparisons)
    if graph.connected or (prior is not None and "strength" in prior):
        return
    msg = (
        f"{comparisons.source}: {listed(graph.components[-1], most=3)} never met the other models, "
        f"so that only a prior relates them: state one (prior={{'strength': Prior(...)}}), drop "
        f"them (.select), or add comparisons."
    )
    raise InputError(msg)


def _coords(cells: Comparisons, options: Options) -> dict[str, Any]:
    coords: dict[str, Any] = {
        "system": list(cells.systems),
        "comparison": np.arange(len(cells.first)),
        "outcome": list(LABELS[options.has_tie]),
    }
    if options.by_judge:
        coords["judge"] = list(cells.factor("judge").levels)
    if cells.covariates:
        coords["covariate"] = list(cells.covariates)
    return coords


def _log_odds(
    cells: Comparisons, strength: Tensor, options: Options, priors: dict[str, Prior]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the log-odds of a win against a loss, and the positions of both models."""
    first: Tensor = pm.Data("first", cells.first, dims="comparison")
    second: Tensor = pm.Data("second", cells.second, dims="comparison")
    judge: Tensor = None
    if options.by_judge:
        judge = pm.Data("judge_index", cells.factor("judge").codes, dims="comparison")
    eta: Tensor = strength[first] - strength[second]
    if judge is not None and options.judged_reliability:
        reliability: Tensor = pt.exp(_pooled("log_reliability", priors["log_reliability"]))
        pm.Deterministic("reliability", reliability, dims="judge")
        eta = eta * reliability[judge]
    if options.side:
        eta = eta + priors["side"].create_variable("side")
    if judge is not None and options.side == "judge":
        own: Tensor = _pooled("side_judge", priors["side_judge"])
        eta = eta + own[judge]
    if cells.covariates:
        values = np.stack(list(cells.covariates.values()), axis=1)
        # Scaled by the root mean square, not centred: equal answers have difference zero.
        weight = cells.n_comparisons[:, np.newaxis] / cells.n_comparisons.sum()
        scale = np.sqrt((weight * values**2).sum(axis=0))
        scale[scale == 0] = 1.0
        differences = pm.Data("covariates", values / scale, dims=("comparison", "covariate"))
        eta = eta + differences @ priors["effect"].create_variable("effect", dims="covariate")
    return eta, first, second


def _tie(options: Options, priors: dict[str, Prior]) -> Tensor:
    """Return the tie parameter, per comparison where judges differ in it."""
    if not options.has_tie:
        return None
    tie = priors["tie"].create_variable("tie")
    if not options.judged_ties:
        return tie
    judge = _open_model()["judge_index"]
    own: Tensor = _pooled("tie_judge", priors["tie_judge"])
    # A threshold is positive: judges multiply it.
    by_judge = tie + own if options.ties == "davidson" else tie * pt.exp(own)
    return by_judge[judge]


def _strength(comparisons: Comparisons, prior: Prior) -> Tensor:
    """Create the strengths: as they are where data tell them, else as standard ones times a scale.

    Both are one model. With many comparisons the first mixes better, with few the second: the
    scale and what it scales then depend on each other so strongly that a sampler gets stuck.
    """
    n = comparisons.n_comparisons
    if np.median(totals(comparisons, n, n)) >= _WELL_KNOWN:
        return prior.create_variable("strength", dims="system")
    return _pooled("strength", prior, dim="system")


def _pooled(name: str, prior: Prior, *, dim: str = "judge") -> Tensor:
    """Create effects as standard effects times their scale, where the scale is learned."""
    parameters = dict(prior.parameters)
    scale = parameters.get("sigma")
    if not isinstance(scale, Prior):
        return prior.create_variable(name, dims=dim)
    sd = scale.create_variable(f"{name}_sigma")
    standard = Prior(prior.distribution, **{**parameters, "sigma": 1.0, **_no_mean(parameters)})
    effect = standard.create_variable(f"{name}_standard", dims=dim)
    return pm.Deterministic(name, parameters.get("mu", 0.0) + sd * effect, dims=dim)


def _no_mean(parameters: dict[str, Any]) -> dict[str, float]:
    return {"mu": 0.0} if "mu" in parameters else {}


def _open_model() -> Any:
    return pm.modelcontext(None)


def _bothbad(
    cells: Comparisons,
    quality: Tensor,
    options: Options,
    priors: dict[str, Prior],
    *,
    whole: bool,
) -> None:
    """Add which of the ties call both models bad."""
    counts = np.stack([cells.ties_bothbad, cells.ties], axis=1)
    level = priors["bothbad"].create_variable("bothbad")
    if options.bothbad == "quality":
        slope = priors["bothbad_slope"].create_variable("bothbad_slope")
        logit, dim = level - slope * quality, "comparison"
    else:
        # The same share everywhere needs only the totals.
        counts, dim = counts.sum(axis=0, keepdims=True), "all_ties"
        logit = pt.atleast_1d(level)
    model = _open_model()
    model.add_coord("tie_kind", ["both bad", "equal"])
    if dim == "all_ties":
        model.add_coord(dim, [0])
    observe_counts(
        "tie_kinds",
        pm.Data("n_ties", _totals(counts, whole=whole), dims=dim),
        log_probabilities(logit, None, ties="drop"),
        pm.Data(
            "tie_kinds_observed",
            counts.astype(np.int64) if whole else counts,
            dims=(dim, "tie_kind"),
        ),
        whole=whole,
        dims=(dim, "tie_kind"),
    )


def _totals(counts: NDArray[np.float64], *, whole: bool) -> NDArray[Any]:
    total = counts.sum(axis=1)
    return total.astype(np.int64) if whole else total


def _score(strength: Tensor, options: Options) -> Tensor:
    if options.score_scale == "elo":
        centred = strength - strength.mean()
        return design.ELO_AVERAGE + design.ELO_PER_LOG_ODDS * centred
    if options.score_scale == "probability":
        wins = pt.sigmoid(strength[:, None] - strength[None, :]).sum(axis=1)
        return (wins - 0.5) / (strength.shape[0] - 1)
    return strength * 1.0
