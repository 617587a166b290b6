r"""Rasch with difficulties integrated out: which sums it needs, and difficulties afterwards.

Given abilities relative to the mean difficulty, a question with trials :math:`n` and total
:math:`T` has the probability :math:`\prod_l \binom{n_l}{k_l} e^{k_l \theta_l} \cdot I`,

.. math:: I = \int N(b; 0, \sigma) \exp\Big(-T b - \sum_l n_l \log(1 + e^{\theta_l - b})\Big)\, db.

Questions with the same trials and the same total share the integral. It is a sum over nodes whose
spacing follows the width of the integrand, so the trapezoidal rule is exact to rounding. Totals
that lie near each other share the logarithms too: with :math:`p` the normalised integrand of
a total :math:`T_j`, that of :math:`T_j + \Delta` is :math:`I_j \sum_b p_b e^{-\Delta b}`, a product
with a kernel that depends on no parameter.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import expit, gammaln

from bayesrank.data import Responses
from bayesrank.exceptions import ArgumentError
from bayesrank.likelihoods.item_response_fit import ItemPriors, fit_item_response

__all__ = ["MarginalDesign", "difficulty_draws", "marginal_design"]

type Floats = NDArray[np.float64]
type Integers = NDArray[np.int64]

# Nodes this many posterior standard deviations apart: the trapezoidal rule is then off by
# 2 exp(-2 pi^2 / .8^2), about 1e-13, for a normal integrand.
_SPACING = 0.8
# How far the nodes reach, in standard deviations of difficulties and of what a question tells.
_REACH = 7.0
# Kernel entries stay below exp(600). Only totals within this many trials of none or all let
# difficulties lie further out than so many logits from where the others put them.
_LARGEST_EXPONENT = 600.0
_EXTREME, _FAR = 8.0, 20.0
# Nanoseconds: a logistic term, an exponential with its gradient, a product with its gradient.
_TERM, _EXPONENTIAL, _PRODUCT = 40.0, 16.0, 2.5
# A step of the marginal model may cost this many of the joint model's and still pay: it has no
# difficulties to move through, so its steps are fewer and longer.
_WORTH = 4.0
_WIDTHS = (1, 2, 4, 8, 16, 32, 64)
_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class MarginalDesign:
    """What the marginal Rasch likelihood needs of the data: arrays, none of size system x question.

    Attributes
    ----------
    row_sums : ndarray, shape (system,)
        Successes of each system.
    pattern_trials : ndarray, shape (pattern, system)
        The distinct columns of trials.
    nodes, log_widths : ndarray, shape (node,)
        Difficulties about their mean, in logits, and logs of what each stands for.
    block_pattern, block_total : ndarray, shape (block,)
        Questions of one pattern whose totals lie near `block_total`.
    offset, repeats : ndarray, shape (block, slot)
        Totals minus `block_total`; how many questions have each, 0 in unused slots.
    anchor : ndarray, shape (block,)
        About where a block's difficulties lie; it only keeps the kernel's numbers small.
    kernel : ndarray, shape (block, slot, node)
        ``exp(-offset * (node - anchor))``.
    log_constant : float
        Sum of the logarithms of binomial coefficients.
    question_block, question_slot : ndarray, shape (question,)
        Where each question's integral stands.
    """

    row_sums: Floats
    pattern_trials: Floats
    nodes: Floats
    log_widths: Floats
    block_pattern: Integers
    block_total: Floats
    offset: Floats
    repeats: Floats
    anchor: Floats
    kernel: Floats
    log_constant: float
    question_block: Integers
    question_slot: Integers

    @property
    def n_patterns(self) -> int:
        """Number of distinct columns of trials."""
        return len(self.pattern_trials)


def marginal_design(responses: Responses, *, force: bool = False) -> MarginalDesign | None:
    """Return what the marginal Rasch likelihood needs, or None where it does not pay.

    Parameters
    ----------
    responses : Responses
        Binary counts of shape (system, question); questions without any trial are left out.
    force : bool, default False
        Return it although a step of it costs far more than one of the joint model, as with many
        patterns of missing cells.

    Returns
    -------
    MarginalDesign or None

    Raises
    ------
    ArgumentError
        For outcomes of more than two categories.

    References
    ----------
    .. [1] Trefethen, L. N. and Weideman, J. A. C. (2014). The exponentially convergent
       trapezoidal rule. SIAM Review 56(3), 385-458. https://doi.org/10.1137/130932132

    Examples
    --------
    >>> from bayesrank import Responses
    >>> from bayesrank.likelihoods import marginal_design
    >>> design = marginal_design(Responses.from_counts([[3, 7, 3], [5, 9, 5]], 10))
    >>> design.repeats.sum(), design.n_patterns
    (np.float64(3.0), 1)
    """
    if responses.n_categories != 2:
        msg = (
            f"{responses.source}: the marginal Rasch likelihood is for success and failure; "
            f"these outcomes have {responses.n_categories} categories."
        )
        raise ArgumentError(msg)
    k = responses.successes.astype(np.float64)
    n = responses.n_trials.astype(np.float64)
    seen = n.sum(axis=0) > 0
    if (n == n[:, :1]).all():
        patterns, pattern = n[:, :1].T, np.zeros(n.shape[1], dtype=np.int64)
    else:
        patterns, pattern = np.unique(n[:, seen].T, axis=0, return_inverse=True)
        pattern = _placed(pattern.ravel(), seen)
    total = k.sum(axis=0)
    nodes, log_widths = _nodes(k, n)
    rows, row, repeats = np.unique(
        np.stack([pattern[seen].astype(np.float64), total[seen]]),
        axis=1,
        return_inverse=True,
        return_counts=True,
    )
    blocks, slot = _blocks(rows, patterns.sum(axis=1), nodes)
    if not force and len(patterns) > 1:
        L, M = k.shape
        B = len(nodes)
        J, W = blocks[-1] + 1, slot.max() + 1
        marginal = B * (L * _TERM + len(patterns) * L * 0.5 + J * (_EXPONENTIAL + W * _PRODUCT))
        if marginal > _WORTH * L * M * _TERM:
            return None
    shape = (int(blocks[-1]) + 1, int(slot.max()) + 1)
    first = np.flatnonzero(np.diff(blocks, prepend=-1))
    last = np.append(first[1:], len(blocks)) - 1
    block_pattern = rows[0, first].astype(np.int64)
    block_total = np.round((rows[1, first] + rows[1, last]) / 2)
    offset, count = np.zeros(shape), np.zeros(shape)
    offset[blocks, slot] = rows[1] - block_total[blocks]
    count[blocks, slot] = repeats
    full = patterns.sum(axis=1)[block_pattern]
    anchor = np.clip(-np.log((block_total + 0.5) / (full - block_total + 0.5)), nodes[0], nodes[-1])
    exponent = -offset[:, :, None] * (nodes - anchor[:, None])[:, None, :]
    kernel = np.exp(np.minimum(exponent, _LARGEST_EXPONENT))
    return MarginalDesign(
        row_sums=k.sum(axis=1),
        pattern_trials=patterns,
        nodes=nodes,
        log_widths=log_widths,
        block_pattern=block_pattern,
        block_total=block_total,
        offset=offset,
        repeats=count,
        anchor=anchor,
        kernel=kernel,
        log_constant=float((gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)).sum()),
        question_block=_placed(blocks[row.ravel()], seen),
        question_slot=_placed(slot[row.ravel()], seen),
    )


def difficulty_draws(
    ability: Floats,
    difficulty_mean: Floats,
    difficulty_sd: Floats,
    *,
    design: MarginalDesign,
    rng: np.random.Generator,
) -> Floats:
    """Draw difficulties given draws of everything else, a few posterior draws at a time.

    Parameters
    ----------
    ability : ndarray, shape (draw, system)
        In logits.
    difficulty_mean, difficulty_sd : ndarray, shape (draw,)
        Of the normal distribution of difficulties.
    design : MarginalDesign
        From `marginal_design`.
    rng : Generator
        Source of randomness.

    Returns
    -------
    ndarray, shape (draw, question)
        In logits, on the origin of the abilities; questions without a trial come from the prior.
    """
    where = np.nonzero(design.repeats > 0)
    row_at = np.full(design.repeats.shape, -1)
    row_at[where] = np.arange(len(where[0]))
    seen = np.flatnonzero(design.question_block >= 0)
    unseen = np.flatnonzero(design.question_block < 0)
    row = row_at[design.question_block[seen], design.question_slot[seen]]
    # Questions of one row one after the other: their searches end near each other in memory.
    near = np.argsort(row, kind="stable")
    seen, row = seen[near], row[near]
    rows, B = len(where[0]), len(design.nodes)
    tilt = np.log(design.kernel[where])
    out = np.empty((len(ability), len(design.question_block)))
    size = max(1, _AT_ONCE // (max(rows, ability.shape[1]) * B))
    for start in range(0, len(ability), size):
        part = slice(start, start + size)
        mean, sd = difficulty_mean[part, None], difficulty_sd[part, None]
        share = _shares(ability[part] - mean, sd, where[0], tilt, design)
        x = _draw_nodes(share, row, design, rng)
        out[part, seen] = mean + x
        out[part, unseen] = mean + sd * rng.standard_normal((len(mean), len(unseen)))
    return out


def _shares(
    theta: Floats, sd: Floats, block: Integers, tilt: Floats, design: MarginalDesign
) -> Floats:
    """Return the posterior probability of each node, shape (draw, row, node)."""
    terms = np.logaddexp(0.0, theta[:, :, None] - design.nodes)
    level = design.log_widths - 0.5 * (design.nodes / sd) ** 2
    level = level[:, None, :] - design.pattern_trials @ terms
    level = level[:, design.block_pattern[block]]
    level += tilt - (design.block_total[block])[:, None] * design.nodes
    level -= level.max(axis=2, keepdims=True)
    share = np.exp(level)
    return share / share.sum(axis=2, keepdims=True)


def _draw_nodes(
    share: Floats, row: Integers, design: MarginalDesign, rng: np.random.Generator
) -> Floats:
    """Return a draw for each question: a node, spread over its width without adding variance."""
    draws, rows, B = share.shape
    mean = share @ design.nodes
    variance = share @ design.nodes**2 - mean**2
    widths = np.exp(design.log_widths)
    added = share @ (widths**2 / 12.0)
    shrink = np.sqrt(np.maximum(variance, 0.0) / (np.maximum(variance, 0.0) + added))
    cumulative = np.cumsum(share, axis=2)
    cumulative /= cumulative[:, :, -1:]
    at = (np.arange(draws)[:, None] * rows + row).ravel()
    flat = (cumulative + np.arange(draws * rows).reshape(draws, rows, 1)).ravel()
    node = np.searchsorted(flat, at + rng.random(len(at)), side="right") - at * B
    node = np.clip(node, 0, B - 1)
    x = design.nodes[node] + widths[node] * (rng.random(len(at)) - 0.5)
    centre = mean.ravel()[at]
    return (centre + (x - centre) * shrink.ravel()[at]).reshape(draws, -1)


def _placed(values: Integers, seen: NDArray[np.bool_]) -> Integers:
    """Return values of seen questions among all; -1 for the others."""
    out = np.full(len(seen), -1, dtype=np.int64)
    out[seen] = values
    return out


def _nodes(k: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Return nodes whose spacing follows how sharply a question's difficulty is known there.

    Only where the nodes lie depends on the abilities estimated here: the likelihood is the same
    for any that are dense and reach far enough.
    """
    seen = n.sum(axis=0) > 0
    rough = fit_item_response(
        (k[:, seen], n[:, seen]), prior=ItemPriors(ability=3.0, difficulty_sd=3.0)
    )
    ability, difficulty = rough.ability, rough.difficulty
    spread = float(np.sqrt(np.mean(difficulty**2)))
    vague = 1.0 + 4.0 / np.sqrt(2.0 * len(difficulty))
    narrow, wide = max(0.1, spread / (2.0 * vague)), max(2.0, 3.0 * spread * vague)
    heaviest = n[:, seen].max(axis=1)
    reach = _REACH * wide
    fine = np.linspace(-reach, reach, max(4001, int(80 * reach)))

    def density(x: Floats) -> Floats:
        p = expit(ability[:, None] - x)
        # Far out, only a wide distribution of difficulties has any mass.
        prior = 1.0 / (narrow**2 + (x / _REACH) ** 2)
        return np.sqrt(heaviest @ (p * (1.0 - p)) + prior) / _SPACING

    # Nodes are evenly spaced in u, and their widths the derivative of the map from u: a smooth map
    # keeps the rule exponentially exact.
    u = CubicSpline(fine, density(fine)).antiderivative()(fine)
    even = np.linspace(0.0, u[-1], int(np.ceil(u[-1])) + 1)
    nodes = CubicSpline(u, fine)(even)
    return nodes, -np.log(density(nodes)) + np.log(even[1])


