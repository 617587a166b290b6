// Bayes@N: independent category probabilities per model and question, and the mean score they give.
// Written for every number of categories; binary outcomes are the case K = 2.
data {
  int<lower=1> L;                          // models
  int<lower=1> M;                          // questions
  int<lower=2> K;                          // categories
  array[L, M, K] int<lower=0> counts;      // trials per category; all 0 where nothing was observed
  vector[K] weights;                       // score of a category
  array[L, M] vector<lower=0>[K] alpha;    // prior concentration, pseudo-counts included
}
parameters {
  array[L, M] simplex[K] theta;
}
model {
  for (l in 1:L) {
    for (m in 1:M) {
      theta[l, m] ~ dirichlet(alpha[l, m]);
      counts[l, m] ~ multinomial(theta[l, m]);
    }
  }
}
generated quantities {
  vector[L] score;
  for (l in 1:L) {
    real total = 0;
    int observed = 0;
    for (m in 1:M) {
      if (sum(counts[l, m]) > 0) {
        total += dot_product(weights, theta[l, m]);
        observed += 1;
      }
    }
    score[l] = total / observed;
  }
}
