"""How hard a leaderboard is to rig, and how much its order hangs on single tasks and models."""

from bayesrank.robustness.agreement import kendall_w
from bayesrank.robustness.leader import leader_robustness
from bayesrank.robustness.leave_one_out import leave_one_model_out, leave_one_task_out
from bayesrank.robustness.posterior import posterior_robustness
from bayesrank.robustness.task_scores import task_score_draws
from bayesrank.robustness.training import training_robustness

__all__ = [
    "kendall_w",
    "leader_robustness",
    "leave_one_model_out",
    "leave_one_task_out",
    "posterior_robustness",
    "task_score_draws",
    "training_robustness",
]
