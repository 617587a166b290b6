// Davidson-Luce: the winners are one model of a set, or several that tie.
// Written from the card. The sum over all possible sets of winners is a sum over all subsets.
functions {
  // Log of the sum over all sets of 1 to D of the models, each with its weight.
  real log_total(vector s, vector log_delta) {
    int m = num_elements(s);
    int D = num_elements(log_delta);
    int subsets = 1;
    for (i in 1:m) subsets *= 2;
    vector[subsets - 1] terms;
    for (code in 1:(subsets - 1)) {
      real total = 0;
      int k = 0;
      int rest = code;
      for (i in 1:m) {
        if (rest % 2 == 1) {
          total += s[i];
          k += 1;
        }
        rest = rest %/% 2;
      }
      // All of a set at once is no event.
      terms[code] = k <= D && k < m ? log_delta[k] + total / k : negative_infinity();
    }
    return log_sum_exp(terms);
  }
}
data {
  int<lower=2> L;                          // models
  int<lower=1> D;                          // most winners
  int<lower=2> S;                          // models of the largest set
  int<lower=1> E;                          // events
  array[E] int<lower=2, upper=L> n;        // models in each
  array[E] int<lower=1> k;                 // winners of each
  array[E, L] int<lower=0, upper=L> who;   // winners first, then losers, then zeros
  array[E] int<lower=1> times;             // how often each was observed
}
transformed data {
  matrix[L, L - 1] Q;
  for (j in 1:(L - 1)) {
    for (l in 1:L) Q[l, j] = l <= j ? 1 : (l == j + 1 ? -j : 0);
    Q[, j] = Q[, j] / sqrt(j * (j + 1.0));
  }
}
parameters {
  real<lower=0> strength_sd;
  vector[L - 1] u;
  vector[D - 1] tie;
}
transformed parameters {
  vector[L] strength = strength_sd * (Q * u);
  vector[D] log_delta;
  log_delta[1] = 0;
  for (t in 2:D) log_delta[t] = tie[t - 1] - (lchoose(S, t) - log(S));
}
model {
  strength_sd ~ normal(0, 0.75 * (D + 1));
  u ~ std_normal();
  tie ~ normal(0, 2);
  for (e in 1:E) {
    vector[n[e]] s = strength[who[e, 1:n[e]]];
    target += times[e] * (log_delta[k[e]] + mean(s[1:k[e]]) - log_total(s, log_delta));
  }
}
generated quantities {
  vector[L] score = strength;
}
