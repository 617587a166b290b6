"""Joint maximum of abilities, difficulties, discriminations and guessing, by Fisher scoring."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bayesrank.likelihoods._joint_points import Blocks, JointPoint, Move
from bayesrank.likelihoods.item_response import item_terms
from bayesrank.likelihoods.item_response_rasch import LogPrior

__all__ = ["JointPoint", "ScoringProblem"]

type Floats = NDArray[np.float64]

_STEPS = 500
# Twice the log-likelihood still to gain at which the maximum is found.
_DECREMENT = 1e-16
# And at which Newton's steps are worth a try.
_FAR = 1e-4
_LARGEST_DAMPING = 1e12
# Longest step of a question's difficulty or log discrimination. Quadratic models hold no further,
# and from where a longer one leads the way back is along a curved ridge.
_LONGEST = 3.0
# Share of the average curvature below which a question does not hold abilities any more.
_UNFELT = 1e-8
# Share of the average curvature that damps questions without any.
_HELD = 1e-6
_LARGEST_LOGARITHM = 100.0
# Newton's steps along the scale of abilities, which cost little.
_RESCALINGS = 5
# Share of the gain of a step at which a question goes ahead of the others, and the share of all
# that may. What they gain when Newton's steps do the rest at once.
_AHEAD, _FEW, _SETTLED = 0.01, 1 / 8, 1e-4
# Steps of questions that go ahead, and of ones that lost by a step. Their longest: a question that
# overshoots alone ends on the plateau of one that is above or below all abilities.
_ROUNDS, _FEW_ROUNDS = 10, 3
_LONGEST_ALONE = 0.5
# Share of the largest curvature of a question that its least one must have.
_BENT = 1e-6


class ScoringProblem:
    """Log-likelihood plus log priors, climbed by Levenberg's damping of the expected information.

    Parameters
    ----------
    k, n : ndarray, shape (system, question)
        Successes and trials.
    item_priors : tuple of callable or None
        Of difficulty, log discrimination and logit of guessing, as many as are free.
    ability_prior : callable or None
        Log density, slope and curvature of each ability.
    guessing : ndarray, shape (question,), or float
        Fixed guessing, where it is not free.
    guessing_upper : float
        Bound of free guessing.
    """

    def __init__(
        self,
        k: Floats,
        n: Floats,
        *,
        item_priors: tuple[LogPrior | None, ...],
        ability_prior: LogPrior | None,
        guessing: Floats | float = 0.0,
        guessing_upper: float = 0.5,
    ) -> None:
        self.k, self.n = k, n
        self.item_priors = item_priors
        self.ability_prior = ability_prior
        self.fixed_guessing = guessing
        self.upper = guessing_upper
        # Without priors that see it, all abilities and difficulties can move together. The first
        # row of items then holds intercepts, minus slope times difficulty, in here: where a slope
        # goes to zero, intercepts stay where they are, and difficulties run off.
        self.free_shift = ability_prior is None and item_priors[0] is None

    def climb(self, ability: Floats, items: Floats, *, limit: int = _STEPS) -> JointPoint:
        """Return the maximum that lies uphill, if it does within so many steps.

        Difficulties sum to zero.
        """
        centre = items[0].mean()
        point = self._scaled(self.at(ability - centre, self._inside(items[0] - centre, items)))
        damping, far = 1e-3, True
        for step in range(1, limit + 1):
            enough = point.value - 1e-14 * max(1.0, abs(point.value))
            # Near the summit Newton's step, which ends quickly; where that does not climb, and far
            # away, a damped step by the expected information, which always climbs.
            move, trial = None, point
            if not far:
                move = self.move(self.information(point, observed=True), 0.0)
                trial = self._moved(point, move)
            if move is None or not (move.gain > 0.0 and trial.value >= enough + 1e-4 * move.gain):
                blocks, tried = self.information(point, observed=False), 0
                while True:
                    move = self.move(blocks, damping)
                    trial = self._moved(point, move, ahead=tried == 0)
                    tried += 1
                    if not trial.value >= enough + 1e-4 * move.gain:
                        trial = self._mended(point, trial)
                    if trial.value >= enough + 1e-4 * move.gain:
                        break
                    if damping > _LARGEST_DAMPING:
                        return self._outside(point, step)
                    damping *= 8.0
                damping = max(damping / 8.0, 1e-12)
            point = self._scaled(trial)
            if abs(move.left) < _DECREMENT * max(1.0, abs(point.value)):
                return self._outside(point, step, converged=True)
            far = move.gain > _FAR * max(1.0, abs(point.value))
        return self._outside(point, limit)

    def _moved(self, point: JointPoint, move: Move, *, ahead: bool = True) -> JointPoint:
        """Return where a step leads, after the few questions that gain most of it went further.

        The others, and abilities, need not wait for them.
        """
        ability, items = point.ability + move.ability, point.items + move.items
        which = np.flatnonzero(move.by_question > _AHEAD * move.size)
        few = 0 < len(which) <= _FEW * items.shape[1]
        if ahead and few and move.by_question[which].sum() > max(move.size / 2.0, _SETTLED):
            items[:, which] = self._alone(which, ability, point.items, rounds=_ROUNDS)
        return self.at(*self._centred(ability, items))

    def _mended(self, point: JointPoint, trial: JointPoint) -> JointPoint:
        """Return a trial with questions that lost by the step on better places of their own.

        A few that go too far would make all others take short steps.
        """
        if trial.terms is None:
            return trial
        lost = np.flatnonzero(~(self._by_question(trial) >= self._by_question(point)))
        if not 0 < len(lost) <= _FEW * trial.items.shape[1]:
            return trial
        items = trial.items.copy()
        items[:, lost] = self._alone(lost, trial.ability, point.items, rounds=_FEW_ROUNDS)
        return self.at(*self._centred(trial.ability, items))

    def _alone(
        self, which: NDArray[np.intp], ability: Floats, items: Floats, *, rounds: int
    ) -> Floats:
        """Return parameters of some questions after climbs of their own, abilities held."""
        c = self.fixed_guessing
        part = ScoringProblem(
            self.k[:, which],
            self.n[:, which],
            item_priors=self.item_priors,
            ability_prior=self.ability_prior,
            guessing=c[which] if isinstance(c, np.ndarray) else c,
            guessing_upper=self.upper,
        )
        # What difficulties cost abilities, which are held against their average.
        pull = 0.0
        if self.ability_prior is not None:
            pull = -float(self.ability_prior(ability)[1].sum()) / items.shape[1]
        diagonal = np.arange(len(items))
        here = part.at(ability, items[:, which])
        value = part._by_question(here) + pull * here.items[0]
        damping = np.full(len(which), 1e-3)
        for _ in range(rounds):
            blocks = part.information(here, observed=True)
            damped = blocks.item
            curved = damped[:, diagonal, diagonal]
            damped[:, diagonal, diagonal] += damping[:, np.newaxis] * curved + 1e-300
            blocks.by_item[:, 0] += pull
            step = np.linalg.solve(damped, blocks.by_item[:, :, np.newaxis])[:, :, 0]
            longest = np.maximum(np.abs(step).max(axis=1), _LONGEST_ALONE)
            step *= (_LONGEST_ALONE / longest)[:, np.newaxis]
            there = part.at(ability, here.items + step.T)
            reached = part._by_question(there) + pull * there.items[0]
            better = reached >= value
            if not better.all():
                there = part.at(ability, np.where(better, there.items, here.items))
            here, value = there, np.where(better, reached, value)
            damping *= np.where(better, 0.125, 8.0)
        return here.items

    def _by_question(self, point: JointPoint) -> Floats:
        """Return log-likelihood and log priors of each question."""
        if point.terms is None:
            return np.full(point.items.shape[1], -np.inf)
        value = point.terms.value.sum(axis=0)
        for prior, x in zip(self.item_priors, point.items, strict=True):
            if prior is not None:
                value += prior(x)[0]
        return value

    def _centred(self, ability: Floats, items: Floats) -> tuple[Floats, Floats]:
        """Return parameters with difficulties that sum to zero, where a shift is not free."""
        if self.free_shift:
            return ability, items
        centre = items[0].mean()
        return ability - centre, np.vstack([items[:1] - centre, items[1:]])

    def _scaled(self, point: JointPoint) -> JointPoint:
        """Return the best of the points that differ by the scale of abilities, slopes undoing it.

        Their likelihoods are the same, so that the priors decide; steps along that curved ridge
        would be short.
        """
        if not np.isfinite(point.value):
            return point
        # Intercepts stay as they are where abilities and slopes are scaled.
        scaled = [(self.ability_prior, point.ability)]
        if not self.free_shift:
            scaled.append((self.item_priors[0], point.items[0]))
        scaled = [(prior, x) for prior, x in scaled if prior is not None]
        of_slopes, slopes = self.item_priors[1], point.items[1]

        def along(log_scale: float) -> tuple[float, float, float]:
            """Return log priors, slope and curvature where abilities are multiplied."""
            value = slope = curvature = 0.0
            if of_slopes is not None:
                density, d, bend = of_slopes(slopes - log_scale)
                value, slope, curvature = density.sum(), -d.sum(), bend.sum()
            for prior, x in scaled:
                y = x * np.exp(log_scale)
                density, d, bend = prior(y)
                value += density.sum()
                slope += d @ y
                curvature += bend @ (y * y) - d @ y
            return float(value), float(slope), float(curvature)

        best, (start, slope, curvature) = 0.0, along(0.0)
        value = start
        for _ in range(_RESCALINGS):
            if curvature <= 0.0:
                break
            step = float(np.clip(slope / curvature, -1.0, 1.0))
            found = along(best + step)
            if not found[0] > value:
                break
            best += step
            value, slope, curvature = found
        if best == 0.0:
            return point
        items = point.items.copy()
        items[1] -= best
        if not self.free_shift:
            items[0] *= np.exp(best)
        return replace(
            point,
            ability=point.ability * np.exp(best),
            items=items,
            value=point.value + (value - start),
        )

    def _inside(self, difficulty: Floats, items: Floats) -> Floats:
        first = -np.exp(items[1]) * difficulty if self.free_shift else difficulty
        return np.vstack([first[np.newaxis], items[1:]])

    def _outside(self, point: JointPoint, steps: int, *, converged: bool = False) -> JointPoint:
        """Return a point with difficulties that sum to zero, in the place of intercepts."""
        ability, items = point.ability, point.items
        if self.free_shift:
            difficulty = -items[0] * np.exp(-items[1])
            centre = difficulty.mean()
            ability = ability - centre
            items = np.vstack([(difficulty - centre)[np.newaxis], items[1:]])
        return replace(
            point, ability=ability, items=items, steps=steps, converged=converged, terms=None
        )

    def guessing(self, items: Floats) -> Floats | float:
        """Return the probability of success without knowing the answer."""
        return self.upper * expit(items[2]) if len(items) > 2 else self.fixed_guessing

    def at(self, ability: Floats, items: Floats) -> JointPoint:
        """Return the objective at a point."""
        if not np.abs(items[1:]).max() < _LARGEST_LOGARITHM:
            return JointPoint(ability, items, -np.inf, -np.inf)
        a = np.exp(items[1])
        if self.free_shift:
            eta = np.multiply.outer(ability, a)
            eta += items[0]
        else:
            eta = a * (ability[:, None] - items[0])
        terms = item_terms(
            eta, self.guessing(items), self.k, self.n, free_guessing=len(items) > 2
        )  # fmt: skip
        log_likelihood = float(terms.value.sum())
        value = log_likelihood
        for prior, x in ((self.ability_prior, ability), *zip(self.item_priors, items, strict=True)):
            if prior is not None:
                value += float(prior(x)[0].sum())
        if not np.isfinite(value):
            value = -np.inf
        return JointPoint(ability, items, value, log_likelihood, terms=terms)

    def information(self, point: JointPoint, *, observed: bool) -> Blocks:
        """Return gradients and observed or expected information."""
        ability, items = point.ability, point.items
        a = np.exp(items[1])
        if (terms := point.terms) is None:
            terms = self.at(ability, items).terms
        assert terms is not None
        # Derivatives of eta by difficulty (or intercept) and log discrimination; of guessing by its
        # logit. That by an intercept is one.
        J = (np.ones(()), terms.eta - items[0]) if self.free_shift else (-a, terms.eta)
        w = terms.eta_eta
        if observed and terms.more_eta_eta.ndim:
            w = w + terms.more_eta_eta
        q = len(items)
        gradient = np.empty((len(a), q))
        G = np.empty((len(a), q, q))
        sloped = w * J[1]
        pushed = terms.d_eta.sum(axis=0)
        gradient[:, 0] = pushed * J[0]
        gradient[:, 1] = np.einsum("lm,lm->m", terms.d_eta, J[1])
        G[:, 0, 0] = w.sum(axis=0) * J[0] * J[0]
        G[:, 0, 1] = G[:, 1, 0] = sloped.sum(axis=0) * J[0]
        G[:, 1, 1] = np.einsum("lm,lm->m", sloped, J[1])
        between = [w * (a * J[0]), sloped]
        if observed:  # eta is not linear in the log discrimination
            sloped -= terms.d_eta
            if not self.free_shift:
                G[:, 0, 1] -= gradient[:, 0]
                G[:, 1, 0] -= gradient[:, 0]
            G[:, 1, 1] -= gradient[:, 1]
        sloped *= a
        if q > 2:
            s = expit(items[2])
            slope = self.upper * s * (1.0 - s)
            v = terms.eta_guessing + (terms.more_eta_guessing if observed else 0.0)
            gradient[:, 2] = slope * terms.d_guessing.sum(axis=0)
            between.append(a * v * slope)
            for j in range(2):
                G[:, 2, j] = G[:, j, 2] = slope * (v * J[j]).sum(axis=0)
            G[:, 2, 2] = slope * slope * terms.guessing_guessing.sum(axis=0)
            if observed:
                G[:, 2, 2] += slope * slope * terms.more_guessing_guessing.sum(axis=0)
                G[:, 2, 2] -= (1.0 - 2.0 * s) * gradient[:, 2]
        g_ability, D = terms.d_eta @ a, w @ (a * a)
        if self.ability_prior is not None:
            _, d, curvature = self.ability_prior(ability)
            g_ability += d
            D[:] += curvature
        for i, prior in enumerate(self.item_priors):
            if prior is not None:
                _, d, curvature = prior(items[i])
                gradient[:, i] += d
                G[:, i, i] += curvature
        if observed:
            self._mend(point, G, between)
        return Blocks(g_ability, gradient, D, G, tuple(between), a)

    def _mend(self, point: JointPoint, item: Floats, between: list[Floats]) -> None:
        """Give questions that are not at a maximum of their own the expected information."""
        largest = np.abs(item[:, range(item.shape[1]), range(item.shape[1])]).max(axis=1)
        bent = np.linalg.eigvalsh(item)[:, 0] <= _BENT * largest
        if bent.any():
            expected = self.information(point, observed=False)
            item[bent] = expected.item[bent]
            for own, other in zip(between, expected.between, strict=True):
                own[:, bent] = np.broadcast_to(other, own.shape)[:, bent]

    def move(self, blocks: Blocks, damping: float) -> Move:
        """Return a step without a common shift, and what it promises to gain.

        That also without questions on the way to a difficulty without end, which abilities do not
        feel any more.
        """
        g_ability, g_items, between = blocks.by_ability, blocks.by_item, blocks.between
        M, q = g_items.shape
        diagonal = np.arange(q)
        # The common shift is free without a prior: this bounds it, and is taken out below.
        floor = 1e-10 * max(float(np.abs(blocks.ability).mean()), 1e-300)
        own = blocks.ability * (1.0 + damping) + floor
        damped = blocks.item.copy()
        curved = damped[:, diagonal, diagonal]
        # Where a question hardly curves at all, only damping that others set holds it.
        least = damping * _HELD * curved.mean(axis=0)
        damped[:, diagonal, diagonal] = curved * (1.0 + damping) + least + floor
        inverse = np.linalg.inv(damped)
        # What moves with a shift: difficulties by one, or intercepts by minus the slopes.
        shift = -blocks.slope if self.free_shift else np.ones(M)
        sides = np.zeros((M, q, 2))
        sides[:, :, 0] = g_items
        sides[:, 0, 1] = 1.0
        solved = inverse @ sides
        schur = np.diag(own)
        top = np.zeros((len(own), 2))
        top[:, 0] = g_ability
        for i, rows in enumerate(between):
            scaled = rows * inverse[:, i, i]
            for j in range(q):
                if j != i:
                    scaled += between[j] * inverse[:, j, i]
            schur -= scaled @ rows.T
            top -= rows @ solved[:, i]
        x = np.linalg.solve(schur, top)
        rest = sides - np.stack([rows.T @ x for rows in between], axis=1)
        y = inverse @ rest
        step_ability, step_items = x[:, 0], y[:, :, 0]
        if self.free_shift:
            moved = step_ability.mean()
            step_ability = step_ability - moved
            step_items[:, 0] -= moved * shift
        else:
            share = y[:, 0, 0].sum() / y[:, 0, 1].sum()
            step_ability = step_ability - share * x[:, 1]
            step_items = step_items - share * y[:, :, 1]
        # A question that would go further goes that far: it must not hold up all others.
        longest = np.maximum(np.abs(step_items).max(axis=1), _LONGEST)
        step_items *= (_LONGEST / longest)[:, np.newaxis]
        if not self.free_shift:
            centre = step_items[:, 0].mean()
            step_items[:, 0] -= centre
            step_ability = step_ability - centre
        by_ability = float(g_ability @ step_ability)
        by_item = (g_items * step_items).sum(axis=1)
        felt = blocks.item[:, 0, 0] > _UNFELT * blocks.item[:, 0, 0].mean()
        left = by_ability + float(by_item[felt].sum())
        return Move(
            ability=step_ability,
            items=step_items.T,
            gain=by_ability + float(by_item.sum()),
            left=left,
            by_question=by_item,
            size=abs(by_ability) + float(np.abs(by_item).sum()),
        )
