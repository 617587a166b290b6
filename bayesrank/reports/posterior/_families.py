"""What is to be said of each model family: its story, maths, priors with reasons, and limits.

The cards in the top-level folder ``models/`` say it at length, and are no part of the package.
"""

from dataclasses import dataclass

from bayesrank.reports.posterior._graph import Graph, Kind, table_graph


@dataclass(frozen=True)
class Family:
    """A model family in short.

    Attributes
    ----------
    title : str
        What it is called.
    story : str
        How the model says that the data came about, in a sentence or two.
    formulas : tuple of str
        The same in maths; ``_{}`` and ``^{}`` mark indices.
    priors : tuple of (str, str, str)
        Parameter, default prior, and why.
    limits : tuple of str
        What it must not be used for, one sentence each.
    graph : Graph
        What depends on what.
    """

    title: str
    story: str
    formulas: tuple[str, ...]
    priors: tuple[tuple[str, str, str], ...]
    limits: tuple[str, ...]
    graph: Graph


def _free(of: str) -> tuple[Kind, str]:
    return "free", of


_OBSERVED: tuple[Kind, str] = ("observed", "")
_SCORE: tuple[Kind, str] = ("score", "of each model")

_BAYES_AT_N = Family(
    title="Bayes@N",
    story=(
        "Every model has, on every question, its own probabilities of the possible outcomes; "
        "nothing is shared between models or questions. The score is the mean over the questions "
        "of the expected outcome."
    ),
    formulas=(
        "p_{lm} ~ Dirichlet(α_{lm}), for model l on question m",
        "n_{lm} ~ Multinomial(N_{lm}, p_{lm})",
        "score_{l} = mean over m of Σ_{c} w_{c} p_{lmc}",
    ),
    priors=(
        (
            "p (uniform)",
            "Dirichlet(1)",
            (
                "every outcome counts as if it had been seen once more: the prior of the paper "
                "that introduced Bayes@N"
            ),
        ),
        (
            "p (pooled)",
            "Beta(μκ, (1 − μ)κ), μ uniform, κ LogNormal(log 10, 1.5)",
            "learned from all questions of a model, so that scores are not shrunk to one half",
        ),
        (
            "p (auxiliary outcomes)",
            "Dirichlet(α + W n⁰)",
            "other outcomes, such as greedy decodes, count as W trials each",
        ),
    ),
    limits=(
        (
            "Plain accuracy at few trials: under the uniform prior scores are shrunk towards one "
            "half, and their intervals need not hold the observed mean."
        ),
        (
            "New questions, unless the population says so: other questions of the same kind would "
            "move scores far more than new runs do."
        ),
        "Unequal numbers of trials, without care: the order may then differ from that of the mean.",
        "Repeated outputs of a cache: trials are taken as independent.",
    ),
    graph=table_graph(
        {
            "outcome probabilities": _free("of each model on each question"),
            "outcomes": _OBSERVED,
            "score": _SCORE,
        },
        [("outcome probabilities", "outcomes"), ("outcome probabilities", "score")],
    ),
)

_HIERARCHICAL = Family(
    title="Hierarchical Bayes",
    story=(
        "Models have an ability, questions a difficulty, and each model finds some questions "
        "harder than others do. All are pooled partially, in logits, so that the noise of trials "
        "is told from differences between questions."
    ),
    formulas=(
        "k_{lm} ~ Binomial(n_{lm}, p_{lm})",
        "logit p_{lm} = θ_{l} − b_{m} + γ_{lm}",
        "b_{m} ~ Normal(0, σ_{b}),  γ_{lm} ~ Normal(0, σ_{γ}),  θ_{l} ~ Normal(μ, τ)",
        "score_{l} = E p over new questions, or the mean of p_{lm} over these",
    ),
    priors=(
        (
            "ability",
            "Normal(μ, τ), μ ~ Normal(0, 2), τ ~ HalfNormal(1.5)",
            (
                "two thirds of benchmarks have means between 12 and 88 %; models pool towards each "
                "other"
            ),
        ),
        (
            "difficulty_sd",
            "HalfNormal(2.5)",
            "questions of a benchmark differ by more than its models do",
        ),
        (
            "interaction_sd",
            "Gamma(2, 3)",
            "models mostly agree on what is hard, but never wholly",
        ),
        ("task_difficulty_sd", "HalfNormal(1)", "tasks differ less than questions"),
        (
            "task_interaction_sd",
            "Gamma(2, 4)",
            "specialisation of models on tasks is a fraction of a logit",
        ),
    ),
    limits=(
        (
            "Questions that are not alike: difficulties are normal, and a benchmark of two "
            "clusters, or of many impossible questions, is not."
        ),
        "One trial a question where exact coverage matters: intervals are then somewhat narrow.",
        "Cells that are missing for a reason: they are filled in as if missing by chance.",
    ),
    graph=table_graph(
        {
            "ability mean and sd": _free("common"),
            "difficulty sd, interaction sd": _free("common"),
            "ability": _free("of each model"),
            "difficulty": _free("of each question"),
            "interaction": _free("of each model on each question"),
            "successes": _OBSERVED,
            "score": _SCORE,
        },
        [
            ("ability mean and sd", "ability"),
            ("difficulty sd, interaction sd", "difficulty"),
            ("difficulty sd, interaction sd", "interaction"),
            ("difficulty sd, interaction sd", "score"),
            ("ability", "successes"),
            ("difficulty", "successes"),
            ("interaction", "successes"),
            ("ability", "score"),
        ],
    ),
)

