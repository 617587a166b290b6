"""All ranking rules side by side: where they agree, by algebra or by chance, and where not."""

import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from bayesrank._text import listed
from bayesrank._validate import validate_count, validate_probability
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import BayesrankError, InputError
from bayesrank.ranking import opposed_pairs, rank_scores, tau_b_between
from bayesrank.rules import Rule
from bayesrank.rules._evidence import evidence_of
from bayesrank.rules._theorems import order_key
from bayesrank.rules.posteriors import RulePopulation
from bayesrank.studies._grid import study_seed
from bayesrank.studies._rule_draws import (
    Floats,
    Gold,
    Row,
    Settings,
    chosen_rules,
    gold_candidates,
    gold_standard,
    label_of,
    row_of,
)
from bayesrank.typing import RandomSeed

__all__ = ["compare_rules"]


def compare_rules(
    data: Responses | Comparisons,
    *,
    rules: Literal["fast", "all"] | Sequence[str | Rule] = "fast",
    reference: str | Rule | None = None,
    population: RulePopulation | None = None,
    draws: int = 1000,
    prior: Literal["pooled", "crossed", "jeffreys", "uniform"] | None = None,
    counts: Literal["expected", "predictive"] | None = None,
    random_seed: RandomSeed = None,
    weights: ArrayLike | None = None,
    ci_prob: float = 0.95,
    progress: Callable[[str, int, int], None] | None = None,
) -> xr.Dataset:
    """Rank the same data by many rules, and hold each of them against one.

    Parameters
    ----------
    data : Responses or Comparisons
        The observations, of two models at least.
    rules : {"fast", "all"} or sequence of str or Rule, default "fast"
        Rules by name or with options (`bayesrank.rules.get`); all with their default options; or
        those of them that are quick. Slow ones have intervals only where they are named.
    reference : str or Rule, optional
        The gold standard. By default Bayes@N on all trials; of comparisons, Bradley-Terry: the
        maximum of the likelihood, or with a Gaussian prior where there is none.
    population, draws, prior, counts, random_seed
        As in `bayesrank.rules.posterior`, with one prior for all rules ("pooled" by default for
        success and failure). Every rule starts from the same seed, and so sees the same outcome
        probabilities, or the same weights, in each draw.
    weights : array_like, shape (category,), optional
        Score of each category, for the rules that take scores; by default 0, ..., 1.
    ci_prob : float, default 0.95
        Probability of all intervals, and threshold at which two models are told apart.
    progress : callable, optional
        Called with the name of a rule, its number and their number before each one.

    Returns
    -------
    xarray.Dataset
        On (rule, system), the reference first: ``score``, ``rank`` (of the observed data; equal
        scores share the smallest rank) and ``rank_low``, ``rank_high`` (credible; NaN where a rule
        has no draws, ``why_no_interval(rule)`` says why). On (rule): ``tau_b`` to the reference on
        the observed data, ``tau_b_mean``, ``tau_b_low`` and ``tau_b_high`` over the draws;
        ``order``, 1 for that of the reference: rules of one number order these data alike, ties
        included; ``theorem``: what decides the order by algebra, so that rules with the same text
        would order any such data alike, or nothing; ``family``. On (rule, rule_bis):
        ``tau_b_between`` and ``opposed``, the pairs of models that the two order oppositely. On
        (system, system_bis): ``above``, how many rules rank the first above the second, and
        ``superiority``, its probability under the reference. On (refused): ``reason``, one line
        for each rule that cannot rank these data. Attributes: ``reference, population, prior,
        ci_prob, draws, seed, source, data_hash, notes``, and ``self_tau_b`` with ``_low`` and
        ``_high``.

    Raises
    ------
    ArgumentError
        For an unknown rule or population, no rule, or one that is named twice.
    InputError
        For one model, or data that the reference cannot rank or draw.

    Notes
    -----
    The interval of ``tau_b`` is paired: in each draw the order of a rule is held against that of
    the reference in the same draw. It says how far the choice of the rule matters on data like
    these, and is exactly 1 for rules that algebra makes equal for any number of trials (voting
    rules are equal with one trial a question, and drawn probabilities are not the outcome of one
    trial). How far the draws themselves matter says
    ``self_tau_b``: the order of the reference in each draw against its order shown, mean and
    interval. Rules that resample whole questions, or draw new trials one by one, have draws of
    their own: there is no paired interval for them.

    References
    ----------
    .. [1] Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33(3),
       239-251. https://doi.org/10.1093/biomet/33.3.239

    Examples
    --------
    >>> import bayesrank
    >>> from bayesrank.studies import compare_rules
    >>> data = bayesrank.simulate_responses(systems=5, questions=20, trials=4, random_seed=1)
    >>> found = compare_rules(data, rules=["mean", "hodge_rank", "elo"], draws=40, random_seed=1)
    >>> found["rule"].values.tolist()
    ['bayes', 'mean', 'hodge_rank', 'elo']
    >>> found["tau_b"].values[:3], found["theorem"].values[:3].tolist()
    (array([1., 1., 1.]), ['the mean', 'the mean', 'the mean'])
    """
    validate_count(draws, name="draws")
    if len(data.systems) < 2:
        msg = f"{data.source}: one model comes first by every rule; there is nothing to compare."
        raise InputError(msg)
    if not isinstance(random_seed, (int, np.random.SeedSequence)):
        random_seed = study_seed(random_seed)
    level = validate_probability(ci_prob, name="ci_prob")
    settings = Settings(data, population, draws, prior, counts, level, random_seed)
    chosen = chosen_rules(rules, weights)
    candidates = gold_candidates(reference, data)
    tell = progress or (lambda _label, _number, _total: None)
    total = len(chosen) + all(label_of(rule) not in chosen for rule in candidates[:1])
    refused: dict[str, str] = {}
    with _once_each():
        tell(label_of(candidates[0]), 1, total)
        gold = gold_standard(settings, candidates, weights=weights)
        rows = {gold.label: gold.row}
        notes = list(gold.ranking.record.notes)
        others = {label: rule for label, rule in chosen.items() if label != gold.label}
        for number, (label, rule) in enumerate(others.items(), start=2):
            tell(label, min(number, total), total)
            try:
                rows[label], own = row_of(settings, rule, gold, slow=not isinstance(rules, str))
            except BayesrankError as error:
                refused[label] = settings.without_source(error)
                continue
            notes += () if own is None else own.record.notes
    found = _dataset(data, rows)
    found["superiority"] = found["above"].dims, gold.ranking.dataset["superiority"].to_numpy()
    found["reason"] = xr.DataArray(
        np.array([*refused.values()], dtype=np.str_),
        {"refused": np.array([*refused], dtype=np.str_)},
        ("refused",),
    )
    found.attrs = _attributes(settings, gold)
    notes += [*_uneven(data, gold), *_broken_theorems(found)]
    found.attrs["notes"] = list(dict.fromkeys(notes))
    return found


