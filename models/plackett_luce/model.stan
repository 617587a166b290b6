// Plackett-Luce rankings in which models may share a level.
// Written from the card. That a set stands above all below it is summed over the orders within the
// set by inclusion and exclusion: the last of the set rings after the first loser, or it does not.
functions {
  real log_above(vector winners, real losers) {
    int k = num_elements(winners);
    real total = 0;
    int subsets = 1;
    for (i in 1:k) subsets *= 2;
    for (code in 0:(subsets - 1)) {
      real rate = losers;
      int sign = 1;
      int rest = code;
      for (i in 1:k) {
        if (rest % 2 == 1) {
          rate += winners[i];
          sign = -sign;
        }
        rest = rest %/% 2;
      }
      total += sign * losers / rate;
    }
    return log(total);
  }
}
data {
  int<lower=2> L;                          // models
  int<lower=1> E;                          // events
  array[E] int<lower=2, upper=L> n;        // models in each
  array[E, L] int<lower=0, upper=L> who;   // best first, then zeros
  array[E, L] int<lower=0, upper=L> level; // 1 for the best, then zeros
  array[E] int<lower=1> times;             // how often each was observed
}
transformed data {
  // Columns are orthonormal and orthogonal to a constant: sums to zero, with equal prior variances.
  matrix[L, L - 1] Q;
  for (k in 1:(L - 1)) {
    for (l in 1:L) Q[l, k] = l <= k ? 1 : (l == k + 1 ? -k : 0);
    Q[, k] = Q[, k] / sqrt(k * (k + 1.0));
  }
}
parameters {
  real<lower=0> strength_sd;
  vector[L - 1] u;
}
transformed parameters {
  vector[L] strength = strength_sd * (Q * u);
}
model {
  strength_sd ~ normal(0, 1.5);
  u ~ std_normal();
  for (e in 1:E) {
    int last = level[e, n[e]];
    for (v in 1:(last - 1)) {
      int first = 0;
      int k = 0;
      real below = 0;
      for (j in 1:n[e]) {
        if (level[e, j] == v) {
          k += 1;
          if (first == 0) first = j;
        }
        if (level[e, j] > v) below += exp(strength[who[e, j]]);
      }
      target += times[e] * log_above(exp(strength[who[e, first:(first + k - 1)]]), below);
    }
  }
}
generated quantities {
  vector[L] score = strength;
}
