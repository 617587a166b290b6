"""Which questions fit an item response model, and which still tell the best models apart."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from bayesrank._text import listed
from bayesrank._validate import as_generator, validate_count, validate_finite, validate_probability
from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError, InputError
from bayesrank.typing import RandomSeed

__all__ = ["information_curve", "question_fit"]

type Floats = NDArray[np.float64]

# One false alarm in a thousand questions that fit: many are looked at.
_MISFIT_BELOW = 0.001
# A slope of its own within this of 0 tells models hardly apart, below it turns them round.
_FLAT_BELOW = 0.25
# Of the slope a question has on its own; each moves by 1 at most.
_NEWTON_STEPS = 5
# Grid of abilities of the test information curve, in logits beyond the models.
_NODES, _BEYOND = 81, 1.0


def question_fit(
    posterior: xr.DataTree,
    responses: Responses,
    *,
    top_k: int = 3,
    draws: int = 400,
    ci_prob: float = 0.95,
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    r"""Compare each question with what its item response model says of it.

    Parameters
    ----------
    posterior : DataTree
        Of `bayesrank.models.item_response` with one ability a model, or one a task.
    responses : Responses
        The observations that it was drawn of.
    top_k : int, default 3
        How many of the best models a question should tell apart.
    draws : int, default 400
        Draws of the posterior to look at, evenly spaced.
    ci_prob : float, default 0.95
        Probability of intervals, and of what is called sure.
    random_seed : int, Generator, SeedSequence or None
        Source of randomness of replicated counts.

    Returns
    -------
    xarray.Dataset
        On ``question``: ``difficulty`` and ``discrimination`` with ``_low`` and ``_high`` (logits,
        and a factor); ``accuracy``, the observed share of successes; ``infit`` and ``outfit`` with
        ``infit_p`` and ``outfit_p``, two-sided posterior predictive p-values; ``slope`` with
        ``slope_low`` and ``slope_high``, how much better the question tells models apart than the
        model says (1: just as it says; below 0: able models fail it; NaN where the question is
        constant, for its counts do not bound it); ``separation``, the squared
        distance of neighbours among the best in standard errors after one trial of both, and
        ``separation_share``; ``verdict``: "fits", "misfits", "flat", "reversed", or "constant".
        Attributes name the best models and the settings.

    Raises
    ------
    ArgumentError
        For a posterior of another family, or of several dimensions, testlets or trends, whose
        questions are not described by one ability; or one without difficulties.
    InputError
        For responses of other models or questions.

    Notes
    -----
    Outfit is the mean over models of squared standardised residuals, infit the same weighted by
    information; both are 1 where a question fits, larger where able models fail it or weak ones
    succeed. A question's own slope is fitted to its counts given the abilities, draw by draw, so
    that it can be negative although discriminations of the model cannot: such questions are
    likely to be mislabelled.

    References
    ----------
    .. [1] Wright, B. D. and Masters, G. N. (1982). Rating Scale Analysis. MESA Press.
    .. [2] Sinharay, S., Johnson, M. S. and Stern, H. S. (2006). Posterior predictive assessment of
       item response theory models. Applied Psychological Measurement 30(4), 298-321.
       https://doi.org/10.1177/0146621605285517

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.simulate_responses(systems=6, questions=8, random_seed=1)
    >>> model = bayesrank.models.item_response(responses)
    >>> posterior = bayesrank.sample(model, method="laplace", draws=100, random_seed=1)
    >>> fit = bayesrank.checks.question_fit(posterior, responses, random_seed=1)
    >>> fit["infit"].dims
    ('question',)
    """
    validate_count(top_k, name="top_k", minimum=2)
    validate_count(draws, name="draws", minimum=20)
    validate_probability(ci_prob, name="ci_prob")
    rng = as_generator(random_seed)
    found = _Parameters.of(posterior, responses, draws)
    k, n = responses.counts[:, :, 1].astype(np.float64), responses.n_trials.astype(np.float64)
    best = found.best(min(top_k, len(responses.systems)))
    rows = [_of_draw(draw, k, n, best, rng) for draw in found]
    each = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    tail = (1.0 - ci_prob) / 2.0
    columns: dict[str, Floats] = {
        "accuracy": k.sum(axis=0) / np.where(n.sum(axis=0) > 0, n.sum(axis=0), np.nan)
    }
    constant = np.isin(columns["accuracy"], (0.0, 1.0)) | (n.sum(axis=0) == 0)
    # Nothing of a constant question's counts bounds its own slope.
    slope = np.where(constant, np.nan, each["slope"])
    for name, values in (
        ("difficulty", found.difficulty),
        ("discrimination", found.discrimination),
        ("slope", slope),
    ):
        columns[name] = values.mean(axis=0)
        columns[f"{name}_low"], columns[f"{name}_high"] = np.quantile(
            values, [tail, 1.0 - tail], axis=0
        )
    for name in ("infit", "outfit"):
        columns[name] = each[name].mean(axis=0)
        columns[f"{name}_p"] = _two_sided(each[f"{name}_replicated"], each[name])
    columns["separation"] = each["separation"].mean(axis=0)
    total = columns["separation"].sum()
    columns["separation_share"] = columns["separation"] / (total if total > 0 else 1.0)
    dataset = xr.Dataset(
        {name: ("question", values) for name, values in columns.items()},
        {"question": list(responses.questions)},
        attrs={
            "top": [responses.systems[i] for i in best],
            "draws": len(rows),
            "ci_prob": ci_prob,
            "source": responses.source,
        },
    )
    return dataset.assign(verdict=("question", _verdicts(columns, constant)))


def information_curve(
    posterior: xr.DataTree,
    *,
    low: float | None = None,
    high: float | None = None,
    ci_prob: float = 0.95,
) -> xr.Dataset:
    r"""Return how much one trial of every question tells about a model of each ability.

    Parameters
    ----------
    posterior : DataTree
        Of `bayesrank.models.item_response` with one ability a model, or one a task.
    low, high : float, optional
        Ends of the range of abilities, in logits; by default a logit beyond the models.
    ci_prob : float, default 0.95
        Probability of the intervals.

    Returns
    -------
    xarray.Dataset
        On ``ability`` (logits): ``information`` with ``information_low`` and ``information_high``,
        and ``standard_error``, its inverse square root.

    Raises
    ------
    ArgumentError
        As `question_fit`; and for ends in the wrong order.

    References
    ----------
    .. [1] Birnbaum, A. (1968). Some latent trait models and their use in inferring an examinee's
       ability. In F. M. Lord and M. R. Novick, Statistical Theories of Mental Test Scores.
       Addison-Wesley.

    Examples
    --------
    >>> import bayesrank
    >>> responses = bayesrank.simulate_responses(systems=6, questions=8, random_seed=1)
    >>> model = bayesrank.models.item_response(responses)
    >>> posterior = bayesrank.sample(model, method="laplace", draws=100, random_seed=1)
    >>> curve = bayesrank.checks.information_curve(posterior)
    >>> bool((curve["information"] <= 8 / 4).all())
    True
    """
    validate_probability(ci_prob, name="ci_prob")
    found = _Parameters.of(posterior, None, 400)
    ability = found.ability.mean(axis=0)
    start = float(ability.min() - _BEYOND) if low is None else validate_finite(low, name="low")
    end = float(ability.max() + _BEYOND) if high is None else validate_finite(high, name="high")
    if not start < end:
        msg = f"low={start:g} must lie below high={end:g}."
        raise ArgumentError(msg)
    grid = np.linspace(start, end, _NODES)
    curves = np.stack([_information(draw, grid).sum(axis=1) for draw in found])
    tail = (1.0 - ci_prob) / 2.0
    bounds = np.quantile(curves, [tail, 1.0 - tail], axis=0)
    mean = curves.mean(axis=0)
    return xr.Dataset(
        {
            "information": ("ability", mean),
            "information_low": ("ability", bounds[0]),
            "information_high": ("ability", bounds[1]),
            "standard_error": ("ability", 1.0 / np.sqrt(mean)),
        },
        {"ability": grid},
        attrs={"ci_prob": ci_prob},
    )


@dataclass(frozen=True, eq=False)
class _Draw:
    """One draw: ability (system, 1 or question), and (question,) arrays."""

    ability: Floats
    difficulty: Floats
    discrimination: Floats
    guessing: Floats

    def success(self, ability: Floats) -> tuple[Floats, Floats]:
        """Return probabilities of success, with guessing and without."""
        known = 1.0 / (1.0 + np.exp(-self.discrimination * (ability - self.difficulty)))
        return self.guessing + (1.0 - self.guessing) * known, known


@dataclass(frozen=True, eq=False)
class _Parameters:
    """Draws in front: ability (draw, system or system x question), the others (draw, question)."""

    ability: Floats
    difficulty: Floats
    discrimination: Floats
    guessing: Floats

    @classmethod
    def of(cls, posterior: xr.DataTree, responses: Responses | None, draws: int) -> "_Parameters":
        """Return evenly spaced draws, or say what is missing."""
        group = posterior["posterior"].to_dataset()
        name = "ability_by_task" if "ability_by_task" in group else "ability"
        if name not in group or "difficulty" not in group:
            msg = (
                "questions are described by item response models, and this posterior has no "
                "ability or no difficulty: sample models.item_response, with "
                "keep_probabilities=True for more than 1,000 questions."
            )
            raise ArgumentError(msg)
        if "threshold" in group:
            msg = (
                "these questions have several ordered categories (models.ordinal), and what is "
                "said of questions here is for success and failure."
            )
            raise ArgumentError(msg)
        odd = {"loading", "testlet", "ability_by_period"} & set(map(str, group.data_vars))
        if odd:
            msg = (
                f"this posterior has {listed(sorted(odd))}: its questions are not described by one "
                f"ability; fit a model without dimensions, testlets and trend to look at them."
            )
            raise ArgumentError(msg)
        flat = group.stack(sample=("chain", "draw"))
        thinned = flat.isel(sample=np.linspace(0, flat.sizes["sample"] - 1, draws).astype(int))
        ability = thinned[name].transpose("sample", "system", ...).to_numpy()
        difficulty = thinned["difficulty"].transpose("sample", "question").to_numpy()
        if responses is not None:
            _require_same(group, responses)
            if ability.ndim == 3:
                tasks = [str(t) for t in group["task"].to_numpy()]
                of_question = [tasks.index(str(t)) for t in responses.tasks or ()]
                ability = ability[:, :, of_question]
        elif ability.ndim == 3:
            ability = ability.mean(axis=2)
        one = np.ones_like(difficulty)

        def known(variable: str, default: Floats) -> Floats:
            if variable not in thinned:
                return default
            return thinned[variable].transpose("sample", "question").to_numpy()

        return cls(ability, difficulty, known("discrimination", one), known("guessing", 0.0 * one))

    def __iter__(self) -> Iterator[_Draw]:
        for s in range(len(self.difficulty)):
            ability = self.ability[s]
            yield _Draw(
                ability if ability.ndim == 2 else ability[:, np.newaxis],
                self.difficulty[s],
                self.discrimination[s],
                self.guessing[s],
            )

    def best(self, top: int) -> NDArray[np.intp]:
        """Return the models with the highest ability, best first."""
        level = self.ability.mean(axis=(0, 2) if self.ability.ndim == 3 else 0)
        return np.argsort(-level, kind="stable")[:top]


def _require_same(group: xr.Dataset, responses: Responses) -> None:
    for dim, names in (("system", responses.systems), ("question", responses.questions)):
        if [str(v) for v in group[dim].to_numpy()] != list(names):
            what = "models" if dim == "system" else "questions"
            msg = (
                f"{responses.source}: the posterior is of other {what}; give the responses that it "
                f"was drawn of."
            )
            raise InputError(msg)
    if responses.n_categories != 2:
        msg = f"{responses.source}: questions of {responses.n_categories} categories; give binary."
        raise InputError(msg)


def _of_draw(
    draw: _Draw, k: Floats, n: Floats, best: NDArray[np.intp], rng: np.random.Generator
) -> dict[str, Floats]:
    """Return statistics of each question under one draw."""
    p, _ = draw.success(draw.ability)
    p = np.broadcast_to(p, k.shape)
    variance = np.maximum(n * p * (1.0 - p), 1e-300)
    replicated = rng.binomial(n.astype(np.int64), p).astype(np.float64)
    seen = n > 0
    models = np.maximum(seen.sum(axis=0), 1)
    found: dict[str, Floats] = {}
    for name, counts in (("", k), ("_replicated", replicated)):
        squares = np.where(seen, (counts - n * p) ** 2, 0.0)
        found[f"outfit{name}"] = (squares / variance).sum(axis=0) / models
        found[f"infit{name}"] = squares.sum(axis=0) / np.where(seen, variance, 0.0).sum(
            axis=0
        ).clip(1e-300)
    found["slope"] = _own_slopes(draw, k, n, rng)
    of_best = p[best]
    gap = np.diff(of_best, axis=0) ** 2
    both = (of_best * (1.0 - of_best))[1:] + (of_best * (1.0 - of_best))[:-1]
    found["separation"] = (gap / np.maximum(both, 1e-300)).mean(axis=0)
    return found


def _own_slopes(draw: _Draw, k: Floats, n: Floats, rng: np.random.Generator) -> Floats:
    """Return a draw of each question's own slope, its difficulty free beside it."""
    along = np.broadcast_to(draw.discrimination * (draw.ability - draw.difficulty), k.shape)
    g = draw.guessing
    slope, level = np.ones(k.shape[1]), np.zeros(k.shape[1])
    curvature = np.zeros(k.shape[1])
    for _ in range(_NEWTON_STEPS):
        known = 1.0 / (1.0 + np.exp(-np.clip(slope * along + level, -30.0, 30.0)))
        p = g + (1.0 - g) * known
        by_logit = (1.0 - g) * known * (1.0 - known)
        weight = n * by_logit**2 / (p * (1.0 - p))
        push = by_logit * (k - n * p) / (p * (1.0 - p))
        total = np.maximum(weight.sum(axis=0), 1e-12)
        centre = (weight * along).sum(axis=0) / total
        centred = along - centre
        curvature = np.maximum((weight * centred**2).sum(axis=0), 1e-12)
        step = np.clip((push * centred).sum(axis=0) / curvature, -1.0, 1.0)
        slope = slope + step
        level = level + np.clip(push.sum(axis=0) / total, -1.0, 1.0) - step * centre
    return slope + rng.standard_normal(len(slope)) / np.sqrt(curvature)