@contextmanager
def _once_each() -> Generator[None]:
    """Hold warnings back and give each once: forty rules would say the same forty times."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
    for text, category in dict.fromkeys((str(each.message), each.category) for each in said):
        warnings.warn(text, category, stacklevel=4)


def _dataset(data: Responses | Comparisons, rows: Mapping[str, Row]) -> xr.Dataset:
    """Return all rules on the data, the reference first, then from near to far."""
    table = list(rows.values())
    scores = np.stack([row.scores for row in table])
    ranks = np.stack([rank_scores(row.scores) for row in table]).astype(np.int64)
    between = tau_b_between(ranks)
    order = _numbered(ranks, between[0])
    evidence = evidence_of(data)
    unknown = np.full((2, len(data.systems)), np.nan)
    ends = np.stack([unknown if row.ends is None else row.ends for row in table])
    tau = np.array([row.tau for row in table])
    own, two, square = ("rule",), ("rule", "system"), ("rule", "rule_bis")
    above = (ranks[:, :, np.newaxis] < ranks[:, np.newaxis, :]).sum(axis=0)
    variables: dict[str, Any] = {
        "score": (two, scores),
        "rank": (two, ranks),
        "rank_low": (two, ends[:, 0]),
        "rank_high": (two, ends[:, 1]),
        "why_no_interval": (own, np.array([row.why for row in table], dtype=np.str_)),
        "tau_b": (own, between[0]),
        "tau_b_mean": (own, tau[:, 0]),
        "tau_b_low": (own, tau[:, 1]),
        "tau_b_high": (own, tau[:, 2]),
        "order": (own, order),
        "theorem": (own, [order_key(row.rule, evidence) or "" for row in table]),
        "family": (own, [row.rule.family for row in table]),
        "tau_b_between": (square, between),
        "opposed": (square, opposed_pairs(ranks)),
        "above": (("system", "system_bis"), above),
    }
    systems, labels = list(data.systems), list(rows)
    coords = {"rule": labels, "rule_bis": labels, "system": systems, "system_bis": systems}
    by = np.argsort(order, kind="stable")
    return xr.Dataset(variables, coords).isel(rule=by, rule_bis=by)


def _numbered(ranks: NDArray[np.int64], tau: Floats) -> NDArray[np.int64]:
    """Return numbers of orders, the same for the same ranks; the first row's is 1."""
    _, which = np.unique(ranks, axis=0, return_inverse=True)
    first = {int(w): i for i, w in reversed(list(enumerate(which.ravel())))}
    # A rule that ties all models has no tau-b, and is the farthest.
    far = -np.where(np.isfinite(tau), tau, -2.0)
    nearest = sorted(first, key=lambda w: (first[w] > 0, far[first[w]], first[w]))
    number = {w: k for k, w in enumerate(nearest, start=1)}
    return np.array([number[int(w)] for w in which.ravel()], dtype=np.int64)


