// Hierarchical Bayes: logit p = ability - difficulty + interaction, with effects of tasks where
// there are several. `population` chooses what `score` is: 1 questions, 2 trials, 3 tasks.
data {
  int<lower=1> L;                              // models
  int<lower=2> M;                              // questions
  int<lower=1> T;                              // tasks; 1 means that there are none
  array[M] int<lower=1, upper=T> task;
  array[L, M] int<lower=0> n;                  // trials; 0 where a cell was not observed
  array[L, M] int<lower=0> k;                  // successes
  int<lower=1, upper=3> population;
}
transformed data {
  int several = T > 1 ? 1 : 0;
  int H = 401;                                 // a fine grid of normal quantiles, for integrals
  vector[H] z = linspaced_vector(H, -8, 8);
  vector[H] w;
  for (h in 1:H) w[h] = exp(std_normal_lpdf(z[h]));
  w /= sum(w);
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[L] raw_level;
  real<lower=0> difficulty_sd;
  real<lower=0> interaction_sd;
  vector<lower=0>[several] task_difficulty_sd;
  vector<lower=0>[several] task_interaction_sd;
  vector[M] b;
  matrix[L, M] g;
  vector[several ? T : 0] c;
  matrix[several ? L : 0, several ? T : 0] u;
}
transformed parameters {
  matrix[L, M] eta;
  vector[L] theta;                             // ability, against the population of questions
  vector[M] difficulty = b * difficulty_sd;
  vector[several ? T : 0] task_difficulty;
  if (several) task_difficulty = c * task_difficulty_sd[1];
  for (l in 1:L) {
    // the level is the ability against the average of these questions (and of these tasks)
    theta[l] = mu + tau * raw_level[l] + mean(difficulty);
    if (several) theta[l] += mean(task_difficulty);
    for (m in 1:M) {
      eta[l, m] = theta[l] - difficulty[m] + g[l, m] * interaction_sd;
      if (several) {
        eta[l, m] += u[l, task[m]] * task_interaction_sd[1] - task_difficulty[task[m]];
      }
    }
  }
}
model {
  mu ~ normal(0, 2);
  tau ~ normal(0, 1.5);
  raw_level ~ std_normal();
  difficulty_sd ~ normal(0, 2.5);
  interaction_sd ~ gamma(2, 3);
  b ~ std_normal();
  to_vector(g) ~ std_normal();
  if (several) {
    task_difficulty_sd ~ normal(0, 1);
    task_interaction_sd ~ gamma(2, 4);
    c ~ std_normal();
    to_vector(u) ~ std_normal();
  }
  for (l in 1:L) {
    for (m in 1:M) {
      if (n[l, m] > 0) k[l, m] ~ binomial_logit(n[l, m], eta[l, m]);
    }
  }
}
generated quantities {
  vector[L] score;
  {
    real within = square(difficulty_sd) + square(interaction_sd);
    for (l in 1:L) {
      if (population == 2) {
        score[l] = mean(inv_logit(eta[l]));
      } else if (population == 3) {
        real all = within + square(task_difficulty_sd[1]) + square(task_interaction_sd[1]);
        score[l] = dot_product(w, inv_logit(theta[l] + sqrt(all) * z));
      } else {
        score[l] = 0;
        for (m in 1:M) {                       // every question counts the same: tasks by their size
          real shift = 0;
          if (several) {
            shift = u[l, task[m]] * task_interaction_sd[1] - task_difficulty[task[m]];
          }
          score[l] += dot_product(w, inv_logit(theta[l] + shift + sqrt(within) * z)) / M;
        }
      }
    }
  }
}
