// Bayes@N with a learned weight of auxiliary outcomes: every model is measured twice, by the mean
// of its trials and by the mean of its auxiliary outcomes. The scores are integrated out in the
// likelihood and drawn given the rest afterwards.
data {
  int<lower=1> L;                       // models
  vector[L] sampled;                    // mean over trials
  vector<lower=0>[L] sampled_variance;
  vector[L] auxiliary;                  // mean over auxiliary outcomes
  vector<lower=0>[L] auxiliary_variance;
  real<lower=0> trial_variance;         // of a mean over one trial of each question
  real<lower=0> decodes;                // auxiliary outcomes a question
  real low;                             // ends of the range of scores
  real<lower=low> high;
}
parameters {
  real level;
  real auxiliary_level;
  real<lower=0> spread;
  real<lower=0> slope;
  real<lower=0> shift_sd;
}
model {
  level ~ normal((low + high) / 2, high - low);
  auxiliary_level ~ normal((low + high) / 2, high - low);
  spread ~ normal(0, 0.3 * (high - low));
  slope ~ lognormal(0, 0.3);
  shift_sd ~ cauchy(0, sqrt(trial_variance));
  for (l in 1:L) {
    matrix[2, 2] between = square(spread) * [[1, slope], [slope, square(slope)]];
    matrix[2, 2] within = diag_matrix([sampled_variance[l],
                                       auxiliary_variance[l] + square(shift_sd)]');
    [sampled[l], auxiliary[l]]' ~ multi_normal([level, auxiliary_level]', between + within);
  }
}
generated quantities {
  vector[L] score;
  real weight = trial_variance * slope / (mean(auxiliary_variance) + square(shift_sd)) / decodes;
  for (l in 1:L) {
    matrix[2, 2] between = square(spread) * [[1, slope], [slope, square(slope)]];
    matrix[2, 2] within = diag_matrix([sampled_variance[l],
                                       auxiliary_variance[l] + square(shift_sd)]');
    row_vector[2] gain = square(spread) * [1, slope] / (between + within);
    real centre = level + gain * [sampled[l] - level, auxiliary[l] - auxiliary_level]';
    real left = square(spread) * (1 - gain * [1, slope]');
    score[l] = fmin(fmax(normal_rng(centre, sqrt(left)), low), high);
  }
}
