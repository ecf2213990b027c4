# Numbers of the report on SummEval (Fabbri et al. 2021; twelve systems, three experts), made without our code.
#   Rscript summeval.R ratings_long_12sys.csv
# R with lme4, lmerTest and emmeans; the numbers are in tests/metrics/report/test_rederived.py.
suppressMessages({library(lme4); library(lmerTest); library(emmeans)})
emm_options(lmer.df = "satterthwaite", lmerTest.limit = 1e5, pbkrtest.limit = 0)
t <- read.csv(commandArgs(trailingOnly = TRUE)[1])
t <- t[t$group == "expert", ]
for (name in c("rater", "system", "doc")) t[[name]] <- factor(t[[name]])
say <- function(what, value) cat(what, format(value, digits = 10), "\n")
terms <- "(1|doc) + (1|rater) + (1|rater:system) + (1|doc:system)"
exact <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))
for (criterion in c("coherence", "relevance")) {
  t$y <- t[[criterion]]
  cat("==", criterion, "\n")
  m <- lmer(as.formula(paste("y ~ 0 + system +", terms)), t, control = exact)
  v <- as.data.frame(VarCorr(m))
  for (k in seq_len(nrow(v))) say(v$grp[k], v$vcov[k])
  e <- emmeans(m, ~system)
  one <- as.data.frame(e)
  one <- one[one$system == "M22", ]
  for (name in c("emmean", "lower.CL", "upper.CL")) say(paste("M22", name), one[[name]])
  p <- summary(pairs(e, adjust = "holm"))
  raw <- summary(pairs(e, adjust = "none"))
  wide <- confint(pairs(e), adjust = "bonferroni")
  k <- which(p$contrast == "M11 - M22")
  say("M22 - M11", -p$estimate[k]); say("error", p$SE[k]); say("df", p$df[k])
  say("low", -wide$upper.CL[k]); say("high", -wide$lower.CL[k])
  say("p", raw$p.value[k]); say("p, Holm", p$p.value[k]); say("significant", sum(p$p.value < .05))
  power <- function(d) {
    critical <- qt(1 - .05 / 66 / 2, p$df[k])
    pt(critical, p$df[k], d / p$SE[k], lower.tail = FALSE) + pt(-critical, p$df[k], d / p$SE[k]) - .8
  }
  say("detectable", uniroot(power, c(.1, 10), tol = 1e-12)$root)
  out <- aggregate(y ~ system + doc, t, mean)
  gap <- out$y[out$system == "M22"] - out$y[out$system == "M20"]
  ahead <- sum(gap > 1e-9) + sum(abs(gap) < 1e-9) / 2
  wilson <- suppressWarnings(prop.test(ahead, length(gap), correct = FALSE))$conf.int
  say("P(M22 > M20)", ahead / length(gap)); say("Wilson", wilson)
  r <- as.data.frame(VarCorr(lmer(as.formula(paste("y ~ 1 + (1|system) +", terms)), t, control = exact)))
  c <- setNames(r$vcov, r$grp)
  relative <- c["rater:system"] / 3 + c["doc:system"] / 100 + c["Residual"] / 300
  say("generalisability", unname(c["system"] / (c["system"] + relative)))
}
