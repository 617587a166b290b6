"""Battle logs, models at random points, and models with sides swapped, for tests of pairs."""

import numpy as np
import pandas as pd

from bayesrank import Comparisons

FACTORS = {"judge": "judge", "category": "language", "period": "month"}


def battles(n=300, *, seed=1, models=4, judges=3, covariate=False):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, models, n)
    b = (a + rng.integers(1, models, n)) % models
    frame = pd.DataFrame(
        {
            "model_a": [f"m{k}" for k in a],
            "model_b": [f"m{k}" for k in b],
            "winner": rng.choice(["model_a", "model_b", "tie", "tie (bothbad)"], n),
            "judge": [f"j{k}" for k in rng.integers(0, judges, n)],
            "length_a": rng.integers(1, 4, n),
            "length_b": rng.integers(1, 4, n),
            "language": rng.choice(["de", "en", "fr"], n),
            "month": rng.choice(["2024-05", "2024-06", "2024-07", "2024-09"], n),
        }
    )
    extra = {"covariates": {"length": ("length_a", "length_b")}} if covariate else {}
    return Comparisons.from_frame(frame, **FACTORS, **extra)


def turned(comparisons):
    """The same comparisons with the sides of all battles swapped."""
    return Comparisons(
        systems=comparisons.systems,
        first=comparisons.second,
        second=comparisons.first,
        wins=comparisons.losses,
        losses=comparisons.wins,
        ties=comparisons.ties,
        ties_bothbad=comparisons.ties_bothbad,
        factors=comparisons.factors,
        covariates={name: -values for name, values in comparisons.covariates.items()},
        sided=comparisons.sided,
        weighted=comparisons.weighted,
        reweighting=comparisons.reweighting,
    )


def log_density(model, point):
    return float(model.compile_logp(mode="FAST_COMPILE")(point))


def random_point(model, seed=2):
    rng = np.random.default_rng(seed)
    start = model.initial_point()
    return {name: rng.normal(0, 0.7, np.shape(value)) for name, value in start.items()}


def values_at(model, point):
    """Named variables of the model at an unconstrained point."""
    names = [*model.free_RVs, *model.deterministics]
    outputs = model.replace_rvs_by_values(names)
    f = model.compile_fn(outputs, inputs=model.value_vars, point_fn=False, mode="FAST_COMPILE",
                         on_unused_input="ignore")  # fmt: skip
    found = f(*[point[v.name] for v in model.value_vars])
    return dict(zip([v.name for v in names], found, strict=True))
