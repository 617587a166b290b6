"""Sentences that go with a ranking from paired comparisons."""

from bayesrank.data import Comparisons, comparison_graph
from bayesrank.models._paired_design import ELO_AVERAGE, Options
from bayesrank.priors import Prior


def notes(comparisons: Comparisons, options: Options) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a reader has to know, and the part of it that warns."""
    warnings = comparison_graph(comparisons).caveats()
    sentences = list(warnings)
    tied = comparisons.ties.sum() + comparisons.ties_bothbad.sum()
    if tied == 0:
        sentences.append("No ties were observed, and none are modelled.")
    elif options.ties == "drop":
        sentences.append(f"{tied:,.6g} ties are left out.")
    elif options.ties == "half":
        sentences.append(
            f"{tied:,.6g} ties count as half a win for each model, which makes intervals that are "
            f"somewhat off: a tie is less surprising between equals than this says."
        )
    if comparisons.weighted:
        sentences.append(
            "Counts are weights: the likelihood is a quasi-likelihood, and intervals hold only if "
            "a weight of 1 carries the information of one comparison."
        )
    if comparisons.expected:
        sentences.append(
            "Comparisons are induced by answers to the same questions and are not independent: "
            "intervals are too narrow."
        )
    if comparisons.missing:
        sentences.append(f"{comparisons.missing:,} battles without a winner are left out.")
    if options.judged_reliability:
        sentences.append(
            "Strengths are those a judge of average (geometric mean) reliability sees."
        )
    if comparisons.covariates:
        names = ", ".join(comparisons.covariates)
        sentences.append(f"Strengths are controlled for {names}: two answers alike in these.")
    if tied and options.bothbad == "quality":
        sentences.append("Votes that both are bad count against the pair, as far as data say so.")
    return tuple(sentences), warnings


def estimand(options: Options) -> str:
    """Return what the score is."""
    if options.score_scale == "probability":
        return "probability of winning a comparison without a tie against the average other model"
    if options.score_scale == "elo":
        return f"strength in Elo points, {ELO_AVERAGE:g} on average over the models"
    return "strength: log-odds of winning a comparison without a tie"


def prior_in_words(priors: dict[str, Prior]) -> str:
    """Return the priors as one line."""
    return "; ".join(f"{name} ~ {prior}" for name, prior in priors.items())
