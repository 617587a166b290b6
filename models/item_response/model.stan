// Item response: logit of p = discrimination (ability - difficulty), with guessing for kind 3.
// `kind` is 1 Rasch, 2 two-parameter, 3 three-parameter; `population` chooses what `score` is:
// 1 these questions (trials), 2 new questions.
data {
  int<lower=1> L;                              // models
  int<lower=1> M;                              // questions
  array[L, M] int<lower=0> n;                  // trials; 0 where a cell was not observed
  array[L, M] int<lower=0> k;                  // successes
  int<lower=1, upper=3> kind;
  int<lower=1, upper=2> population;
}
transformed data {
  int slopes = kind > 1 ? 1 : 0;
  int guesses = kind > 2 ? 1 : 0;
  int H = 121;                                 // a fine grid of normal quantiles, for integrals
  vector[H] z = linspaced_vector(H, -6, 6);
  vector[H] w;
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
  vector<lower=0, upper=1>[guesses ? M : 0] guessing;
}
transformed parameters {
  vector[L] ability = mu + sigma * raw_ability;
  vector[M] difficulty;
  vector[M] discrimination = rep_vector(1, M);
  if (slopes) {
    discrimination = exp(discrimination_sd[1] * raw_discrimination);
    difficulty = difficulty_sd
      * (rho[1] * raw_discrimination + sqrt(1 - square(rho[1])) * raw_difficulty);
  } else {
    difficulty = difficulty_sd * raw_difficulty;
  }
}
model {
  mu ~ normal(0, 2);
  sigma ~ normal(0, 1.5);
  raw_ability ~ std_normal();
  difficulty_sd ~ normal(0, 2.5);
  raw_difficulty ~ std_normal();
  if (slopes) {
    discrimination_sd ~ gamma(2, 4);
    rho ~ normal(0, 0.5);
    raw_discrimination ~ std_normal();
  }
  if (guesses) guessing ~ beta(5, 17);
  for (l in 1:L) {
    for (m in 1:M) {
      real eta = discrimination[m] * (ability[l] - difficulty[m]);
      if (n[l, m] > 0 && guesses == 0) {
        k[l, m] ~ binomial_logit(n[l, m], eta);
      } else if (n[l, m] > 0) {
        // p = (g + exp(eta)) / (1 + exp(eta)), in logarithms: neither p nor 1 - p may round to 0
        target += k[l, m] * log_sum_exp(log(guessing[m]), eta)
          + (n[l, m] - k[l, m]) * log1m(guessing[m]) - n[l, m] * log1p_exp(eta);
      }
    }
  }
}
generated quantities {
  vector[L] score = rep_vector(0, L);
  for (l in 1:L) {
    if (population == 1) {
      for (m in 1:M) {
        real p = inv_logit(discrimination[m] * (ability[l] - difficulty[m]));
        score[l] += (guesses ? guessing[m] + (1 - guessing[m]) * p : p) / M;
      }
    } else if (slopes == 0) {
      score[l] = dot_product(w, inv_logit(ability[l] + difficulty_sd * z));
    } else {
      real sd = difficulty_sd * sqrt(1 - square(rho[1]));
      for (h in 1:H) {
        if (h % 4 == 1) {                      // every fourth node is fine enough here
          real a = exp(discrimination_sd[1] * z[h]);
          real at = ability[l] - difficulty_sd * rho[1] * z[h];
          score[l] += 4 * w[h] * dot_product(w, inv_logit(a * (at + sd * z)));
        }
      }
    }
  }
}
