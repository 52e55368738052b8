"use strict";
// --- Begin: the catalogue and a search over seeds. ---

let catalogue;

async function showStart() {
  $("run").hidden = true;
  $("start").hidden = false;
  $("title").textContent = "A run of etcd and a watch cache, step by step";
  if (!catalogue) {
    catalogue = await during("Loading the engine.", () => ask("catalogue"));
    if (!catalogue) return;
    const form = $("form").elements;
    for (const s of catalogue.scenarios) form.scenario.append(option(s.name));
    for (const [list, select] of [["releases", form.etcd], ["designs", form.cache], ["bugs", form.bugs]]) {
      for (const name of catalogue[list]) select.append(option(name));
    }
    $("situations").append(...catalogue.situations.map(option));
    form.scenario.value = "issue-15220";
    form.scenario.onchange = describe;
    $("search").disabled = false;
    describe();
  }
}

function option(name) { const o = element("option", name); o.value = name; return o; }

function describe() {
  const chosen = catalogue.scenarios.find(s => s.name === $("form").elements.scenario.value);
  $("summary").textContent = sentence(chosen.summary) + " " + chosen.settings.join(" ");
}

$("form").onsubmit = async event => {
  event.preventDefault();
  const form = $("form").elements;
  const set = ["etcd", "cache", "bugs"].filter(name => form[name].value).map(name => name + "=" + form[name].value)
    .concat(form.set.value.split(/\s+/).filter(Boolean));
  const count = Math.min(Number(form.count.value), 100000), chunk = 50, here = visit;
  const totals = new Map(), reaches = [form.reaches.value, form.then.value].filter(Boolean), runs = [];
  let done = 0, reached = 0;
  $("search").disabled = true;
  $("counts").hidden = $("reached").hidden = true;
  const began = Date.now();
  const finished = await during("Searching.", async () => {
    while (done < count && here === visit) {
      const part = await ask("search", {scenario: form.scenario.value, set, reaches, seed: done, count: Math.min(chunk, count - done)});
      if (here !== visit) break;
      done += part.schedules;
      for (const v of part.claims) {
        const total = totals.get(v.property) || {violated: 0, link: ""};
        total.violated += v.violated;
        total.link ||= v.link;
        totals.set(v.property, total);
      }
      reached += part.reached;
      runs.push(...part.runs || []);
      showCounts(totals);
      if (reaches.length) showReached(reaches, reached, runs);
      say(`${done} of ${count} schedules, ${Math.round(done / (Date.now() - began) * 1000)} a second.`);
    }
    return true;
  });
  $("search").disabled = false;
  if (!finished || here !== visit) return;
  const violated = [...totals.values()].filter(t => t.violated).length;
  $("counts").caption.textContent = [form.scenario.value, ...set].join(" ");
  say(`${done} schedule${done === 1 ? "" : "s"}: ` + (violated ? `${violated} of ${totals.size} claims violated.` : `no claim violated.`) + (reaches.length ? ` ${reached} reach it.` : ""));
};

function showCounts(totals) {
  $("counts").hidden = false;
  const rows = [...totals].sort((a, b) => b[1].violated - a[1].violated).map(([property, total]) => {
    const row = element("tr");
    row.append(element("td", property), element("td", total.violated, total.violated ? "violated" : ""));
    const cell = element("td");
    if (total.link) {
      const a = element("a", "open the first");
      a.href = "#" + total.link;
      cell.append(a);
    }
    row.append(cell);
    return row;
  });
  $("counts").tBodies[0].replaceChildren(...rows);
}

// showReached lists the first runs in which situations come about; a link with @STEP opens at that step.
function showReached(situations, count, runs) {
  $("reached").hidden = false;
  const list = element("ul");
  for (const {link, seed, steps} of runs.slice(0, 10)) {
    const line = element("li", `seed ${seed}: `);
    steps.forEach((at, i) => {
      const a = element("a", `step ${at + 1}`);
      a.href = `#${link}@${at + 1}`;
      a.title = situations[i];
      line.append(i ? ", then " : "", a);
    });
    list.append(line);
  }
  const text = situations.map(name => `"${name}"`).join(", and at or after it ");
  $("reached").replaceChildren(element("p", `${text}: in ${count} schedule${count === 1 ? "" : "s"}` + (runs.length ? ", first in these." : ".")), list);
}
