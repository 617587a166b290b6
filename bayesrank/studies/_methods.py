"""Models and rules of the same data by name, each with its draws and what it took."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesrank._record import read_record
from bayesrank._validate import did_you_mean
from bayesrank.data import Comparisons, Responses
from bayesrank.exceptions import ArgumentError, BayesrankError, BayesrankWarning
from bayesrank.ranking import rank_scores
from bayesrank.rules import Rule, get, names, posterior
from bayesrank.studies._rule_draws import chosen_rules
from bayesrank.studies._setting_rows import row_of

__all__ = ["MODELS", "Fitting", "Method", "chosen_methods", "default_methods", "fit"]

_CHAINS = 4
# Models by the data that they take.
_OF_RESPONSES = ("bayes-at-n", "bayes-at-n:pooled", "hierarchical", "rasch", "2pl")
_OF_BATTLES = tuple(f"bradley-terry:{t}" for t in ("davidson", "rao_kupper", "half", "drop"))
MODELS = (*_OF_RESPONSES, *_OF_BATTLES)
_BINARY = ("bayes-at-n:pooled", "hierarchical", "rasch", "2pl")
# Rules of different kinds: means, hard questions, votes, pairs with ties in three ways.
_RULES_OF_RESPONSES = (
    *("mean", "inverse_difficulty", "borda", "copeland"),
    *("bradley_terry", "davidson", "rao_kupper"),
)
_RULES_OF_BATTLES = ("win_rate", "borda", "copeland", "rank_centrality", "pagerank")
# The sampler needs minutes above so many cells; named, the model is fitted all the same.
_MOST_CELLS = 2500

# What two models have to share for their predictions of it to be compared.
SUCCESSES = "successes of each model on each question (binomial)"
TRINOMIAL = "wins, ties and losses of each pair (trinomial)"


@dataclass(frozen=True)
class Method:
    """A model by name, or a rule."""

    name: str
    rule: Rule | None = None

    @property
    def outcome(self) -> str:
        """What its likelihood is about, where others share it; nothing for what has none."""
        if self.name in ("bayes-at-n", "hierarchical", "rasch", "2pl"):
            return SUCCESSES
        if self.name in ("bradley-terry:davidson", "bradley-terry:rao_kupper"):
            return TRINOMIAL
        return ""


@dataclass(frozen=True, eq=False)
class Fitting:
    """What every method is drawn with."""

    data: Responses | Comparisons
    draws: int
    seed: int
    level: float
    weights: tuple[float, ...] | None


def default_methods(data: Responses | Comparisons) -> tuple[tuple[str, ...], list[str]]:
    """Return the methods that are compared unless some are named, and why some are not."""
    if isinstance(data, Comparisons):
        return (*_OF_BATTLES, *_RULES_OF_BATTLES), []
    models = [m for m in _OF_RESPONSES if data.n_categories == 2 or m not in _BINARY]
    left_out: list[str] = []
    if len(data.questions) < 2:
        models = [m for m in models if m.startswith("bayes")]
    cells = int(data.observed.sum())
    if cells > _MOST_CELLS and "hierarchical" in models:
        models.remove("hierarchical")
        left_out.append(
            f"hierarchical is left out: the sampler needs minutes for {cells:,} cells. Name it "
            f"among the methods to have it."
        )
    return (*models, *_RULES_OF_RESPONSES), left_out


def chosen_methods(
    methods: Sequence[str | Rule] | None,
    data: Responses | Comparisons,
    weights: ArrayLike | None,
) -> tuple[list[Method], list[str]]:
    """Return methods by name, each once; the first is what the others are held against."""
    wanted, notes = default_methods(data) if methods is None else (tuple(methods), [])
    of_data = _OF_BATTLES if isinstance(data, Comparisons) else _OF_RESPONSES
    known = (*of_data, *names())
    found: dict[str, Method] = {}
    for each in wanted:
        if isinstance(each, str) and each in of_data:
            made = {each: Method(each)}
        else:
            if isinstance(each, str) and each not in names():
                msg = f"no method {each!r} for these data.{did_you_mean(each, known)}"
                if each in MODELS:
                    of = "responses" if each in _OF_RESPONSES else "comparisons"
                    msg = f"{data.source}: method {each!r} is for {of}."
                raise ArgumentError(msg)
            rule = get(each) if isinstance(each, str) else each
            made = {k: Method(k, r) for k, r in chosen_rules([rule], weights).items()}
        for name in made:
            if name in found:
                msg = f"method {name!r} is named twice; name each once."
                raise ArgumentError(msg)
        found |= made
    if len(found) < 2:
        msg = "methods= needs two methods at least: one alone agrees with itself."
        raise ArgumentError(msg)
    return list(found.values()), notes


def fit(fitting: Fitting, method: Method) -> dict[str, Any]:
    """Return what is kept of one method, its ranks in every draw, and what it predicts of cells.

    A method that cannot rank the data returns its reason.
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", BayesrankWarning)
        try:
            if method.rule is None:
                tree, pointwise = _fit_model(fitting, method)
            else:
                tree, pointwise = _drawn(fitting, method.rule), {}
        except BayesrankError as error:
            reason = str(error).removeprefix(f"{fitting.data.source}: ")
            return {"reason": reason, "seconds": time.perf_counter() - start}
    battles = isinstance(fitting.data, Comparisons)
    row = row_of(tree, level=fitting.level, centred=battles and method.rule is None)
    draws = tree["posterior"]["score"].transpose("chain", "draw", "system").to_numpy()
    ranks = rank_scores(draws.reshape(-1, draws.shape[-1]))
    record = read_record(tree)
    return {
        **row,
        "ranks": ranks.astype(np.int32),
        "how": record.method,
        "population": record.population,
        "prior": record.prior,
        "notes": np.array([*record.notes, *(str(w.message) for w in said)], dtype=np.str_),
        "seconds": time.perf_counter() - start,
        **{f"loo_{name}": values for name, values in pointwise.items()},
    }


