"""What every measure returns: a value with its interval, or the reason why there is none.

Estimates of means over samples, the jackknife over documents, and the way of a result to a data frame. Not here: how
a value is computed, which is the business of the room of each coefficient.
"""
