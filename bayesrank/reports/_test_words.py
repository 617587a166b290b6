"""Tests, adjustments and families of rank intervals in words."""

__all__ = ["ADJUSTED", "FAMILY", "tested"]

_TESTS = {
    "t": "Paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "yuen": "Yuen's paired t test of trimmed means",
    "signflip": "Sign-flip permutation test",
    "mcnemar": "Exact McNemar test",
    "bootstrap": "Bootstrap test of paired means",
    "welch": "Welch's t test of unmatched units",
    "z": "z test",
    "cluster": "Cluster-robust t test",
    "random_effects": "Random-effects test of clusters",
    "stratified_z": "Stratified z test for these very questions",
    "exact binomial": "Exact conditional binomial test",
}
ADJUSTED = {
    "holm": "Holm's method",
    "bonferroni": "Bonferroni's method",
    "maxt": "the largest resampled statistic",
    "stepdown": "the step-down largest resampled statistic",
}
FAMILY = {
    "split": "each end of an interval at half the level",
    "joint": "both ends of an interval in one family",
    "all ordered pairs": "all ordered pairs in one family",
}


def tested(test: str) -> str:
    """Return the test in words."""
    return _TESTS.get(test, test)
