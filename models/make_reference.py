"""Run a family's Stan program on its data and write the reference posterior.

    python models/make_reference.py bayes_at_n

Needs pystan 3 and arviz-stats in an environment of their own: nothing of bayesrank is imported,
so that the reference owes nothing to the code it is held against.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import stan
from arviz_stats.base import array_stats

CHAINS, WARMUP, DRAWS, THIN, SEED = 4, 2_000, 20_000, 2, 20251
STAN_COLUMNS = {"divergent": "divergent__", "energy": "energy__"}


def by_chain(values: np.ndarray) -> np.ndarray:
    """Return (chain, draw, ...) from pystan's (..., draw x chain), chains fastest."""
    moved = np.moveaxis(values, -1, 0)
    return np.moveaxis(moved.reshape(DRAWS, CHAINS, *moved.shape[1:]), 1, 0)


def over(values: np.ndarray, name: str, **options: object) -> np.ndarray:
    """Return an ArviZ diagnostic of (chain, draw, ...) for each value of a draw."""
    return getattr(array_stats, name)(values, chain_axis=0, draw_axis=1, **options)


def summary(values: np.ndarray) -> dict:
    """Return means and standard deviations over (chain, draw, ...), with their errors."""
    return {
        "mean": values.mean(axis=(0, 1)).tolist(),
        "sd": values.std(axis=(0, 1), ddof=1).tolist(),
        # What is fixed has no error.
        "mcse_mean": np.nan_to_num(over(values, "mcse", method="mean")).tolist(),
        "mcse_sd": np.nan_to_num(over(values, "mcse", method="sd")).tolist(),
    }


def reference(program: str, data: dict) -> dict:
    """Sample one data set and return its reference posterior with the record of its making."""
    posterior = stan.build(program, data=data["stan"], random_seed=SEED)
    options = data.get("sampler", {})
    fit = posterior.sample(num_chains=CHAINS, num_warmup=WARMUP, num_samples=DRAWS, **options)
    score = by_chain(fit["score"])[:, ::THIN]
    energy = by_chain(fit[STAN_COLUMNS["energy"]])[..., 0]  # not thinned: steps are what counts
    parameters = np.concatenate(
        [
            by_chain(fit[name])[:, ::THIN].reshape(CHAINS, DRAWS // THIN, -1)
            for name in (*data["parameters"], "score")
        ],
        axis=2,
    )
    parameters = parameters[:, :, parameters.std(axis=(0, 1)) > 0]
    r_hat = float(over(parameters, "rhat", method="rank").max())
    ess_bulk = float(over(parameters, "ess", method="bulk").min())
    ess_tail = float(over(parameters, "ess", method="tail", prob=(0.05, 0.95)).min())
    divergences = int(by_chain(fit[STAN_COLUMNS["divergent"]]).sum())
    e_bfmi = float(((np.diff(energy, axis=1) ** 2).mean(axis=1) / energy.var(axis=1)).min())
    return {
        **({"sampler": options} if options else {}),
        "score": {"system": data["systems"], **summary(score)},
        **{name: summary(by_chain(fit[name])[:, ::THIN]) for name in data.get("also", ())},
        "diagnostics": {
            "r_hat_max": r_hat,
            "ess_bulk_min": ess_bulk,
            "ess_tail_min": ess_tail,
            "divergences": divergences,
            "e_bfmi_min": e_bfmi,
        },
        "checks_made": {
            "at_least_4_chains": CHAINS >= 4,
            "at_least_10000_draws": CHAINS * DRAWS // THIN >= 10_000,
            "r_hat_below_1.01": r_hat < 1.01,
            "ess_above_400": min(ess_bulk, ess_tail) > 400,
            "no_divergences": divergences == 0,
            "e_bfmi_above_0.3": e_bfmi > 0.3,
        },
    }


def main(family: str) -> None:
    """Write reference.json of one family."""
    folder = Path(__file__).parent / family
    program = (folder / "model.stan").read_text(encoding="utf-8")
    data = json.loads((folder / "data.json").read_text(encoding="utf-8"))
    result = {
        "made_by": "models/make_reference.py",
        "settings": {
            "sampler": "Stan NUTS",
            "pystan": version("pystan"),
            "httpstan": version("httpstan"),
            "chains": CHAINS,
            "warmup": WARMUP,
            "draws_per_chain": DRAWS,
            "thin": THIN,
            "seed": SEED,
        },
        "references": {name: reference(program, one) for name, one in data.items()},
    }
    text = json.dumps(result, indent=1)
    (folder / "reference.json").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