_CATEGORICAL = Family(
    title="Categorical outcomes, pooled",
    story=(
        "Trials end in one of several categories, each with a weight. What the questions of a "
        "model have in common is learned from all of them, and what models have in common from "
        "all models."
    ),
    formulas=(
        "k_{lm} ~ Multinomial(n_{lm}, p_{lm}),  p_{lm} ~ Dirichlet(κ_{l} φ_{l})",
        "φ_{l} ~ Dirichlet(τ π + α / Σα),  π ~ Dirichlet(α)",
        "log κ_{l} ~ Normal(μ_{κ}, 0.5)",
        "score_{l} = Σ_{c} w_{c} φ_{lc} on new questions, or the mean of Σ_{c} w_{c} p_{lmc}",
    ),
    priors=(
        ("composition π", "Dirichlet(1)", "nothing is known of how often categories occur"),
        (
            "agreement τ",
            "LogNormal(log 10, 1)",
            "models of a benchmark differ by .1 to .2 in the share of a common category",
        ),
        (
            "concentration κ",
            "LogNormal(μ, 0.5), μ ~ Normal(log 10, 1.4)",
            "from questions that are always or never solved to questions that are alike",
        ),
    ),
    limits=(
        (
            "Differences between models on the same questions, where precision matters: the model "
            "knows no difficulty that models share."
        ),
        "Ordered categories for their order: only the weights make one.",
        "Questions of several kinds: one Dirichlet a model is unimodal or U-shaped.",
    ),
    graph=table_graph(
        {
            "composition, agreement": _free("common"),
            "mean probabilities": _free("of each model"),
            "concentration": _free("of each model"),
            "counts": _OBSERVED,
            "score": _SCORE,
        },
        [
            ("composition, agreement", "mean probabilities"),
            ("mean probabilities", "counts"),
            ("concentration", "counts"),
            ("mean probabilities", "score"),
        ],
    ),
)

_ITEM_RESPONSE = Family(
    title="Item response",
    story=(
        "Models have an ability, questions a difficulty (and, in the 2PL and 3PL, a "
        "discrimination and a chance of guessing). Whether a trial succeeds depends on how far the "
        "ability lies above the difficulty."
    ),
    formulas=(
        "k_{lm} ~ Binomial(n_{lm}, p_{lm})",
        "p_{lm} = g_{m} + (1 − g_{m}) logit^{−1}(a_{m} (θ_{l} − b_{m})); Rasch: a = 1, g = 0",
        "θ_{l} ~ Normal(μ, σ),  b_{m} ~ Normal(0, σ_{b}),  log a_{m} ~ Normal(0, σ_{a})",
        "score_{l} = mean of p_{lm} over these questions, or E p over new ones",
    ),
    priors=(
        (
            "ability_mean, ability_sd",
            "Normal(0, 2), HalfNormal(1.5)",
            "most benchmarks have means between 5 and 95 %; models pool towards each other",
        ),
        (
            "difficulty_sd",
            "HalfNormal(2.5)",
            "questions of a benchmark differ by more than its models do",
        ),
        ("log_discrimination_sd", "Gamma(2, 4)", "discriminations differ by a factor of two or so"),
        ("correlation", "TruncatedNormal(0, 0.5)", "difficulty and discrimination; either sign"),
        ("guessing", "Beta(5, 17)", "multiple choice with four or five options"),
    ),
    limits=(
        "One ability where there are several: intervals for new questions are then too narrow.",
        "Guessing with few weak models, and discrimination with few models: the prior decides.",
        "Cells that are missing for a reason: they are filled in as if missing by chance.",
    ),
    graph=table_graph(
        {
            "ability mean and sd": _free("common"),
            "difficulty sd": _free("common"),
            "ability": _free("of each model"),
            "difficulty, discrimination": _free("of each question"),
            "successes": _OBSERVED,
            "score": _SCORE,
        },
        [
            ("ability mean and sd", "ability"),
            ("difficulty sd", "difficulty, discrimination"),
            ("ability", "successes"),
            ("difficulty, discrimination", "successes"),
            ("ability", "score"),
            ("difficulty, discrimination", "score"),
        ],
    ),
)

