"""Simulated signals of completions, to try schemes on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayesrank._validate import as_generator, validate_count, validate_finite
from bayesrank.data import simulate_truth
from bayesrank.exceptions import ArgumentError
from bayesrank.typing import RandomSeed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["simulate_signals"]


def simulate_signals(
    *,
    systems: int | Sequence[str] = 6,
    questions: int | Sequence[str] = 20,
    trials: int = 4,
    missing: float = 0.0,
    random_seed: RandomSeed = None,
) -> "pd.DataFrame":
    r"""Draw the signals of completions of models that differ in all that schemes look at.

    Parameters
    ----------
    systems, questions : int or sequence of str
        How many, or their names.
    trials : int, default 4
        Completions per model and question.
    missing : float, default 0
        Probability that the verifier said nothing, from 0 up to below 1.
    random_seed : int, Generator, SeedSequence or None
        As in PyMC.

    Returns
    -------
    pandas.DataFrame
        ``model``, ``question``, ``trial`` and the nine signals of `SIGNALS`; flags are 0 or 1,
        numbers have four decimals.

    Raises
    ------
    ArgumentError
        For a number that is out of range.

    Notes
    -----
    Right and wrong come from the crossed logistic model of `bayesrank.data.simulate_truth`. Every
    model has a verbosity, a level of bits per token and a habit of boxing its answer. A wrong
    completion is longer and less sure; a repeating one is much longer, has no box and is never
    right. The verifier leans to A where the answer is right, to B where it is wrong and to C where
    the completion repeats itself, and it errs. Nothing here is measured: it is a toy for trying
    rules.

    Examples
    --------
    >>> from bayesrank.schemes import simulate_signals
    >>> simulate_signals(systems=2, questions=3, trials=2, random_seed=1).shape
    (12, 12)
    """
    import pandas as pd

    rng = as_generator(random_seed)
    n = validate_count(trials, name="trials")
    absent = validate_finite(missing, name="missing", minimum=0.0)
    if absent >= 1.0:
        msg = f"missing={missing!r} must be below 1: with no verifier at all there is no signal."
        raise ArgumentError(msg)
    truth = simulate_truth(systems=systems, questions=questions, difficulty_sd=1.5, random_seed=rng)
    p = truth["probability"].transpose("system", "question").to_numpy()[:, :, np.newaxis]
    shape = (*p.shape[:2], n)
    by_system = (shape[0], 1, 1)
    repeated = rng.random(shape) < rng.uniform(0.01, 0.08, by_system)
    correct = (rng.random(shape) < p) & ~repeated
    box = (rng.random(shape) < rng.uniform(0.80, 0.98, by_system)) & ~repeated
    length = rng.normal(0.0, 0.3, by_system) + 0.25 * ~correct + 1.2 * repeated
    surprise = rng.normal(-1.2, 0.2, by_system) + 0.25 * ~correct - 0.5 * repeated
    prompt = rng.normal(0.7, 0.15, by_system) + rng.normal(0.0, 0.25, (1, shape[1], 1))
    prompt = prompt + rng.normal(0.0, 0.05, (*shape[:2], 1))
    lean = np.stack([2.5 * correct, 2.5 * ~correct, 4.0 * repeated], axis=-1)
    votes = np.exp(lean + rng.normal(0.0, 1.2, (*shape, 3)))
    compass = np.round(votes / votes.sum(axis=-1, keepdims=True), 4)
    compass[rng.random(shape) < absent] = np.nan
    names = ("system", "question")
    labels = [np.asarray(truth[name].to_numpy(), dtype=object) for name in names]
    model, question, trial = np.meshgrid(*labels, np.arange(1, n + 1), indexing="ij")
    columns = {
        "model": model,
        "question": question,
        "trial": trial.astype(np.int64),
        "has_box": box.astype(np.int64),
        "is_correct": correct.astype(np.int64),
        "token_ratio": np.exp(length + rng.normal(0.0, 0.35, shape)).round(4),
        "repeated_pattern": repeated.astype(np.int64),
        "prompt_bpt": np.broadcast_to(np.exp(prompt), shape).round(4),
        "completion_bpt": np.exp(surprise + rng.normal(0.0, 0.3, shape)).round(4),
        **{f"compass_{label}": compass[..., i] for i, label in enumerate("ABC")},
    }
    return pd.DataFrame({name: np.ravel(values) for name, values in columns.items()})
