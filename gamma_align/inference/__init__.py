"""Statistical inference: standard errors, 95 % intervals and tests of values that are computed elsewhere.

The package contains means of random samples (with a control variate), the jackknife over documents or items, score
intervals, percentiles of a bootstrap, the exchange test and the delta method. It does not compute a coefficient, does
not know how a replicate of one is computed (`measures.items.replicates`, `insight.comparison.pools`), and does not
shrink the errors of γcat to the errors of the corpus (`measures.gamma.categorial`). It hands on
`jackknife.ConfidenceInterval`, which becomes part of a `values.Value`; coefficients on items keep an
`uncertainty.Uncertainty`, which also tests hypotheses.

================================================= ================================================= ==============
value                                             interval                                          module
================================================= ================================================= ==============
γ, γcat, γk of one document                       Student's t of the mean over samples; without a   `means`
                                                  control variate corrected for skewness
γ, γcat, γk of a corpus; pairs of annotators      jackknife over documents                          `jackknife`
γ so far, while samples are drawn                 as that of the document or corpus                 as above
uα, |uα, cuα, (k)uα                               jackknife over documents                          `jackknife`
precision, recall, rates of errors (`reference`)  jackknife over documents                          `jackknife`
width expected of a planned corpus (`plan`)       jackknife over documents that are repeated        `jackknife`
difference of two annotations of documents        jackknife over documents; p by exchanges          `jackknife`,
                                                                                                    `exchanges`
difference of coefficients on items               delta method: Student's t over items or clusters  `delta`
coefficient on items                              score interval with the error of the jackknife    `score`,
                                                                                                    `jackknife`
… on request                                      linearised; bootstrap over items; for κ large     `uncertainty`,
                                                  samples; for α pairs of judgments                 `delta`,
                                                                                                    `bootstrap`
αU (2004), Aickin's α, means over pairs           none
================================================= ================================================= ==============

How often the intervals contain the true value is tested in ``tests/inference`` on simulated data, and measured in
``tools/bench/results/coverage*.md``.
"""