_ORDINAL = Family(
    title="Ordered categories",
    story=(
        "Integer scores of a judge or rubric are ordered categories, and nothing is assumed of how "
        "far apart they are. Models have an ability, questions a difficulty and a discrimination, "
        "and between neighbouring scores there is a threshold."
    ),
    formulas=(
        "y_{lm} ~ Multinomial(n_{lm}, p_{lm})",
        "graded: P(Y_{lm} ≥ j) = logit^{−1}(a_{m} (θ_{l} − b_{m} − t_{mj}))",
        "partial credit, rating scale: p_{lmc} ∝ exp(Σ_{j ≤ c} a_{m} (θ_{l} − b_{m} − t_{mj}))",
        "score_{l} = mean over questions of Σ_{c} w_{c} p_{lmc}",
    ),
    priors=(
        (
            "ability_mean, ability_sd",
            "Normal(0, 2s), HalfNormal(1.5s)",
            "as for item response; s is 1 for graded scores, 2 / (C + 1) for steps",
        ),
        ("difficulty_sd", "HalfNormal(2.5s)", "questions differ by more than models do"),
        ("log_discrimination_sd", "Gamma(2, 4)", "discriminations differ by a factor of two or so"),
        (
            "thresholds",
            "LogNormal(0, 1) gaps, or ZeroSumNormal(1.5)",
            "centred where a model as able as the question is difficult gets all scores alike",
        ),
        ("threshold_sd", "Gamma(2, 4)", "thresholds of questions differ by a fraction of a logit"),
    ),
    limits=(
        "Averages of judges, fractions, and scores of a hundred levels.",
        "A judge's scores as the truth: its bias is in the scores, and in no interval.",
        "Reproducing mean scores: answers are weighted by how well a question tells models apart.",
        "Cells that are missing for a reason: they are filled in as if missing by chance.",
    ),
    graph=table_graph(
        {
            "means and sds": _free("common"),
            "ability": _free("of each model"),
            "difficulty, discrimination": _free("of each question"),
            "thresholds": _free("common and own"),
            "scores of trials": _OBSERVED,
            "score": _SCORE,
        },
        [
            ("means and sds", "ability"),
            ("means and sds", "difficulty, discrimination"),
            ("ability", "scores of trials"),
            ("difficulty, discrimination", "scores of trials"),
            ("thresholds", "scores of trials"),
            ("ability", "score"),
            ("difficulty, discrimination", "score"),
            ("thresholds", "score"),
        ],
    ),
)

_BRADLEY_TERRY = Family(
    title="Bradley-Terry",
    story=(
        "Two models are compared and one wins, or neither does. Every model has a strength, and "
        "the stronger one wins more often; ties, the side shown first and judges have parameters "
        "of their own where they are modelled."
    ),
    formulas=(
        "η_{ij} = s_{i} − s_{j} + b, the log-odds that i wins against j, given no tie",
        "(win, tie, loss) ∝ (e^{η/2}, ν, e^{−η/2})  (Davidson)",
        "s ~ ZeroSumNormal(ω),  ω ~ HalfNormal(1.5)",
        "score_{l} = s_{l}, or what follows from it on the scale asked for",
    ),
    priors=(
        (
            "strength",
            "ZeroSumNormal(ω), ω ~ HalfNormal(1.5)",
            "one spread, learned: at 1.5 a model one standard deviation above another wins 82 %",
        ),
        (
            "tie",
            "Normal(0, 1.5), Davidson; HalfNormal(1), Rao-Kupper",
            "from 2 to 90 % ties between equals",
        ),
        ("side", "Normal(0, 0.5)", "a fair side is likeliest; beyond 73 % for the first is rare"),
        (
            "judges",
            "standard effects times HalfNormal(0.5 to 1)",
            "partially pooled: a judge of few votes stays near the others",
        ),
        (
            "categories, periods",
            "HalfNormal(0.5), HalfNormal(0.3)",
            "models differ by more than they do between categories, or from period to period",
        ),
    ),
    limits=(
        (
            "Cycles: if rock beats scissors beats paper beats rock, no strength says so, and "
            "intervals stay narrow all the same."
        ),
        "Other users and other prompts: the population is more votes like these.",
        "Comparisons made of answers to one question: they are not independent.",
        "Degrees of preference and reweighted battles: they make a quasi-likelihood.",
    ),
    graph=table_graph(
        {
            "spread": _free("common"),
            "strength": _free("of each model"),
            "tie, side, judges": _free("where modelled"),
            "outcomes": _OBSERVED,
            "score": _SCORE,
        },
        [
            ("spread", "strength"),
            ("strength", "outcomes"),
            ("tie, side, judges", "outcomes"),
            ("strength", "score"),
        ],
    ),
)

