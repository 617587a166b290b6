"""Sentences that go with Bayes@N scores: what the prior does to them, and what was left out."""

import numpy as np
from numpy.typing import ArrayLike

from bayesrank._text import listed
from bayesrank.data import Responses
from bayesrank.priors import EmpiricalPrior, LearnedWeight

# Kendall's tau-b below which the order of auxiliary outcomes is called at odds with sampling:
# at .5, one pair of models in four (of those not tied) stands the other way round.
LOW_ALIGNMENT = 0.5
# A learned weight below this calls auxiliary outcomes at odds with sampling: models' own shifts are
# then larger than what chance does to the mean over one trial.
LOW_WEIGHT = 0.5
# A prior moves a cell's score by its share of the cell's posterior weight, times the distance to
# the prior mean. Above this share it is said: 38 trials of a binary question under a uniform prior.
VISIBLE_SHARE = 0.05


def missing_cells(responses: Responses) -> tuple[str, ...]:
    """Say which models have questions without any observed trial."""
    absent = (~responses.observed).sum(axis=1)
    if not absent.any():
        return ()
    names = [s for s, n in zip(responses.systems, absent, strict=True) if n]
    n = int(absent.sum())
    what = "1 cell without an observed trial is" if n == 1 else f"{n} cells without a trial are"
    sentence = (
        f"{what} left out of the model's mean; scored on fewer questions than the others: "
        f"{listed(names)}."
    )
    return (sentence,)


def shrinkage(responses: Responses, prior_total: float, prior_mean: float) -> tuple[str, ...]:
    """Say towards what the scores are shrunk, where the prior weighs visibly."""
    trials = float(np.median(responses.n_trials[responses.observed]))
    share = prior_total / (prior_total + trials)
    if share <= VISIBLE_SHARE:
        return ()
    sentence = (
        f"Scores are shrunk towards {prior_mean:.3g}: the prior counts as {prior_total:g} trials "
        f"a question against {trials:g} observed, so they estimate no model's plain accuracy and "
        f"their intervals need not cover it."
    )
    return (sentence,)


def order(responses: Responses) -> tuple[str, ...]:
    """Say that a shared prior can move the order of unequally observed models."""
    if responses.is_balanced:
        return ()
    sentence = (
        "Numbers of trials differ between cells: the prior weighs more where there are fewer, and "
        "can change the order even though all models share it."
    )
    return (sentence,)


def empirical(
    prior: EmpiricalPrior, responses: Responses, weights: ArrayLike | None
) -> tuple[tuple[str, ...], str | None]:
    """Return notes on auxiliary outcomes, and a warning where they pull against the data."""
    if prior.shared:
        return (_shared(prior, responses),), None
    tau = prior.alignment(responses, weights=weights)
    if tau is None:
        sentence = "Alignment of auxiliary outcomes is undefined: there is no order to compare."
        return (sentence,), None
    note = (
        f"Greedy-sampling alignment: Kendall tau-b {tau:.3f} between the order by auxiliary "
        f"outcomes and the order by observed trials."
    )
    if tau >= LOW_ALIGNMENT:
        return (note,), None
    warning = (
        f"auxiliary outcomes order the models differently from the trials (Kendall tau-b "
        f"{tau:.2f}, below {LOW_ALIGNMENT}): as each model's own prior they bias the ranking; "
        f"share them, lower their weight, or leave them out."
    )
    return (note, "The alignment is low: " + warning), warning


def learned(
    prior: EmpiricalPrior, responses: Responses, found: LearnedWeight, weights: ArrayLike | None
) -> tuple[str, ...]:
    """Say what auxiliary outcomes were found to count, and that they disagree where they do."""
    what = (
        f"Learned weight: an auxiliary outcome counts as {found.weight:.2g} of an observed trial."
    )
    tau = prior.alignment(responses, weights=weights)
    order = (
        ""
        if tau is None
        else f" Kendall tau-b {tau:.3f} between their order and that of the observed trials."
    )
    if found.weight >= LOW_WEIGHT:
        return (what + order,)
    disagree = (
        f"Auxiliary and observed scores disagree: from model to model they shift by sd "
        f"{found.shift_sd:.2g} beyond chance, where a mean over one trial a question has sd "
        f"{found.trial_sd:.2g}."
    )
    return (what + order, disagree)


def _shared(prior: EmpiricalPrior, responses: Responses) -> str:
    """Say whether outcomes shared by all models can change the order of mean scores."""
    decodes = prior.pseudo_counts(responses).sum(axis=2)
    if responses.is_balanced and bool((decodes == decodes.flat[0]).all()):
        can = "equally many trials in all cells, they cannot change the order of mean scores"
    else:
        can = "unequal numbers of trials or decodes, they can change the order of models"
    return f"Auxiliary outcomes are shared by all models: there is no alignment, and with {can}."
