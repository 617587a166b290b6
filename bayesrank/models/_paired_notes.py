"""Sentences that go with a ranking from paired comparisons."""

from bayesrank._text import listed, quoted
from bayesrank.data import Comparisons, comparison_graph
from bayesrank.models._paired_anchors import Anchors
from bayesrank.models._paired_design import ELO_AVERAGE, Options, part_totals
from bayesrank.priors import Prior

# Parts that are named in a note, out of all with a model that was not compared in them.
_MOST_PARTS = 3


def notes(
    comparisons: Comparisons, options: Options, anchors: Anchors
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a reader has to know, and the part of it that warns."""
    warnings = comparison_graph(comparisons).caveats()
    sentences = [*warnings, *_counting(comparisons, options)]
    if options.judged_reliability:
        sentences.append(
            "Strengths are those a judge of average (geometric mean) reliability sees."
        )
    if comparisons.covariates:
        names = ", ".join(comparisons.covariates)
        sentences.append(f"Strengths are controlled for {names}: two answers alike in these.")
    tied = comparisons.ties.sum() + comparisons.ties_bothbad.sum()
    if tied and options.bothbad == "quality":
        sentences.append("Votes that both are bad count against the pair, as far as data say so.")
    sentences += _parts(comparisons, options)
    if anchors:
        sentences.append(
            f"Scores are on the scale of the anchors ({anchors.in_words(comparisons.systems)}) and "
            f"do not sum to zero: what is added to every anchor is added to every score."
        )
    return tuple(sentences), warnings


def caveats(comparisons: Comparisons) -> dict[str, str]:
    """Return what a reader has to know under one population only."""
    if comparisons.induced is None:
        return {}
    sentence = (
        "Comparisons are induced by answers to the same questions and are not independent: "
        "intervals of the population battles are too narrow; take questions."
    )
    return {"battles": sentence}


def _counting(comparisons: Comparisons, options: Options) -> list[str]:
    """Return what was counted, how, and what was left out."""
    sentences: list[str] = []
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
    if comparisons.reweighting is not None:
        sentences.append(comparisons.reweighting.sentence())
    if comparisons.missing:
        sentences.append(f"{comparisons.missing:,} battles without a winner are left out.")
    return sentences


def _parts(comparisons: Comparisons, options: Options) -> list[str]:
    """Return what a part is, and which models were not seen in some."""
    if options.part_factor is None:
        return []
    levels = comparisons.factor(options.part_factor).levels
    named = listed(levels, most=_MOST_PARTS)
    if options.structure == "categories":
        what = f"Parts are categories ({named}); the score is the average over them."
        unseen = "its strength there is drawn to its overall one"
    else:
        what = (
            f"Parts are periods ({named}); the score is the strength in the last one, "
            f"{quoted(levels[-1])}. From each to the next strengths walk by steps of one size, "
            f"however long the gap."
        )
        unseen = "its strength there comes from the periods before and after"
    absent = part_totals(comparisons, options) == 0
    where = [k for k in range(len(levels)) if absent[k].any()]
    if not where:
        return [what]
    some = "; ".join(
        f"{quoted(levels[k])} lacks "
        f"{listed([n for n, a in zip(comparisons.systems, absent[k], strict=True) if a], most=2)}"
        for k in where[:_MOST_PARTS]
    )
    more = len(where) - _MOST_PARTS
    seen = (
        f"A model without a comparison in a part is ranked there all the same: {unseen} "
        f"({some}{f'; and {more} more parts' if more > 0 else ''})."
    )
    return [what, seen]


def estimand(comparisons: Comparisons, options: Options, anchors: Anchors) -> str:
    """Return what the score is."""
    if options.score_scale == "probability":
        text = "probability of winning a comparison without a tie against the average other model"
    elif options.score_scale == "elo":
        where = "where the anchors put zero" if anchors else "on average over the models"
        text = f"strength in Elo points, {ELO_AVERAGE:g} {where}"
    else:
        text = "strength: log-odds of winning a comparison without a tie"
    if options.structure == "categories":
        return f"{text}; average over these categories, each counting the same"
    if options.structure == "periods":
        return f"{text}; in the last period, {quoted(comparisons.factor('period').levels[-1])}"
    return text


def estimand_of_new_categories(options: Options) -> str:
    """Return what the score is where the categories stand for others like them."""
    scale = {"elo": "strength in Elo points", "probability": "probability of winning"}
    text = scale.get(options.score_scale, "strength in log-odds")
    return f"{text}; average over all categories like these, of which these are a few"


def prior_in_words(priors: dict[str, Prior], anchors: Anchors, systems: tuple[str, ...]) -> str:
    """Return the priors as one line."""
    words = [f"{name} ~ {prior}" for name, prior in priors.items()]
    if anchors:
        words.insert(0, f"anchors: {anchors.in_words(systems)}")
    return "; ".join(words)