_EVENTS_GRAPH = table_graph(
    {
        "spread": _free("common"),
        "strength": _free("of each model"),
        "events": _OBSERVED,
        "score": _SCORE,
    },
    [("spread", "strength"), ("strength", "events"), ("strength", "score")],
)

_DAVIDSON_LUCE = Family(
    title="Davidson-Luce winners",
    story=(
        "Out of a set of models some win, one or several at once, and how many win is an outcome. "
        "Every model has a strength."
    ),
    formulas=(
        "P(winners U of t out of S) ∝ δ_{t} exp(mean of s over U)",
        "s ~ ZeroSumNormal(ω),  ω ~ HalfNormal(1.5 (D + 1) / 2)",
        "τ_{t} ~ Normal(0, 2), the log-odds of t winners against one, between equals",
        "score_{l} = s_{l}",
    ),
    priors=(
        (
            "strength",
            "ZeroSumNormal(ω), ω ~ HalfNormal(1.5 (D + 1) / 2)",
            "as Bradley-Terry, larger the more models can win together",
        ),
        ("tie", "Normal(0, 2)", "from e⁻⁴ to e⁴ times as often as one model alone"),
    ),
    limits=(
        (
            "Trials of one question: they are not independent, and intervals are too narrow for "
            "others."
        ),
        "The order of the mean: a win that many share counts less.",
    ),
    graph=_EVENTS_GRAPH,
)

_PLACKETT_LUCE = Family(
    title="Plackett-Luce rankings",
    story=(
        "Several models are ranked at once: the best is chosen from the set, the next best from "
        "what is left, and so on. Every model has a strength."
    ),
    formulas=(
        "P(i first out of S) = e^{s_i} / Σ_{j in S} e^{s_j}",
        "s ~ ZeroSumNormal(ω),  ω ~ HalfNormal(1.5)",
        "score_{l} = s_{l}",
    ),
    priors=(
        (
            "strength",
            "ZeroSumNormal(ω), ω ~ HalfNormal(1.5)",
            "one spread, learned: at 1.5 a model one standard deviation above another wins 82 %",
        ),
    ),
    limits=(
        "How many were right: on an easy question many are, and the model is told so, not asked.",
        (
            "Trials of one question: they are not independent, and intervals are too narrow for "
            "others."
        ),
        "Near copies of a model: adding one changes nothing between the others here.",
    ),
    graph=_EVENTS_GRAPH,
)

FAMILIES = {
    "bayes-at-n": _BAYES_AT_N,
    "hierarchical": _HIERARCHICAL,
    "categorical": _CATEGORICAL,
    "item-response": _ITEM_RESPONSE,
    "ordinal": _ORDINAL,
    "bradley-terry": _BRADLEY_TERRY,
    "davidson-luce": _DAVIDSON_LUCE,
    "plackett-luce": _PLACKETT_LUCE,
}
"""By the name that a posterior records."""

RULE = Family(
    title="A ranking rule",
    story=(
        "The score is what a classical rule makes of the counts; its uncertainty comes from "
        "drawing the outcome probabilities, or the observed units, anew and evaluating the rule "
        "again."
    ),
    formulas=(
        "p_{lm} ~ their posterior, or weights of units ~ Dirichlet(1)",
        "score = rule(expected counts given p, or reweighted counts)",
    ),
    priors=(),
    limits=(
        "Other questions than the rule asks: a rule defines its own best.",
        "Precise scores of voting rules at few trials: they are drawn towards each other.",
    ),
    graph=table_graph(
        {
            "outcome probabilities": _free("or weights of units"),
            "outcomes": _OBSERVED,
            "score": _SCORE,
        },
        [("outcome probabilities", "outcomes"), ("outcome probabilities", "score")],
    ),
)
