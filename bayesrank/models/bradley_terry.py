"""Bradley-Terry and its relatives: strengths from who won against whom."""

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pymc as pm

from bayesrank._text import listed
from bayesrank.data import Comparisons, comparison_graph
from bayesrank.data._cell_views import totals
from bayesrank.exceptions import BayesrankWarning, InputError
from bayesrank.likelihoods import TieRule
from bayesrank.models import _paired_design as design
from bayesrank.models import _paired_effects as effects
from bayesrank.models import _paired_notes as words
from bayesrank.models._attach import Attachment, View, attach
from bayesrank.models._paired_anchors import Anchors, checked_anchors, unrelated
from bayesrank.models._paired_design import BothBad, Judges, Options, ScoreScale, Side
from bayesrank.models._paired_outcomes import LABELS
from bayesrank.models._paired_strengths import Strengths, create_strengths, score_of, well_known
from bayesrank.models._refitting import Refitting
from bayesrank.priors import Prior

__all__ = ["bradley_terry"]


def bradley_terry(
    comparisons: Comparisons,
    *,
    ties: TieRule = "davidson",
    side: Side = False,
    judges: Judges = None,
    bothbad: BothBad = "apart",
    categories: bool = False,
    periods: bool = False,
    anchors: Mapping[str, float | Prior] | None = None,
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
    categories : bool, default False
        Whether strengths differ between the levels of the factor ``category``, partially pooled
        around an overall strength. ``score`` is the average over them.
    periods : bool, default False
        Whether strengths change between the levels of the factor ``period``, by a random walk.
        ``score`` is the strength in the last one.
    anchors : mapping of str to float or Prior, optional
        Models whose strength (log-odds) is known, or has a prior of its own from elsewhere: see
        `anchors_from_posterior`. Strengths then do not sum to zero: a number added to every anchor
        is added to every score. The other models' level is learned, near that of the anchors.
    score_scale : {"log_odds", "probability", "elo"}, default "log_odds"
        Scale of ``score``: the strength; the probability of winning against the average other
        model; or Elo points, 1000 on average (with anchors: 1000 at strength zero). The order is
        the same.
    prior : mapping of str to Prior, optional
        Priors of ``strength``, ``tie`` (log nu, or log theta), ``side``, ``side_judge``,
        ``tie_judge``, ``log_reliability``, ``effect``, ``bothbad``, ``bothbad_slope``,
        ``category`` (difference from the overall strength), ``step`` (from one period to the
        next), as far as the model has them; the others keep their defaults.

    Returns
    -------
    pymc.Model
        Coordinates ``system``, ``comparison``, ``outcome``; ``strength`` and ``score`` of dims
        (system,); with categories or periods ``part_score`` of dims (part, system), which
        ``bayesrank.rank(posterior, part=...)`` ranks. All data are `pymc.Data`, so that one
        compiled model serves other counts. Population: "battles", or "questions" where responses
        induced the comparisons; `bayesrank.sample` also has new judges, prompts or sessions; with
        categories "categories" (``score`` is then the average over all categories like these).

    Raises
    ------
    ArgumentError
        For options that these comparisons do not allow (no sides, one judge, one category), an
        unknown prior, or an anchor that is not there.
    InputError
        For models in groups that never met, unless each group has an anchor or a prior for
        ``strength`` is stated; or ties only.

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
    .. [4] Glickman, M. E. (1999). Parameter estimation in large dynamic paired comparison
       experiments. Applied Statistics 48(3), 377-394. https://doi.org/10.1111/1467-9876.00159

    Examples
    --------
    >>> from bayesrank import Comparisons, models
    >>> comparisons = Comparisons.from_counts(["a", "b"], ["b", "a"], [3, 2], [1, 2], sided=True)
    >>> model = models.bradley_terry(comparisons, side=True)
    >>> model.named_vars_to_dims["score"]
    ('system',)
    """
    options = design.checked_options(
        comparisons,
        ties=ties,
        side=side,
        judges=judges,
        bothbad=bothbad,
        score_scale=score_scale,
        categories=categories,
        periods=periods,
    )
    anchored = checked_anchors(anchors, comparisons.systems, structure=options.structure)
    _require_links(comparisons, anchored, prior)
    priors = _priors(comparisons, options, anchored, prior)
    cells = design.cells(comparisons, options)
    counts = design.outcome_counts(cells, options)
    whole = not (cells.weighted or cells.expected or options.ties == "half")
    with pm.Model(coords=_coords(cells, options)) as model:
        strengths = create_strengths(comparisons, options, anchored, priors)
        first, second = strengths.of(cells, options)
        eta = effects.log_odds(cells, first - second, options, priors)
        tie = effects.tie_parameter(options, priors)
        effects.observe_outcomes(counts, eta, tie, options, whole=whole)
        if design.models_bothbad(options, comparisons):
            quality = (first + second) / 2
            effects.observe_kinds_of_ties(cells, quality, options, priors, whole=whole)
        views = _add_scores(comparisons, strengths, options, anchored)
    sentences, warned = words.notes(comparisons, options, anchored)
    for sentence in warned:
        warnings.warn(f"{comparisons.source}: {sentence}", BayesrankWarning, stacklevel=2)
    again = partial(
        bradley_terry,
        ties=ties,
        side=side,
        judges=judges,
        bothbad=bothbad,
        categories=categories,
        periods=periods,
        anchors=anchors,
        score_scale=score_scale,
        prior=prior,
    )
    n = comparisons.n_comparisons
    attach(
        model,
        Attachment(
            family="bradley-terry",
            data=comparisons,
            trials=np.rint(totals(comparisons, n, n)).astype(np.int64),
            missing=np.zeros(len(comparisons.systems), dtype=np.int64),
            prior=words.prior_in_words(priors, anchored, comparisons.systems),
            estimand=words.estimand(comparisons, options, anchored),
            populations=tuple(views) or ("battles",),
            settings={
                **design.settings(options, priors),
                "anchors": anchored.to_dict(comparisons.systems),
            },
            notes=sentences,
            large=("category_shift",),
            views=views,
            nuts={"whiten": all(well_known(comparisons, options))},
            resampling=Refitting(comparisons, options, again),
            default="" if comparisons.induced is None else "questions",
            caveats=words.caveats(comparisons),
        ),
    )
    return model


def _require_links(
    comparisons: Comparisons, anchors: Anchors, prior: Mapping[str, Prior] | None
) -> None:
    if prior is not None and "strength" in prior:
        return
    graph = comparison_graph(comparisons)
    loose = unrelated(graph.components, anchors.named(comparisons.systems))
    if not loose:
        return
    msg = (
        f"{comparisons.source}: {listed(loose, most=3)} never met the other models, "
        f"so that only a prior relates them: state one (prior={{'strength': Prior(...)}}), drop "
        f"them (.select), or add comparisons."
    )
    raise InputError(msg)


def _priors(
    comparisons: Comparisons,
    options: Options,
    anchors: Anchors,
    given: Mapping[str, Prior] | None,
) -> dict[str, Prior]:
    strength = anchors.default_prior() if anchors else None
    defaults = design.default_priors(options, comparisons, strength)
    if not anchors.free(len(comparisons.systems)):
        del defaults["strength"]
    return design.merged_priors(dict(given or {}), defaults)


def _coords(cells: Comparisons, options: Options) -> dict[str, Any]:
    coords: dict[str, Any] = {
        "system": list(cells.systems),
        "comparison": np.arange(len(cells.first)),
        "outcome": list(LABELS[options.has_tie]),
    }
    if options.by_judge:
        coords["judge"] = list(cells.factor("judge").levels)
    if options.part_factor is not None:
        coords["part"] = list(cells.factor(options.part_factor).levels)
    if cells.covariates:
        coords["covariate"] = list(cells.covariates)
    return coords


def _add_scores(
    comparisons: Comparisons, strengths: Strengths, options: Options, anchors: Anchors
) -> dict[str, View]:
    """Add what is ranked, overall and by part, and return the populations with their scores."""
    pm.Deterministic("score", score_of(strengths.overall, options, anchors), dims="system")
    if strengths.parts is not None:
        by_part = score_of(strengths.parts, options, anchors)
        pm.Deterministic("part_score", by_part, dims=("part", "system"))
    if strengths.everywhere is None:
        return {}
    everywhere = score_of(strengths.everywhere, options, anchors)
    pm.Deterministic("score_categories", everywhere, dims="system")
    return {
        "battles": View("score", words.estimand(comparisons, options, anchors)),
        "categories": View("score_categories", words.estimand_of_new_categories(options)),
    }
