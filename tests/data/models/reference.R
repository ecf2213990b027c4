# What R says of the tables in this folder; writes reference.json beside them.
#
#     Rscript reference.R
#
# Made with R 4.2.2, lme4 1.1-31, lmerTest 3.1-3, emmeans 1.8.4-1 (Debian 12). The tests read the JSON and need no R.
suppressMessages({
  library(lmerTest)
  library(emmeans)
  library(jsonlite)
})
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5))
all <- "value ~ 0 + system + (1|item) + (1|assessor) + (1|assessor:system) + (1|item:system)"
single <- "value ~ 0 + system + (1|item) + (1|assessor) + (1|assessor:system)"
formulas <- c(balanced = all, unbalanced = all, likert = all, boundary = all, one_assessor_each = single)
results <- list()
for (name in names(formulas)) {
  data <- read.csv(paste0(name, ".csv"), stringsAsFactors = TRUE)
  model <- lmer(as.formula(formulas[[name]]), data, REML = TRUE, control = tight)
  variances <- as.data.frame(VarCorr(model))
  table <- coef(summary(model))
  pairs <- summary(pairs(emmeans(model, ~system, lmer.df = "satterthwaite")), infer = TRUE)
  results[[name]] <- list(
    formula = formulas[[name]],
    criterion = REMLcrit(model),
    sd = as.list(setNames(variances$sdcor, variances$grp)),
    estimate = unname(table[, "Estimate"]), error = unname(table[, "Std. Error"]), df = unname(table[, "df"]),
    difference = pairs$estimate, pair_error = pairs$SE, pair_df = pairs$df,
    pair_low = pairs$lower.CL, pair_high = pairs$upper.CL, pvalue_adjusted = pairs$p.value
  )
}
write(toJSON(results, digits = 10, auto_unbox = TRUE, pretty = TRUE), "reference.json")
