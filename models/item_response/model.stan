// Item response: logit of p = discrimination (ability - difficulty), with guessing for kinds 3 and 4.
// `kind` is 1 Rasch, 2 two-parameter, 3 three-parameter, 4 three-parameter with known guessing;
// `population` chooses what `score` is: 1 these questions (trials), 2 new questions, 3 new tasks.
// With D dimensions, the logit is ability + sum of loading times dimension - difficulty. With T
// tasks, abilities on each differ from the overall one. `varies` is for beta-binomial counts.
data {
  int<lower=1> L;                              // models
  int<lower=1> M;                              // questions
  array[L, M] int<lower=0> n;                  // trials; 0 where a cell was not observed
  array[L, M] int<lower=0> k;                  // successes
  int<lower=1, upper=4> kind;
  int<lower=1, upper=3> population;
  vector<lower=0, upper=1>[M] known_guessing;  // for kind 4
  int<lower=1> D;                              // dimensions; more than 1 for kind 2 only
  int<lower=1> T;                              // tasks
  array[M] int<lower=1, upper=T> task;
  int<lower=0, upper=1> varies;
}
transformed data {
  int wide = D > 1 ? 1 : 0;
  int slopes = kind > 1 && !wide ? 1 : 0;
  int guesses = kind == 3 ? 1 : 0;
  int several = T > 1 ? 1 : 0;
  int H = 121;                                 // a fine grid of normal quantiles, for integrals
  vector[H] z = linspaced_vector(H, -6, 6);
  vector[H] w;
  for (h in 1:H) w[h] = exp(std_normal_lpdf(z[h]));
  w /= sum(w);
}
parameters {
  real mu;
  vector<lower=0>[!wide] sigma;
  vector[wide ? 0 : L] raw_ability;
  real<lower=0> difficulty_sd;
  vector[M] raw_difficulty;
  vector<lower=0>[slopes] discrimination_sd;
  vector<lower=-1, upper=1>[slopes] rho;
  vector[slopes ? M : 0] raw_discrimination;
  vector<lower=0, upper=1>[guesses ? M : 0] guessing;
  matrix[wide ? L : 0, D] raw_dimension;
  matrix[wide ? M : 0, D] raw_loading;
  vector[wide ? D : 0] loading_mean;
  vector<lower=0>[wide] loading_sd;
  vector<lower=0>[several] task_sd;
  matrix[several ? L : 0, T] raw_task;
  vector<lower=0>[several] task_difficulty_sd;
  vector[several ? T : 0] raw_task_difficulty;
  vector<lower=0, upper=1>[varies] overdispersion;
}
transformed parameters {
  vector[L] ability = rep_vector(mu, L);
  matrix[L, T] on_task;
  vector[T] task_difficulty = rep_vector(0, T);
  vector[M] difficulty;
  vector[M] discrimination = rep_vector(1, M);
  vector[M] chance = kind == 4 ? known_guessing : rep_vector(0, M);
  matrix[wide ? L : 0, D] dimension;
  matrix[wide ? M : 0, D] loading;
  matrix[L, M] eta;
  if (!wide) ability += sigma[1] * raw_ability;
  if (guesses) chance = guessing;
  if (slopes) {
    discrimination = exp(discrimination_sd[1] * raw_discrimination);
    difficulty = difficulty_sd
      * (rho[1] * raw_discrimination + sqrt(1 - square(rho[1])) * raw_difficulty);
  } else {
    difficulty = difficulty_sd * raw_difficulty;
  }
  for (t in 1:T) {
    on_task[, t] = ability;
    // What a task is easier for all models is its difficulty: the rest adds up to zero.
    if (several) on_task[, t] += task_sd[1] * (raw_task[, t] - mean(raw_task[, t]));
  }
  if (several) {
    task_difficulty = task_difficulty_sd[1] * raw_task_difficulty;
    difficulty += task_difficulty[task];
  }
  eta = (on_task[, task] - rep_matrix(difficulty', L)) .* rep_matrix(discrimination', L);
  if (wide) {
    for (d in 1:D) {
      dimension[, d] = raw_dimension[, d] - mean(raw_dimension[, d]);
      loading[, d] = loading_mean[d] + loading_sd[1] * raw_loading[, d];
    }
    eta += dimension * loading';
  }
}
model {
  mu ~ normal(0, 2);
  sigma ~ normal(0, 1.5);
  raw_ability ~ std_normal();
  difficulty_sd ~ normal(0, 2.5);
  raw_difficulty ~ std_normal();
  discrimination_sd ~ gamma(2, 4);
  rho ~ normal(0, 0.5);
  raw_discrimination ~ std_normal();
  guessing ~ beta(5, 17);
  to_vector(raw_dimension) ~ std_normal();
  to_vector(raw_loading) ~ std_normal();
  loading_mean ~ std_normal();
  loading_sd ~ std_normal();
  task_sd ~ gamma(2, 4);
  to_vector(raw_task) ~ std_normal();
  task_difficulty_sd ~ std_normal();
  raw_task_difficulty ~ std_normal();
  overdispersion ~ beta(1, 9);
  for (l in 1:L) {
    for (m in 1:M) {
      if (n[l, m] == 0) continue;
      if (varies) {
        real nu = (1 - overdispersion[1]) / overdispersion[1];
        real p = chance[m] + (1 - chance[m]) * inv_logit(eta[l, m]);
        k[l, m] ~ beta_binomial(n[l, m], p * nu, (1 - p) * nu);
      } else if (kind < 3) {
        k[l, m] ~ binomial_logit(n[l, m], eta[l, m]);
      } else {
        // p = (g + exp(eta)) / (1 + exp(eta)), in logarithms: neither p nor 1 - p may round to 0
        target += k[l, m] * log_sum_exp(log(chance[m]), eta[l, m])
          + (n[l, m] - k[l, m]) * log1m(chance[m]) - n[l, m] * log1p_exp(eta[l, m]);
      }
    }
  }
}
generated quantities {
  vector[L] score = rep_vector(0, L);
  for (l in 1:L) {
    if (population == 1) {
      score[l] = mean(chance + (1 - chance) .* inv_logit(eta[l]'));
    } else if (population == 3) {              // what models are better at adds up to zero here too
      real sd = sqrt(square(difficulty_sd) + square(task_difficulty_sd[1])
                     + (1 - 1.0 / L) * square(task_sd[1]));
      score[l] = dot_product(w, inv_logit(ability[l] + sd * z));
    } else if (wide) {
      real sd = sqrt(square(difficulty_sd) + square(loading_sd[1]) * dot_self(dimension[l]));
      score[l] = dot_product(w, inv_logit(ability[l] + dimension[l] * loading_mean + sd * z));
    } else if (slopes == 0) {
      for (m in 1:M) {                         // as many new questions of each task as these
        real at = on_task[l, task[m]] - task_difficulty[task[m]];
        score[l] += dot_product(w, inv_logit(at + difficulty_sd * z)) / M;
      }
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
    if (population > 1) score[l] = mean(chance) + (1 - mean(chance)) * score[l];
  }
}
