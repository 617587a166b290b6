// Ordered categories: graded (kind 1), partial credit (2) and rating scale (3).
// `population` chooses what `score` is: 1 these questions (trials), 2 new questions (rating scale).
data {
  int<lower=1> L;                              // models
  int<lower=1> M;                              // questions
  int<lower=3> K;                              // categories
  array[L, M, K] int<lower=0> y;               // trials of each category; all 0 where not observed
  vector[K] weight;                            // what a category is worth
  int<lower=1, upper=3> kind;
  int<lower=1, upper=2> population;
}
transformed data {
  int T = K - 1;                               // thresholds
  int slopes = kind < 3 ? 1 : 0;
  real s = kind == 1 ? 1.0 : 2.0 / K;          // scale of abilities and difficulties
  // Columns that are orthonormal and add up to zero each (Helmert).
  matrix[T, T - 1] Q = rep_matrix(0, T, T - 1);
  vector[T - 1] usual;                         // gaps of a question with equal shares
  int H = 161;
  vector[H] z = linspaced_vector(H, -6, 6);
  vector[H] w;
  for (j in 1:(T - 1)) {
    for (i in 1:j) Q[i, j] = 1 / sqrt(j * (j + 1.0));
    Q[j + 1, j] = -j / sqrt(j * (j + 1.0));
  }
  for (j in 1:(T - 1)) usual[j] = logit((j + 1.0) / K) - logit((j * 1.0) / K);
  for (h in 1:H) w[h] = exp(std_normal_lpdf(z[h]));
  w /= sum(w);
}
parameters {
  real mu;
  real<lower=0> sigma;
  vector[L] raw_ability;
  real<lower=0> difficulty_sd;
  vector[M] raw_difficulty;
  vector<lower=0>[slopes] discrimination_sd;
  vector<lower=-1, upper=1>[slopes] rho;
  vector[slopes ? M : 0] raw_discrimination;
  vector[T - 1] raw_threshold;
  vector<lower=0>[slopes] threshold_sd;
  matrix[slopes ? M : 0, T - 1] raw_own;
}
transformed parameters {
  vector[L] ability = mu + sigma * raw_ability;
  vector[M] difficulty = difficulty_sd * raw_difficulty;
  vector[M] discrimination = rep_vector(1, M);
  vector[T] common;
  matrix[M, T] threshold;
  if (slopes) {
    discrimination = exp(discrimination_sd[1] * raw_discrimination);
    difficulty = difficulty_sd
      * (rho[1] * raw_discrimination + sqrt(1 - square(rho[1])) * raw_difficulty);
  }
  if (kind == 1) {
    vector[T - 1] log_gap = log(usual) + raw_threshold;
    common = append_row(0, cumulative_sum(exp(log_gap)));
    common -= mean(common);
    for (m in 1:M) {
      vector[T] own
        = append_row(0, cumulative_sum(exp(log_gap + threshold_sd[1] * raw_own[m]')));
      threshold[m] = (own - mean(own))';
    }
  } else {
    common = Q * (1.5 * raw_threshold);
    for (m in 1:M) {
      threshold[m] = common';
      if (kind == 2) threshold[m] += (Q * (threshold_sd[1] * raw_own[m]'))';
    }
  }
}
model {
  mu ~ normal(0, 2 * s);
  sigma ~ normal(0, 1.5 * s);
  raw_ability ~ std_normal();
  difficulty_sd ~ normal(0, 2.5 * s);
  raw_difficulty ~ std_normal();
  raw_threshold ~ std_normal();
  if (slopes) {
    discrimination_sd ~ gamma(2, 4);
    rho ~ normal(0, 0.5);
    raw_discrimination ~ std_normal();
    threshold_sd ~ gamma(2, 4);
    to_vector(raw_own) ~ std_normal();
  }
  for (l in 1:L) {
    for (m in 1:M) {
      if (sum(y[l, m]) > 0) {
        vector[T] eta = discrimination[m] * (ability[l] - difficulty[m] - threshold[m]');
        if (kind == 1) {
          for (k in 1:K) {
            if (y[l, m, k] > 0) {
              target += y[l, m, k] * (k == 1 ? log_inv_logit(-eta[1])
                : k == K ? log_inv_logit(eta[T])
                : log_diff_exp(log_inv_logit(eta[k - 1]), log_inv_logit(eta[k])));
            }
          }
        } else {
          y[l, m] ~ multinomial(softmax(append_row(0, cumulative_sum(eta))));
        }
      }
    }
  }
}
generated quantities {
  vector[L] score = rep_vector(0, L);
  for (l in 1:L) {
    if (population == 1) {
      for (m in 1:M) {
        vector[T] eta = discrimination[m] * (ability[l] - difficulty[m] - threshold[m]');
        vector[K] p;
        if (kind == 1) {
          p[1] = inv_logit(-eta[1]);
          for (k in 2:T) p[k] = inv_logit(eta[k - 1]) - inv_logit(eta[k]);
          p[K] = inv_logit(eta[T]);
        } else {
          p = softmax(append_row(0, cumulative_sum(eta)));
        }
        score[l] += dot_product(weight, p) / M;
      }
    } else {                                   // one common set of thresholds, and no slopes
      for (h in 1:H) {
        vector[T] eta = ability[l] - difficulty_sd * z[h] - common;
        score[l] += w[h] * dot_product(weight, softmax(append_row(0, cumulative_sum(eta))));
      }
    }
  }
}
