"""A leaderboard site: several benchmarks, their models, and what moved since the last build."""

from bayesrank.reports.site.build import BoardBuild, build_board
from bayesrank.reports.site.config import BoardBenchmark, BoardConfig, BoardModel

__all__ = ["BoardBenchmark", "BoardBuild", "BoardConfig", "BoardModel", "build_board"]
