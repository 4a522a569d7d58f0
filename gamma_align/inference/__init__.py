"""Statistical inference: standard errors, 95 % intervals and tests of values that are computed elsewhere.

The package contains means of random samples (with a control variate), the jackknife over documents or items, score
intervals, percentiles of a bootstrap, the exchange test and the delta method. It does not compute a coefficient, does
not know how a replicate of one is computed (`measures.items.replicates`, `insight.comparison.pools`), and does not
shrink the errors of γcat to the errors of the corpus (`chance.categorial`). It hands on
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
difference of two corpora                         jackknife over documents; p by exchanges          `jackknife`,
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

from gamma_align.lazy import door

_NAMES = {
    "bootstrap": ("bootstrap_error", "draw_counts", "order_statistic_interval", "percentile_interval"),
    "delta": ("clustered_error", "influence_error"),
    "exchanges": (
        "BOTH",
        "Blocks",
        "FIRST_ONLY",
        "MAX_BLOCKS",
        "SECOND_ONLY",
        "Weights",
        "each_document",
        "exchange",
        "random_numbers",
    ),
    "hypotheses": ("benjamini_yekutieli", "equivalence_p", "holm", "mean_below_p"),
    "jackknife": (
        "ConfidenceInterval",
        "MIN_DOCUMENTS",
        "NO_DISAGREEMENT",
        "Parts",
        "difference_interval",
        "grouped_ratio_intervals",
        "jackknife_errors",
        "jackknife_interval",
        "leave_one_out_error",
        "no_interval",
        "one_minus_ratios",
        "ratio_interval",
        "ratio_intervals",
    ),
    "means": (
        "ControlMeans",
        "Estimates",
        "MIN_SAMPLES",
        "MIN_SAMPLES_CONTROLLED",
        "bounds",
        "controlled_estimates",
        "joint_error",
        "means_and_deviations",
        "plain_estimates",
        "relative_half_width",
        "relative_half_widths",
        "stratified_means",
    ),
    "score": ("ScoreInterval",),
    "student": ("LEVEL", "t_probability", "t_quantile", "t_quantiles", "two_sided_p"),
    "uncertainty": ("Uncertainty",),
    "values": (
        "DataForms",
        "LazyList",
        "LazyMapping",
        "LazyRows",
        "MANY_ROWS",
        "NO_ANNOTATOR",
        "NO_UNITS",
        "Number",
        "ONE_ANNOTATOR",
        "Result",
        "ResultOfTables",
        "Value",
        "column_of",
        "columns_of",
        "finite_or_none",
        "json_lazily",
        "json_ready",
        "rows_at",
        "too_few",
        "value_columns",
    ),
}

__getattr__, __all__ = door(__name__, _NAMES)