def _blocks(rows: Floats, trials: Floats, nodes: Floats) -> tuple[Integers, Integers]:
    """Return block and slot of each distinct (pattern, total), sorted: few blocks, little padding.

    Totals of one block are at most so far apart that the kernel does not overflow where the
    integrand of any of them has mass.
    """
    from_end = np.minimum(rows[1], trials[rows[0].astype(np.int64)] - rows[1])
    far = np.where(from_end < _EXTREME, (nodes[-1] - nodes[0]) / 2.0, _FAR)
    spans = np.maximum(1.0, np.floor(_LARGEST_EXPONENT / far))
    best: tuple[float, Integers, Integers] | None = None
    for width in _WIDTHS:
        block = np.empty(rows.shape[1], dtype=np.int64)
        slot = np.empty(rows.shape[1], dtype=np.int64)
        j, start = -1, 0
        for i, (pattern, total) in enumerate(rows.T):
            span = min(spans[start], spans[i])
            new = i == 0 or pattern != rows[0, start] or total - rows[1, start] > span
            if new or i - start >= width:
                j, start = j + 1, i
            block[i], slot[i] = j, i - start
        cost = (j + 1) * (_EXPONENTIAL + _PRODUCT * (slot.max() + 1))
        if best is None or cost < best[0]:
            best = float(cost), block, slot
    assert best is not None
    return best[1:]
