// Bradley-Terry with ties after Davidson or Rao and Kupper, side effects, and judges.
// Written from the card, one comparison type a row: i is shown first, outcomes 1 = i, 2 = tie, 3 = j.
data {
  int<lower=2> L;                           // models
  int<lower=1> R;                           // rows
  int<lower=1> J;                           // judges
  array[R] int<lower=1, upper=L> i;
  array[R] int<lower=1, upper=L> j;
  array[R] int<lower=1, upper=J> judge;
  array[R, 3] int<lower=0> n;               // wins of i, ties, wins of j
  int<lower=0, upper=2> ties;               // 0: none, 1: Davidson, 2: Rao-Kupper
  int<lower=0, upper=1> has_side;
  int<lower=0, upper=1> judges;             // 1: judges differ in ties and in reliability
}
transformed data {
  // Columns are orthonormal and orthogonal to a constant: sums to zero, with equal prior variances.
  matrix[L, L - 1] Q;
  matrix[J, J > 1 ? J - 1 : 1] QJ = rep_matrix(0, J, J > 1 ? J - 1 : 1);
  for (k in 1:(L - 1)) {
    for (l in 1:L) Q[l, k] = l <= k ? 1 : (l == k + 1 ? -k : 0);
    Q[, k] = Q[, k] / sqrt(k * (k + 1.0));
  }
  if (J > 1) {
    for (k in 1:(J - 1)) {
      for (l in 1:J) QJ[l, k] = l <= k ? 1 : (l == k + 1 ? -k : 0);
      QJ[, k] = QJ[, k] / sqrt(k * (k + 1.0));
    }
  }
}
parameters {
  real<lower=0> strength_sd;
  vector[L - 1] u;
  array[ties == 1 ? 1 : 0] real log_nu;
  array[ties == 2 ? 1 : 0] real<lower=0> log_theta;
  array[has_side] real side;
  array[judges] real<lower=0> tie_sd;
  array[judges] real<lower=0> reliability_sd;
  vector[judges == 1 ? J : 0] tie_judge_z;
  vector[judges == 1 ? J - 1 : 0] reliability_z;
}
transformed parameters {
  vector[L] strength = strength_sd * (Q * u);
  vector[J] tie_judge = rep_vector(0, J);
  vector[J] log_reliability = rep_vector(0, J);
  if (judges == 1) {
    tie_judge = tie_sd[1] * tie_judge_z;
    log_reliability = reliability_sd[1] * (QJ * reliability_z);
  }
}
model {
  strength_sd ~ normal(0, 1.5);
  u ~ std_normal();
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
    real eta = exp(log_reliability[judge[r]]) * (strength[i[r]] - strength[j[r]]);
    if (has_side == 1) eta += side[1];
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
  vector[L] score = strength;
}
