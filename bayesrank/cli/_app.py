"""The commands and where they live; each is imported only when it is asked for."""

from cyclopts import App

import bayesrank

_EPILOGUE = """\
Exit status: 0 fine, 1 a check failed under --strict, 2 wrong usage or input.
Results go to standard output, messages to standard error."""


_STUDIES = {
    "stability": "How stable each method's order is with few trials, and whose is most.",
    "priors": "How the order moves with the prior, and where the leader changes.",
    "likelihoods": "The order under other models and rules of the same data.",
    "populations": "The order under each population: new trials, questions, tasks, prompts.",
    "budgets": "The order of battles as votes come in, and under new judges or prompts.",
    "greedy": "What auxiliary outcomes as a prior do to the order at few trials.",
    "headline": "Whether bounds of Rasch abilities are most stable: exact, and on coarse grids.",
}


def build_app() -> App:
    """Return the application; parse errors are raised, for `main` prints all errors alike."""
    app = App(
        name="bayesrank",
        help=bayesrank.__doc__.splitlines()[0] if bayesrank.__doc__ else None,
        help_epilogue=_EPILOGUE,
        help_format="plaintext",
        version=lambda: f"bayesrank {bayesrank.__version__}",
        print_error=False,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    app.command(
        "bayesrank.cli.rank_command:rank",
        name="rank",
        help="Rank the models of a log of repeated trials, or of a saved posterior.",
    )
    app.command(
        "bayesrank.cli.inspect_command:inspect",
        name="inspect",
        help="Say what a log holds: models, questions, trials, and what is missing.",
    )
    app.command(
        "bayesrank.cli.variance_command:variance",
        name="variance",
        help="Say where the uncertainty of scores comes from, and what to buy more of.",
    )
    app.command(
        "bayesrank.cli.questions_command:questions",
        name="questions",
        help="Say which questions fit, and which still tell the best models apart.",
    )
    app.command(
        "bayesrank.cli.intervals_command:intervals",
        name="intervals",
        help="Compute confidence intervals for ranks from tests of all pairs, without any prior.",
    )
    app.command(
        "bayesrank.cli.robustness_command:robustness",
        name="robustness",
        help="Say on how many tasks a model has to reach the ceiling to come first.",
    )
    app.command(
        "bayesrank.cli.compare_rules_command:compare_rules",
        name="compare-rules",
        help="Rank by many rules side by side: where they agree, and about which models not.",
    )
    study = App(name="study", help="What moves a ranking: studies of one log.")
    for name, line in _STUDIES.items():
        study.command(f"bayesrank.cli.study_{name}_command:{name}", name=name, help=line)
    app.command(study)
    app.command(
        "bayesrank.cli.plan_command:plan",
        name="plan",
        help="Say how many more trials, questions or votes settle who is first, and where.",
    )
    app.command(
        "bayesrank.cli.report_command:report",
        name="report",
        help="Write the posterior report of a log: model, checks, sensitivity, decision.",
    )
    app.command(
        "bayesrank.cli.board_command:board",
        name="board",
        help="Build a leaderboard site from a configuration file.",
    )
    rules = App(name="rules", help="The classical ranking rules: list.")
    rules.command(
        "bayesrank.cli.rules_command:list_rules",
        name="list",
        help="List the rules that --rule takes, with what they use and their options.",
    )
    app.command(rules)
    schemes = App(
        name="schemes",
        help="Turn signals of completions into categories with weights: list, show, apply.",
    )
    schemes.command(
        "bayesrank.cli.schemes_command:list_schemes",
        name="list",
        help="List the schemes that come along, with their weights.",
    )
    schemes.command(
        "bayesrank.cli.schemes_command:show_scheme",
        name="show",
        help="Show the rules of one scheme, or print them as a file to change.",
    )
    schemes.command(
        "bayesrank.cli.schemes_command:apply_scheme",
        name="apply",
        help="Put completions into the categories of a scheme.",
    )
    app.command(schemes)
    return app
