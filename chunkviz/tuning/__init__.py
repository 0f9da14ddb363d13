"""What each threshold would give, measured: sweep, plateaus, suggestions, and the way back from a wish.

    tuning = Tuning(chunking)                                  # made by a strategy with a threshold
    found = tuning.sweep()                                     # what every threshold gives
    knee(found), widest_plateau(found)                         # thresholds worth trying, or why there is none
    tuning.solve(Target("count", 12))                          # the threshold that comes nearest to a wish

Between two neighbouring values of a curve a threshold changes nothing, so the *places* between them
are all the thresholds there are. Each place is measured by what the strategy itself makes of its cuts
(minimum and maximum sizes, joined groups, headings), and nothing is embedded again.
"""

from chunkviz.tuning.measuring import MOST_PLACES, Tuning, sweep, tunable
from chunkviz.tuning.outcomes import Aim, Mode, Outcome, Plateau, Suggestion, Sweep, Target, Withheld
from chunkviz.tuning.suggestions import knee, plateaus, suggest, widest_plateau

__all__ = [
    "MOST_PLACES",
    "Aim",
    "Mode",
    "Outcome",
    "Plateau",
    "Suggestion",
    "Sweep",
    "Target",
    "Tuning",
    "Withheld",
    "knee",
    "plateaus",
    "suggest",
    "sweep",
    "tunable",
    "widest_plateau",
]
