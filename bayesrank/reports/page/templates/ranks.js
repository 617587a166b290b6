"use strict";

// Ranks within a selection, from the order of the models in each draw. The arithmetic is that of
// bayesrank.ranking, so that the page and the library give the same numbers for the same draws.
const Ranks = (() => {
  // Order of each model in each draw, 0 for the best, ties share it; draw by draw.
  function unpack(draws, models) {
    const text = atob(draws.order);
    const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
    if (draws.bytes === 1) return bytes;
    const order = new Uint16Array(bytes.length / 2);
    for (let k = 0; k < order.length; k += 1) order[k] = bytes[2 * k] | (bytes[2 * k + 1] << 8);
    return order;
  }

  // For each member of a selection: how often its smallest rank is at most r and its largest at
  // least r, and per draw its share of the first and of the first `topK` ranks.
  function count(order, models, members, topK) {
    const n = members.length;
    const draws = order.length / models;
    const low = members.map(() => new Int32Array(n + 1));
    const high = members.map(() => new Int32Array(n + 1));
    const best = members.map(() => new Float64Array(draws));
    const top = members.map(() => new Float64Array(draws));
    const mean = new Float64Array(n);
    const ties = new Int32Array(models);
    const above = new Int32Array(models);
    for (let d = 0; d < draws; d += 1) {
      const start = d * models;
      ties.fill(0);
      for (const i of members) ties[order[start + i]] += 1;
      for (let k = 0, sum = 0; k < models; k += 1) {
        above[k] = sum;
        sum += ties[k];
      }
      members.forEach((i, m) => {
        const k = order[start + i];
        const first = above[k] + 1;
        const last = above[k] + ties[k];
        low[m][first] += 1;
        high[m][last] += 1;
        mean[m] += (first + last) / 2 / draws;
        best[m][d] = first === 1 ? 1 / ties[k] : 0;
        top[m][d] = Math.min(Math.max(topK - first + 1, 0), ties[k]) / ties[k];
      });
    }
    return { low, high, best, top, mean, draws };
  }

  // The first and the last rank whose tails hold more than half of what the interval leaves out.
  function interval(low, high, draws, ciProb) {
    const level = Math.floor(((1 - ciProb) / 2) * draws + 1e-9) + 1;
    let first = 1;
    for (let sum = low[1]; sum < level; sum += low[first]) first += 1;
    let last = high.length - 1;
    for (let sum = high[last]; sum < level; sum += high[last]) last -= 1;
    return [first, last];
  }

  // Mean of draws and its Monte Carlo error by batch means; batches never cross a chain.
  function estimate(values, chains) {
    const each = values.length / chains;
    const length = Math.max(Math.floor(Math.sqrt(each)), 1);
    const batches = [];
    let total = 0;
    for (let c = 0; c < chains; c += 1) {
      for (let b = 0; b < each; b += length) {
        let sum = 0;
        for (let d = b; d < Math.min(b + length, each); d += 1) sum += values[c * each + d];
        total += sum;
        if (b + length <= each) batches.push(sum);
      }
    }
    const mean = total / values.length;
    const centre = batches.reduce((a, b) => a + b, 0) / batches.length;
    const spread = batches.reduce((a, b) => a + (b - centre) ** 2, 0) / (batches.length - 1);
    return { mean, mcse: Math.sqrt(spread / length / values.length) };
  }

  // Python rounds an exact half to the even digit, toFixed rounds it up.
  function fixed(value, places) {
    const scaled = value * 10 ** places;
    const down = Math.floor(scaled);
    const half = scaled - down === 0.5 && Number.isInteger(value * 2 ** (places + 1));
    return (half && down % 2 === 0 ? down / 10 ** places : value).toFixed(places);
  }

  function roundedUp(value, places) {
    const step = 10 ** -places;
    return Math.min(Math.ceil(value / step - 1e-9) * step, 1).toFixed(places);
  }

  // A probability with the digits its draws can tell, or a bound.
  function probabilityText(probability, mcse, draws) {
    if (probability > 0.5) {
      const text = probabilityText(1 - probability, mcse, draws);
      const sign = { "<": ">", ">": "<" }[text[0]] ?? "";
      const number = text.replace(/^[<>]/, "");
      return sign + (1 - Number(number)).toFixed((number.split(".")[1] ?? "").length);
    }
    if (probability < 1e-12) {
      const bound = -Math.expm1(Math.log(0.05) / draws);
      return `<${roundedUp(bound, Math.ceil(-Math.log10(bound)))}`;
    }
    const error = mcse > 0 ? mcse : Math.sqrt((probability * (1 - probability)) / draws);
    const places = Math.max(Math.floor(-Math.log10(error) + 1e-9), 1);
    const text = fixed(probability, places);
    return Number(text) === 0 ? `<${roundedUp(probability + 2 * error, places)}` : text;
  }

  // Competition ranks: the best value has rank 1, equal values share a rank.
  function competition(values, descending) {
    return values.map(
      (v) => 1 + values.filter((w) => (descending ? w > v + 1e-12 : w < v - 1e-12)).length,
    );
  }

  return { unpack, count, interval, estimate, probabilityText, competition };
})();
