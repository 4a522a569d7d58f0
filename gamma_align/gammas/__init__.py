"""γ, γcat and γk (Mathet 2015, 2017) of a corpus.

`gamma` is the way in. Settings, the sampler of chance continua, the rule of precision, one row of numbers a document,
and the coefficients from these rows. Not here: the alignment itself (`alignment`).
"""
