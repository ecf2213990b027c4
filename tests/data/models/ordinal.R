# What R says of steps.csv as ordered categories; writes ordinal.json beside it.
#
#     Rscript ordinal.R
#
# Made with R 4.2.2, ordinal 2022.11-16, glmmTMB 1.1.5 (Debian 12). The tests read the JSON and need no R.
suppressMessages({
  library(ordinal)
  library(glmmTMB)
  library(jsonlite)
})
data <- read.csv("steps.csv", stringsAsFactors = TRUE)
data$rating <- factor(data$value, ordered = TRUE)
data$taste <- interaction(data$assessor, data$system, drop = TRUE)
data$output <- interaction(data$item, data$system, drop = TRUE)
# Maximum likelihood by Laplace's approximation: the likelihood that ours integrates over thresholds and systems, too.
steps <- clmm(rating ~ system + (1 | item) + (1 | assessor) + (1 | taste) + (1 | output), data)
deviations <- sapply(steps$ST, function(part) part[1, 1])
# Of two categories the model is a logistic one, and glmmTMB integrates over its fixed effects.
data$high <- as.integer(data$value >= 4)
two <- glmmTMB(high ~ system + (1 | item) + (1 | assessor), data, binomial, REML = TRUE)
table <- summary(two)$coefficients$cond
results <- list(
  clmm = list(
    threshold = unname(steps$Theta[1, ]), system = unname(steps$beta),
    sd = as.list(deviations[c("item", "assessor", "taste", "output")]), log_likelihood = as.numeric(steps$logLik)
  ),
  glmmTMB = list(
    system = unname(table[-1, "Estimate"]), error = unname(table[-1, "Std. Error"]),
    sd = lapply(VarCorr(two)$cond, function(part) unname(attr(part, "stddev"))), log_likelihood = as.numeric(logLik(two))
  )
)
write(toJSON(results, digits = 10, auto_unbox = TRUE, pretty = TRUE), "ordinal.json")