def _attributes(settings: Settings, gold: Gold) -> dict[str, Any]:
    record, facts, seed = gold.ranking.record, gold.ranking.dataset.attrs, settings.seed
    mean, low, high = gold.self_tau
    return {
        "reference": gold.label,
        "population": record.population,
        "prior": record.prior,
        "ci_prob": settings.level,
        "draws": facts["chains"] * facts["draws"],
        "seed": seed if isinstance(seed, int) else repr(seed.entropy),
        "source": settings.data.source,
        "data_hash": settings.data.data_hash(),
        "self_tau_b": mean,
        "self_tau_b_low": low,
        "self_tau_b_high": high,
    }


def _uneven(data: Responses | Comparisons, gold: Gold) -> list[str]:
    """Say where the gold standard is not the mean: its prior pulls more where trials are few."""
    if gold.row.rule.name != "bayes" or not isinstance(data, Responses):
        return []
    n = data.n_trials
    if (n == n.flat[0]).all():
        return []
    note = (
        "Trials differ between cells, and the uniform prior of bayes draws those with few of them "
        "more towards the middle: its order need not be that of the mean."
    )
    return [note]


def _broken_theorems(found: xr.Dataset) -> list[str]:
    """Say which rules differ from others that algebra makes them equal to: by rounding."""
    theorem, order = found["theorem"].to_numpy(), found["order"].to_numpy()
    names = found["rule"].to_numpy()
    said: list[str] = []
    for key in dict.fromkeys(theorem[theorem != ""]):
        own = np.flatnonzero(theorem == key)
        odd = own[order[own] != order[own[0]]]
        if odd.size:
            said.append(
                f"{listed([str(n) for n in names[odd]])} should order the models as "
                f"{names[own[0]]} does, and differ by rounding."
            )
    return said
