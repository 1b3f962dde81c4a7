"""The formulas of the papers: pure functions of numbers and arrays, each at the top, as `theory.sigma_star`.

They are loaded when they are first used: to import this package costs nothing.

Examples
--------
>>> import theory
>>> round(theory.sigma_star(alpha=2), 3)
1.707
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

#: The functions by module, in the order of the menu (``python -m theory``).
CHAPTERS: dict[str, tuple[str, ...]] = {
    "pareto": (
        *("pareto_tail", "pareto_cdf", "pareto_quantile", "pareto_moment"),
        *("pareto_partial_moment", "pareto_tail_moment", "minimum_of_copies"),
    ),
    "order_statistics": (
        *("order_statistic_moment", "maximum_moment", "minimum_moment"),
        *("order_statistic_tail", "order_statistic_quantile"),
    ),
    "service_rate": (
        *("blow_up", "threshold", "rate_per_slot", "optimal_copies", "service_rate", "marginal_rate"),
    ),
    "whole_copies": ("mixed_blow_up", "whole_threshold", "whole_service_rate", "whole_marginal_rate"),
    "allocation": ("virtual_sizes", "fair_allocation", "srpt_allocation", "hopper_allocation", "next_job"),
    "fairness": ("fair_regime", "fair_hopper_allocation", "projected_fair_allocation"),
    "dag_allocation": ("dag_cases", "dag_allocation"),
    "weighted_optimum": ("weighted_optimum", "slot_price"),
    "objective": ("total_rate", "distance_from_optimum"),
    "locality": ("locality_order",),
    "cutoff": (
        *("offered_load", "single_copy_delay", "cloned_delay", "cloning_speed_up"),
        *("cloning_load_limit", "cutoff_load", "cutoff_rate"),
    ),
    "cloned_job": ("cloned_job_duration", "cloned_job_resource", "optimal_job_clones"),
    "optimal_cloning": ("optimal_cloning",),
    "gradient_projection": ("gradient_projection", "largest_stable_step"),
    "detection": (
        *("tau", "detection_probability", "detection_resource", "sigma_star", "detection_optimum"),
        "critical_tail_index",
    ),
    "ese": ("ese_resource", "mantri_sigma"),
    "remaining_time": (
        *("remaining_tail", "remaining_mean", "lognormal_remaining_tail", "lognormal_remaining_mean"),
        *("stuck_probability", "copied_mean", "copy_age"),
    ),
    "coding": ("expanded_tasks", "coded_cost"),
    "rollouts": ("exponential_step_time", "lognormal_step_time", "step_weights", "slot_times"),
    "small_jobs": (
        *("task_count_probability", "small_job_probability", "redundant_latency", "redundant_cost"),
        *("small_job_latency", "small_job_cost"),
    ),
    "queueing": ("erlang_c", "erlang_c_limit", "mmc_wait", "mmc_sojourn", "mg1_wait", "mgc_wait"),
    "response_time": ("redundancy_load_limit", "redundant_load", "redundant_queue", "response_time"),
    "optimal_demand": ("optimal_demand",),
    "cloning": (
        *("job_outlier_probability", "task_outlier_probability", "job_level_copies", "task_level_copies"),
        *("misread_task_level_copies", "job_level_tasks", "task_level_tasks", "job_level_limit"),
        *("task_level_limit", "capped_copies"),
    ),
    "clone_placement": ("clone_placement",),
    "outliers": ("learned_outlier_probability", "slow_task_probability"),
}


class _Functions(Mapping[str, Callable[..., Any]]):
    """The functions by name, each imported when it is first asked for: SciPy takes its time."""

    def __init__(self, chapters: Mapping[str, tuple[str, ...]]) -> None:
        self._module = {name: module for module, names in chapters.items() for name in names}

    def __getitem__(self, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(import_module(f"theory.{self._module[name]}"), name)
        return function

    def __iter__(self) -> Iterator[str]:
        return iter(self._module)

    def __len__(self) -> int:
        return len(self._module)


#: Every function that can be called by name, in the order of `CHAPTERS`.
FUNCTIONS: Mapping[str, Callable[..., Any]] = _Functions(CHAPTERS)

__all__ = ["CHAPTERS", "FUNCTIONS", *FUNCTIONS]


class _Package(ModuleType):
    """The package, whose functions stay in sight when a file of the same name is imported."""

    def __getattr__(self, name: str) -> Any:
        """Load a function when it is first asked for."""
        if name not in FUNCTIONS:
            from theory.quoting import quoted

            raise AttributeError(f"module 'theory' has no attribute {quoted(name)}", name=name, obj=self)
        return FUNCTIONS[name]

    def __setattr__(self, name: str, value: Any) -> None:
        """Ignore the file that Python names when it has imported it: `optimal_cloning` is the function."""
        if not (name in FUNCTIONS and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return __all__


sys.modules[__name__].__class__ = _Package
