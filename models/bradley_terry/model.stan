// Bradley-Terry with ties after Davidson or Rao and Kupper, side effects, judges, covariates,
// categories or periods, and anchors.
// Written from the card, one comparison type a row: i is shown first, outcomes 1 = i, 2 = tie, 3 = j.
functions {
  // Columns are orthonormal and orthogonal to a constant: sums to zero, with equal prior variances.
  matrix contrasts(int n) {
    matrix[n, n - 1] Q;
    for (k in 1:(n - 1)) {
      for (l in 1:n) Q[l, k] = l <= k ? 1 : (l == k + 1 ? -k : 0);
      Q[, k] = Q[, k] / sqrt(k * (k + 1.0));
    }
    return Q;
  }
}
data {
  int<lower=2> L;                           // models
  int<lower=1> R;                           // rows
  int<lower=1> J;                           // judges
  int<lower=1> P;                           // parts
  int<lower=0> K;                           // covariates
  array[R] int<lower=1, upper=L> i;
  array[R] int<lower=1, upper=L> j;
  array[R] int<lower=1, upper=J> judge;
  array[R] int<lower=1, upper=P> part;
  array[R, K] real x;                       // differences, i minus j
  array[R, 3] int<lower=0> n;               // wins of i, ties, wins of j
  int<lower=0, upper=2> ties;               // 0: none, 1: Davidson, 2: Rao-Kupper
  int<lower=0, upper=1> has_side;
  int<lower=0, upper=1> judges;             // 1: judges differ in ties and in reliability
  int<lower=0, upper=2> structure;          // 0: one strength a model, 1: categories, 2: periods
  int<lower=0> n_fixed;
  array[n_fixed] int<lower=1, upper=L> fixed_at;
  array[n_fixed] real fixed_value;
  int<lower=0> n_informed;
  array[n_informed] int<lower=1, upper=L> informed_at;
  array[n_informed] real informed_mean;
  array[n_informed] real<lower=0> informed_sd;
}
transformed data {
  matrix[L, L - 1] Q = contrasts(L);
  matrix[J, J > 1 ? J - 1 : 0] QJ = contrasts(J);
  int anchored = n_fixed + n_informed > 0;
  int F = anchored ? L - n_fixed - n_informed : 0;   // models without an anchor
  array[F] int free_at;
  real anchor_mean = 0;
  matrix[R, K] z;                           // covariates with mean square 1 over comparisons
  {
    int f = 0;
    for (l in 1:L) {
      int known = 0;
      for (a in 1:n_fixed) known += fixed_at[a] == l;
      for (a in 1:n_informed) known += informed_at[a] == l;
      if (anchored && known == 0) {
        f += 1;
        free_at[f] = l;
      }
    }
    if (anchored) anchor_mean = (sum(fixed_value) + sum(informed_mean)) / (n_fixed + n_informed);
    for (k in 1:K) {
      real total = 0;
      real squares = 0;
      for (r in 1:R) {
        total += sum(n[r]);
        squares += sum(n[r]) * square(x[r, k]);
      }
      for (r in 1:R) z[r, k] = x[r, k] / sqrt(squares / total);
    }
  }
}
parameters {
  real<lower=0> strength_sd;
  vector[anchored ? 0 : L - 1] u;
  array[anchored] real level_z;
  vector[F] free_z;
  vector[n_informed] informed_z;
  array[structure > 0 ? 1 : 0] real<lower=0> part_sd;
  array[structure == 1 ? P : (structure == 2 ? P - 1 : 0)] vector[L - 1] v;
  array[ties == 1 ? 1 : 0] real log_nu;
  array[ties == 2 ? 1 : 0] real<lower=0> log_theta;
  array[has_side] real side;
  array[judges] real<lower=0> tie_sd;
  array[judges] real<lower=0> reliability_sd;
  vector[judges == 1 ? J : 0] tie_judge_z;
  vector[judges == 1 ? J - 1 : 0] reliability_z;
  vector[K] effect;
}
transformed parameters {
  vector[L] base;                           // overall; with periods, in the first
  array[P] vector[L] strength;
  vector[J] tie_judge = rep_vector(0, J);
  vector[J] log_reliability = rep_vector(0, J);
  if (anchored) {
    for (f in 1:F) base[free_at[f]] = anchor_mean + 2.5 * level_z[1] + strength_sd * free_z[f];
    for (a in 1:n_informed) {
      base[informed_at[a]] = informed_mean[a] + informed_sd[a] * informed_z[a];
    }
    for (a in 1:n_fixed) base[fixed_at[a]] = fixed_value[a];
  } else {
    base = strength_sd * (Q * u);
  }
  for (p in 1:P) {
    if (structure == 1) strength[p] = base + part_sd[1] * (Q * v[p]);
    else if (structure == 2 && p > 1) strength[p] = strength[p - 1] + part_sd[1] * (Q * v[p - 1]);
    else strength[p] = base;
  }
  if (judges == 1) {
    tie_judge = tie_sd[1] * tie_judge_z;
    log_reliability = reliability_sd[1] * (QJ * reliability_z);
  }
}
model {
  strength_sd ~ normal(0, 1.5);
  u ~ std_normal();
  level_z ~ std_normal();
  free_z ~ std_normal();
  informed_z ~ std_normal();
  if (structure == 1) part_sd[1] ~ normal(0, 0.5);
  if (structure == 2) part_sd[1] ~ normal(0, 0.3);
  for (p in 1:size(v)) v[p] ~ std_normal();
  effect ~ normal(0, 0.5);
  if (ties == 1) log_nu[1] ~ normal(0, 1.5);
  if (ties == 2) log_theta[1] ~ normal(0, 1);
  if (has_side == 1) side[1] ~ normal(0, 0.5);
  if (judges == 1) {
    tie_sd[1] ~ normal(0, 1);
    reliability_sd[1] ~ normal(0, 0.5);
    tie_judge_z ~ std_normal();
    reliability_z ~ std_normal();
  }
  for (r in 1:R) {
    real eta = exp(log_reliability[judge[r]]) * (strength[part[r]][i[r]] - strength[part[r]][j[r]]);
    if (has_side == 1) eta += side[1];
    if (K > 0) eta += z[r] * effect;
    if (ties == 0) {
      target += n[r, 1] * log_inv_logit(eta) + n[r, 3] * log_inv_logit(-eta);
    } else if (ties == 1) {
      vector[3] score = [eta / 2, log_nu[1] + tie_judge[judge[r]], -eta / 2]';
      target += dot_product(to_vector(n[r]), log_softmax(score));
    } else {
      real t = log_theta[1] * exp(tie_judge[judge[r]]);
      real win = inv_logit(eta - t);
      real loss = inv_logit(-eta - t);
      target += n[r, 1] * log(win) + n[r, 2] * log(1 - win - loss) + n[r, 3] * log(loss);
    }
  }
}
generated quantities {
  vector[L] score = rep_vector(0, L);
  array[P] vector[L] part_score = strength;
  vector[L] score_categories = base;
  if (structure == 1) {
    for (p in 1:P) score += strength[p] / P;
  } else {
    score = strength[P];
  }
}