def _information(draw: _Draw, grid: Floats) -> Floats:
    """Return Fisher information of a trial, shape (ability, question)."""
    p, known = draw.success(grid[:, np.newaxis])
    slope = draw.discrimination * (1.0 - draw.guessing) * known * (1.0 - known)
    return slope**2 / np.maximum(p * (1.0 - p), 1e-300)


def _two_sided(replicated: Floats, realised: Floats) -> Floats:
    above = (replicated > realised).mean(axis=0) + 0.5 * (replicated == realised).mean(axis=0)
    # With so many draws no smaller p-value can be told from 0.
    return np.maximum(2.0 * np.minimum(above, 1.0 - above), 1.0 / (1 + len(realised)))


def _verdicts(columns: dict[str, Floats], constant: NDArray[np.bool_]) -> NDArray[np.str_]:
    """Return what to think of each question, the gravest first."""
    least = max(_MISFIT_BELOW, 1.0 / 400)
    misfit = np.minimum(columns["infit_p"], columns["outfit_p"]) <= least
    reversed_ = columns["slope_high"] < -_FLAT_BELOW
    flat = columns["slope_high"] < _FLAT_BELOW
    return np.select(
        [constant, reversed_, flat, misfit], ["constant", "reversed", "flat", "misfits"], "fits"
    )
