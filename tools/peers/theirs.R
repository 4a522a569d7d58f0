# Prints what irr gives for the data in a folder: lines of a name, a tab and a value. Run by foreign.py.

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
if (length(arguments) > 1) .libPaths(c(arguments[2], .libPaths()))
suppressPackageStartupMessages(library(irr))

items <- function(name) as.matrix(read.csv(file.path(folder, name), header = FALSE))
show <- function(name, value) cat(name, "\t", format(value, digits = 15), "\n", sep = "")

two <- items("two.csv")
three <- items("three.csv")
missing <- items("judgments.csv")
levels <- c("nominal", "ordinal", "interval", "ratio")

show("version", as.character(packageVersion("irr")))
show("agree", agree(two)$value)
show("agree (three coders)", agree(three)$value)
show("kappa2", kappa2(two)$value)
show("kappa2(weight='equal')", kappa2(two, weight = "equal")$value)
show("kappa2(weight='squared')", kappa2(two, weight = "squared")$value)
show("maxwell (two categories)", maxwell(items("binary.csv"))$value)
show("kappam.fleiss", kappam.fleiss(three)$value)
show("kappam.fleiss(exact=TRUE)", kappam.fleiss(three, exact = TRUE)$value)
show("kappam.light", kappam.light(three)$value)
show("kappam.fleiss (missing judgments)", kappam.fleiss(missing)$value)
for (level in levels) show(paste0("kripp.alpha(", level, ")"), kripp.alpha(t(missing), level)$value)
show("kripp.alpha(nominal) (two coders)", kripp.alpha(t(two), "nominal")$value)
show("kripp.alpha(nominal) (three coders, none missing)", kripp.alpha(t(three), "nominal")$value)
