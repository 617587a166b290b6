(() => {
  const data = JSON.parse(document.getElementById("board-data").textContent);
  const table = document.getElementById("board");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const names = rows.map((row) => row.querySelector("th").textContent);
  const heads = [...table.tHead.rows[0].cells];
  const byId = (id) => document.getElementById(id);
  const filter = byId("filter");
  const rerank = byId("rerank");
  const restore = byId("restore");
  const note = byId("selection");

  // Numbers to sort by, one array a column; `shown` holds those of the selection while there is one.
  const whole = data.columns;
  let shown = whole;
  let selected = null;
  let order = { key: "rank", up: true };
  let unpacked = null;

  // Cells that a selection changes, with what they say of all models.
  const place = { rank: 0, low: 1, best: 4, top: 5 };
  const changing = rows.map((row) => {
    const cells = Object.fromEntries(
      Object.entries(place).map(([key, k]) => [key, row.cells[k]]),
    );
    return {
      cells,
      texts: Object.fromEntries(Object.entries(cells).map(([key, c]) => [key, c.textContent])),
    };
  });

  const say = (text) => {
    byId("status").textContent = text;
  };
  const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

  // ------------------------------------------------------------------ what is ticked

  const boxes = rows.map((row, i) => {
    const cell = document.createElement("td");
    cell.className = "tick";
    cell.setAttribute("role", "cell");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.setAttribute("aria-label", `Select ${names[i]}`);
    box.addEventListener("change", refresh);
    cell.append(box);
    row.prepend(cell);
    return box;
  });
  const corner = document.createElement("th");
  corner.className = "tick";
  corner.scope = "col";
  corner.setAttribute("role", "columnheader");
  const cornerWord = document.createElement("span");
  cornerWord.className = "quiet";
  cornerWord.textContent = "Selected";
  corner.append(cornerWord);
  table.tHead.rows[0].prepend(corner);

  const ticked = () => boxes.flatMap((box, i) => (box.checked ? [i] : []));

  function refresh() {
    const n = ticked().length;
    rerank.textContent = n < 2 ? "Rank the selection" : `Rank the ${n} selected`;
    rerank.disabled = n < 2;
    restore.disabled = selected === null && n === 0;
    const visible = rows.filter((row) => !row.hidden).length;
    byId("select-shown").disabled = visible === 0;
  }

  // ------------------------------------------------------------------ which rows show

  function showRows() {
    const wanted = filter.value.trim().toLowerCase();
    rows.forEach((row, i) => {
      const inSelection = selected === null || selected.includes(i);
      row.hidden = !inSelection || !names[i].toLowerCase().includes(wanted);
    });
    refresh();
    const n = rows.filter((row) => !row.hidden).length;
    const of = selected === null ? rows.length : selected.length;
    return n === of ? `${count(n, "model")} shown.` : `${n} of ${count(of, "model")} shown.`;
  }

  filter.addEventListener("input", () => say(showRows()));
  byId("tools").addEventListener("submit", (event) => event.preventDefault());
  byId("select-shown").addEventListener("click", () => {
    rows.forEach((row, i) => {
      if (!row.hidden) boxes[i].checked = true;
    });
    refresh();
    say(`${count(ticked().length, "model")} selected.`);
  });

  // ------------------------------------------------------------------ ranks within a selection

  rerank.addEventListener("click", () => {
    const members = ticked();
    if (members.length < 2) return;
    selected = members;
    unpacked ??= Ranks.unpack(data.draws, rows.length);
    const it = Ranks.count(unpacked, rows.length, members, data.topK);
    const at = (key) => members.map((i) => whole[key][i]);
    const best = it.best.map((values) => Ranks.estimate(values, data.draws.chains));
    const top = it.top.map((values) => Ranks.estimate(values, data.draws.chains));
    const rank = {
      expected_rank: () => Ranks.competition([...it.mean], false),
      p_best: () => Ranks.competition(best.map((e) => e.mean), true),
    }[data.by]?.() ?? Ranks.competition(at("rank"), false);
    shown = Object.fromEntries(Object.entries(whole).map(([key, values]) => [key, [...values]]));
    members.forEach((i, m) => {
      const [first, last] = Ranks.interval(it.low[m], it.high[m], it.draws, data.ciProb);
      shown.rank[i] = rank[m];
      shown.low[i] = first + last / 1e6;
      shown.best[i] = best[m].mean;
      shown.top[i] = top[m].mean;
      const cells = changing[i].cells;
      const shared = rank.filter((r) => r === rank[m]).length > 1;
      cells.rank.textContent = shared ? `${rank[m]}=` : rank[m];
      cells.low.textContent = first === last ? first : `${first} to ${last}`;
      cells.best.textContent = Ranks.probabilityText(best[m].mean, best[m].mcse, data.draws.worth);
      cells.top.textContent =
        members.length <= data.topK
          ? "1"
          : Ranks.probabilityText(top[m].mean, top[m].mcse, data.draws.worth);
    });
    filter.value = "";
    note.textContent =
      `Ranks among the ${members.length} selected models alone. Rank, rank interval and the two ` +
      `probabilities are computed from ${data.draws.words}; scores and groups are those of the ` +
      `whole leaderboard, and so are the figures below` +
      `${data.by === "kemeny" ? "; so is the order" : ""}.`;
    note.hidden = false;
    showRows();
    sortRows("rank", true);
    say(`Ranked ${count(members.length, "selected model")} among themselves.`);
    restore.focus();
  });

  restore.addEventListener("click", () => {
    selected = null;
    shown = whole;
    for (const { cells, texts } of changing) {
      for (const key of Object.keys(cells)) cells[key].textContent = texts[key];
    }
    for (const box of boxes) box.checked = false;
    filter.value = "";
    note.hidden = true;
    say(showRows());
    sortRows("rank", true);
    filter.focus();
  });

  // ------------------------------------------------------------------ sorting

  const collator = new Intl.Collator("en", { numeric: true });
  function sortRows(key, up) {
    order = { key, up };
    const value = key === "model" ? names : shown[key];
    const compare = key === "model" ? collator.compare : (a, b) => a - b;
    const ranked = rows
      .map((_, i) => i)
      .sort((i, j) => (up ? 1 : -1) * compare(value[i], value[j]) || shown.rank[i] - shown.rank[j] || i - j);
    body.append(...ranked.map((i) => rows[i]));
    for (const head of heads) {
      const mine = head.dataset.sort === key;
      if (mine) head.setAttribute("aria-sort", up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
      const way = head.querySelector(".way");
      if (way) way.textContent = mine ? (up ? "▲" : "▼") : "";
    }
  }

  for (const head of heads) {
    const key = head.dataset.sort;
    if (!key) continue;
    const button = document.createElement("button");
    button.type = "button";
    const way = document.createElement("span");
    way.className = "way";
    way.setAttribute("aria-hidden", "true");
    button.append(head.textContent, " ", way);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      // Ranks and names begin with the smallest, all else with the largest.
      const natural = key === "rank" || key === "low" || key === "model";
      sortRows(key, order.key === key ? !order.up : natural);
      say(`Sorted by ${head.textContent.trim().replace(/[▲▼]/, "").trim()}, ${order.up ? "smallest" : "largest"} first.`);
    });
  }

  byId("tools").hidden = false;
  showRows();
  sortRows("rank", true);
})();
