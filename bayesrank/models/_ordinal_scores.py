"""What the score of an ordinal model is: ability, or the score to be expected."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pymc as pm
from scipy.fft import dct

from bayesrank.models._attach import View
from bayesrank.models._item_scores import normal_grid
from bayesrank.models._ordinal_design import OrdinalOptions
from bayesrank.models._ordinal_likelihood import log_probabilities
from bayesrank.models._ordinal_parameters import Parameters
from bayesrank.models._ordinal_thresholds import Thresholds
from bayesrank.models._paired_outcomes import Tensor, pt
from bayesrank.typing import FloatArray

# Nodes over difficulties: exact to 1e-4 of the range for spreads up to 4 logits.
_NODES, _REACH = 15, 4.0


@dataclass(frozen=True, eq=False)
class Story:
    """All that a score is made of.

    Attributes
    ----------
    options : OrdinalOptions
        Which model it is.
    parameters, thresholds
        Its variables.
    named : mapping of str to Tensor
        ``log_discrimination_mean`` and ``log_discrimination_sd``, where there are discriminations.
    weights : Tensor, shape (category,)
        What a category is worth.
    of : str
        What the weights are, in words.
    """

    options: OrdinalOptions
    parameters: Parameters
    thresholds: Thresholds
    named: Mapping[str, Tensor]
    weights: Tensor
    of: str


def create_scores(story: Story) -> dict[str, View]:
    """Create the score under each population, and return which is which."""
    known = story.parameters
    here, there = known.level, known.level + known.shift
    if story.options.score_scale == "ability":
        of = "ability in logits against the average difficulty of"
        views = {
            "trials": (f"{of} these questions", here),
            "questions": (f"{of} questions like these", there),
        }
    else:
        logit, thresholds = here[:, None] - known.difficulty, story.thresholds.own
        if known.discrimination is not None:
            logit = known.discrimination * logit
            thresholds = known.discrimination[:, None] * thresholds
        views = {
            "trials": (
                f"mean over these questions of the {story.of}",
                _expected(story, logit, thresholds).mean(axis=1),
            ),
            "questions": (f"{story.of} on new questions like these", _on_new(story, there)),
        }
    found: dict[str, View] = {}
    for population, (estimand, score) in views.items():
        name = "score" if population == "trials" else f"score_{population}"
        pm.Deterministic(name, score, dims="system")
        found[population] = View(name, estimand)
    return found


def _expected(story: Story, logit: Tensor, thresholds: Tensor) -> Tensor:
    """Return the mean weight of the categories; thresholds have one axis more than logits."""
    w = story.weights
    if story.options.kind == "graded":
        reached = pt.sigmoid(logit[..., None] - thresholds)
        return w[0] + (reached * (w[1:] - w[:-1])).sum(axis=-1)
    log_p = log_probabilities(logit, thresholds, kind=story.options.kind)
    return (pt.exp(log_p) * w).sum(axis=-1)


def _on_new(story: Story, level: Tensor) -> Tensor:
    """Return the mean weight on new questions: over their difficulties, and all else they have."""
    known, t = story.parameters, story.thresholds
    slopes = story.options.discriminates
    own = 0 if t.sd is None else story.options.n_categories - 2
    z = normal_points(own + slopes)
    at: Tensor = level[:, None] + pt.zeros((1, len(z)))
    sd: Tensor = known.difficulty_sd
    a: Tensor = pt.ones(len(z))
    if slopes:
        named = story.named
        a = pt.exp(named["log_discrimination_mean"] + named["log_discrimination_sd"] * z[:, -1])
        # Given that discrimination, questions are harder by what it goes with.
        along = sd * known.correlation
        at, sd = at - along * z[:, -1], pt.sqrt(sd**2 - along**2)
    nodes, weight = normal_grid(_NODES, _REACH)
    logit = a[:, None] * (at[..., None] - sd * nodes)
    thresholds = a[:, None] * t.of_new(z[:, :own])
    found = _expected(story, logit, thresholds[:, None, :])
    return (found * weight).sum(axis=-1).mean(axis=-1)


def normal_points(dimensions: int) -> FloatArray:
    """Return points, shape (point, dimension), whose mean stands for that over standard normals.

    Two points on each axis of a rotated cross, which is exact for polynomials up to degree three;
    rotated, because a point far out on one axis alone is less like a normal one than a point that
    is a little out on all.

    References
    ----------
    .. [1] Stroud, A. H. (1957). Remarks on the disposition of points in numerical integration
       formulas. Mathematical Tables and Other Aids to Computation 11(60), 257-261.
    """
    if dimensions == 0:
        return np.zeros((1, 0))
    axes = np.sqrt(dimensions) * dct(np.eye(dimensions), norm="ortho", axis=1)
    return np.concatenate([axes, -axes])
