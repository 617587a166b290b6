// Hierarchical Dirichlet-multinomial: the category probabilities of a model vary between questions
// about a mean of its own, and the means of models about a composition of all. `population`
// chooses what `score` is: 1 new questions, 2 these questions.
functions {
  // probabilities of one cell integrated out, without the multinomial coefficient
  real cell_lpmf(array[] int n, vector a) {
    return lgamma(sum(a)) - lgamma(sum(a) + sum(n)) + sum(lgamma(a + to_vector(n)) - lgamma(a));
  }
}
data {
  int<lower=1> L;                          // models
  int<lower=1> M;                          // questions
  int<lower=2> K;                          // categories
  array[L, M, K] int<lower=0> counts;      // trials per category; all 0 where nothing was observed
  vector[K] weights;                       // score of a category
  vector<lower=0>[K] alpha;                // prior concentration of the composition
  int<lower=1, upper=2> population;
}
parameters {
  simplex[K] composition;
  real<lower=0> agreement;
  real typical;                            // log concentration of a typical model
  vector[L] log_kappa;
  array[L] simplex[K] phi;
}
transformed parameters {
  vector[L] kappa = exp(log_kappa);
}
model {
  composition ~ dirichlet(alpha);
  agreement ~ lognormal(log(10), 1);
  typical ~ normal(log(10), 1.4);
  log_kappa ~ normal(typical, 0.5);
  for (l in 1:L) {
    phi[l] ~ dirichlet(agreement * composition + alpha / sum(alpha));
    for (m in 1:M) {
      if (sum(counts[l, m]) > 0) counts[l, m] ~ cell(kappa[l] * phi[l]);
    }
  }
}
generated quantities {
  vector[L] score;
  for (l in 1:L) {
    if (population == 1) {
      score[l] = dot_product(weights, phi[l]);
    } else {
      real total = 0;
      int observed = 0;
      for (m in 1:M) {
        if (sum(counts[l, m]) > 0) {
          vector[K] p = dirichlet_rng(kappa[l] * phi[l] + to_vector(counts[l, m]));
          total += dot_product(weights, p);
          observed += 1;
        }
      }
      score[l] = total / observed;
    }
  }
}
