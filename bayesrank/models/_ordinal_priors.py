"""Priors of ordinal models: those of item response models, and of thresholds."""

from bayesrank.models._item_priors import Known
from bayesrank.models._ordinal_design import OrdinalOptions
from bayesrank.priors import Prior


def ordinal_defaults(options: OrdinalOptions, *, by_system: bool) -> dict[str, Known]:
    """Return the parameters that have a prior with their defaults, in the story's order.

    A logit between neighbouring categories (partial credit, rating scale) is C logits from the
    lowest to the highest: what a prior says of scores stays the same with its scale times 2/(C+1).
    """
    s = 1.0 if options.kind == "graded" else 2.0 / options.n_categories
    found: dict[str, Known] = {
        "ability_mean": Prior("Normal", mu=0, sigma=2 * s),
        "ability_sd": Prior("HalfNormal", sigma=1.5 * s),
    }
    if by_system:
        found["system_effect"] = Prior("Normal", mu=0, sigma=s)
    found["difficulty_sd"] = Prior("HalfNormal", sigma=2.5 * s)
    if options.discriminates:
        found["log_discrimination_mean"] = 0.0
        found["log_discrimination_sd"] = Prior("Gamma", alpha=2, beta=4)
        found["correlation"] = Prior("TruncatedNormal", mu=0, sigma=0.5, lower=-1, upper=1)
    if options.n_categories > 2:
        if options.kind == "graded":
            found["threshold_spacing"] = Prior("LogNormal", mu=0, sigma=1)
        else:
            found["threshold"] = Prior("ZeroSumNormal", sigma=1.5)
    if options.own_thresholds:
        found["threshold_sd"] = Prior("Gamma", alpha=2, beta=4)
    return found