def _drawn(fitting: Fitting, rule: Rule) -> Any:
    return posterior(rule, fitting.data, draws=_CHAINS * fitting.draws, random_seed=fitting.seed)


def _fit_model(fitting: Fitting, method: Method) -> tuple[Any, dict[str, NDArray[np.float64]]]:
    """Return a posterior, and its predictions of left-out cells where they can be compared."""
    import bayesrank.models as factories  # PyMC: rules alone need none
    from bayesrank.inference import sample
    from bayesrank.studies import _loo as loo

    data: Any = fitting.data
    family, _, option = method.name.partition(":")
    settings: dict[str, Any] = {
        "draws": fitting.draws,
        "chains": _CHAINS,
        "random_seed": fitting.seed,
        "progressbar": False,
    }
    if family == "bayes-at-n":
        model = factories.bayes_at_n(
            data, prior=cast("Any", option or None), weights=fitting.weights
        )
        comparable = not option and data.n_categories == 2
        return sample(model, **settings), loo.loo_of_uniform(data) if comparable else {}
    if family == "bradley-terry":
        model = factories.bradley_terry(data, ties=cast("Any", option))
        tree = _quickly(model, settings)
        own = tree["posterior"].to_dataset()
        return tree, loo.loo_of_battles(own, model, ties=option) if "tie" in own else {}
    if family == "hierarchical":
        model = factories.hierarchical_bayes(data)
        tree = sample(model, population="trials", keep_probabilities=True, **settings)
    else:
        model = factories.item_response(data, kind=cast("Any", family), marginal=False)
        tree = _quickly(model, settings)
    return tree, loo.loo_of_cells(tree["posterior"].to_dataset(), model, data)


def _quickly(model: Any, settings: dict[str, Any]) -> Any:
    """Return draws of the normal approximation where it can be believed, else by NUTS.

    Both come from one compiled model.
    """
    from bayesrank.inference import compiled

    fitted = compiled(model)
    given = {k: settings[k] for k in ("draws", "chains", "random_seed")}
    try:
        tree = fitted.laplace(**given)
        if read_record(tree).verdict == "pass":
            return tree
    except ArgumentError:  # no mode inside
        pass
    return fitted.sample(**given, progressbar=False)
