"use strict";
const $ = id => document.getElementById(id);
const rowHeight = 24, svg = "http://www.w3.org/2000/svg";

// --- The engine: questions by number, each with its promise. ---

let worker, asked = 0, waiting = new Map(), loaded;

function start() {
  loaded = new Promise((resolve, reject) => {
    worker = new Worker("worker.js");
    const stopped = text => { const error = new Error(text); reject(error); abandon(error); };
    worker.onerror = event => stopped(`the engine stopped: ${event.message}; load the page again`);
    worker.onmessage = ({data}) => {
      if (data.ready) return resolve();
      if (data.fatal) return stopped(`the engine does not run: ${data.fatal}; load the page again, and see that its folder has watchbed.bin`);
      const {resolve: answer, reject} = waiting.get(data.number);
      waiting.delete(data.number);
      data.error === null ? answer(data.answer) : reject(new Error(data.error));
    };
  });
  loaded.catch(() => {});
}

function abandon(error) {
  for (const {reject} of waiting.values()) reject(error);
  waiting.clear();
}

// stopEngine ends what the engine does; another one takes its place.
function stopEngine() {
  worker.terminate();
  abandon(new Error("cancelled"));
  start();
}

async function ask(operation, question = {}) {
  await loaded;
  return new Promise((resolve, reject) => {
    waiting.set(++asked, {resolve, reject});
    worker.postMessage({number: asked, operation, question});
  });
}

function say(text) { $("status").textContent = text; $("status").className = ""; }
function fail(text) { $("status").textContent = text; $("status").className = "bad"; }

// visit counts the places that the page has been at: an answer that was asked for at another place comes too late.
let visit = 0, busy = 0;

async function during(text, work) {
  const here = visit;
  say(text);
  busy++;
  $("cancel").hidden = false;
  try {
    const answer = await work();
    if (here === visit) return say(""), answer;
  } catch (error) {
    if (here === visit) fail(sentence(error.message));
  } finally {
    $("cancel").hidden = --busy === 0;
  }
}

$("cancel").onclick = stopEngine;
addEventListener("error", event => fail(`The page has a mistake: ${event.message}.`));
addEventListener("unhandledrejection", event => fail(sentence(event.reason.message)));

function sentence(text) { return (/^[a-z-]+[ :,.]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text) + (/[.!?]$/.test(text) ? "" : "."); }

function element(name, text, className) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}

function button(text, action) {
  const b = element("button", text, "link");
  b.type = "button";
  b.onclick = action;
  return b;
}

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
  const totals = new Map();
  let done = 0;
  $("search").disabled = true;
  $("counts").hidden = true;
  const began = Date.now();
  const finished = await during("Searching.", async () => {
    while (done < count && here === visit) {
      const part = await ask("search", {scenario: form.scenario.value, set, seed: done, count: Math.min(chunk, count - done)});
      if (here !== visit) break;
      done += part.schedules;
      for (const v of part.claims) {
        const total = totals.get(v.property) || {violated: 0, link: ""};
        total.violated += v.violated;
        total.link ||= v.link;
        totals.set(v.property, total);
      }
      showCounts(totals);
      say(`${done} of ${count} schedules, ${Math.round(done / (Date.now() - began) * 1000)} a second.`);
    }
    return true;
  });
  $("search").disabled = false;
  if (!finished || here !== visit) return;
  const violated = [...totals.values()].filter(t => t.violated).length;
  $("counts").caption.textContent = [form.scenario.value, ...set].join(" ");
  say(`${done} schedule${done === 1 ? "" : "s"}: ` + (violated ? `${violated} of ${totals.size} claims violated.` : `no claim violated.`));
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

// --- A run. ---

let run, chosen, rows, placeOf, playing;

async function openLink(link) {
  if (run && run.link === link && !$("run").hidden) return;
  $("start").hidden = $("run").hidden = true;
  $("title").textContent = "A run by its link";
  const opened = await during("Running it.", () => ask("open", {link}));
  if (opened) show(opened);
}

// follow shows another run, which has a link of its own: back in the browser is undo.
function follow(opened, at) {
  if (!opened) return;
  visit++;
  stop();
  history.pushState(null, "", "#" + opened.link);
  show(opened, at);
  $("diagram").focus();
}

function show(opened, at) {
  run = opened;
  $("start").hidden = true;
  $("run").hidden = false;
  const violated = run.title !== "";
  $("title").textContent = run.title || `${run.scenario}: no claim is violated`;
  document.title = (violated ? run.title : run.scenario) + " - watchbed";
  const about = [];
  if (violated) about.push(element("p", run.why, "why"));
  about.push(element("p", `${run.scenario}: ${run.summary}.` + (run.changed.length ? ` With ${run.changed.join(", ")}.` : "")));
  about.push(element("p", `${run.steps.length} steps, trace hash ${run.hash}.`));
  $("about").replaceChildren(...about);
  $("smaller").disabled = $("why").disabled = $("told").disabled = !violated;
  run.longest = 0;
  run.lines.forEach(line => (run.steps[line.step].told ||= []).push(line));
  for (const step of run.steps) run.longest = Math.max(run.longest, Math.min(400, step.text.length));
  run.changes = run.parts.map(() => []);
  run.steps.forEach((step, at) => (step.held || []).forEach(held => run.changes[held.part].push({at, entries: held.entries})));
  $("whole").checked = !violated || run.steps.length <= 60;
  fold();
  choose(at ?? (run.wrong >= 0 ? run.wrong : run.lines.length ? run.lines[run.lines.length - 1].step : 0));
}

// fold leaves out the steps that the story does not need: those that are not in it, and did not send what one of it takes.
function fold() {
  const near = run.steps.map(step => $("whole").checked || Boolean(step.told));
  if (!$("whole").checked) {
    for (const step of run.steps) if (step.told && step.from >= 0 && run.messages[step.from].sent >= 0) near[run.messages[step.from].sent] = true;
  }
  rows = [];
  placeOf = new Map();
  run.steps.forEach((step, at) => {
    if (near[at]) { placeOf.set(at, rows.length); rows.push({step: at}); }
    else if (rows.length && rows[rows.length - 1].left) { rows[rows.length - 1].left++; placeOf.set(at, rows.length - 1); }
    else { placeOf.set(at, rows.length); rows.push({left: 1, first: at}); }
  });
  layOut();
}

let gap, labelAt, numberWidth;

function layOut() {
  const width = $("diagram").clientWidth;
  numberWidth = run.timed ? 118 : 46;
  gap = Math.max(14, Math.min(84, (width * 0.5 - numberWidth) / Math.max(1, run.lanes.length)));
  labelAt = numberWidth + gap * run.lanes.length + 8;
  const steep = gap < 34;
  $("lanes").replaceChildren(...run.lanes.map((lane, i) => {
    const name = element("span", lane.name, tier(i));
    name.style.left = laneX(i) + "px";
    name.style.transform = `rotate(${steep ? -62 : -28}deg)`;
    return name;
  }));
  const full = Math.max(width - 20, labelAt + 7.4 * run.longest);
  const longest = Math.max(...run.lanes.map(lane => lane.name.length));
  $("lanes").style.height = Math.max(3, 1.5 + (steep ? 0.46 : 0.26) * longest) + "em";
  $("lanes").style.width = full + "px";
  $("drawing").setAttribute("width", full);
  $("drawing").setAttribute("height", rows.length * rowHeight + 8);
  draw();
}

function laneX(lane) { return numberWidth + gap * (lane + 0.5); }
function rowY(row) { return row * rowHeight + rowHeight / 2 + 2; }
function tier(lane) { return lane < 0 ? "" : run.lanes[lane].tier.split(" ").pop(); }

function shape(name, attributes, text) {
  const e = document.createElementNS(svg, name);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  if (text !== undefined) e.textContent = text;
  return e;
}

function nameOf(lane) { return lane < 0 ? "fault" : run.lanes[lane].name; }

// draw draws the rows that can be seen, and the arrows that touch them.
function draw() {
  if (!run) return;
  const box = $("diagram"), first = Math.max(0, Math.floor(box.scrollTop / rowHeight) - 6), last = first + Math.ceil(box.clientHeight / rowHeight) + 12;
  const led = new Set(run.steps[chosen]?.causes), full = Number($("drawing").getAttribute("width"));
  const drawn = [];
  run.lanes.forEach((_, i) => drawn.push(shape("line", {class: "lane", x1: laneX(i), x2: laneX(i), y1: first * rowHeight, y2: Math.min(rows.length, last) * rowHeight})));
  const arrows = [], dots = [];
  for (const m of run.messages) {
    if (m.delivered < 0 || m.sent < 0 || m.from < 0 || m.to < 0) continue;
    const from = placeOf.get(m.sent), to = placeOf.get(m.delivered);
    if (to < first || from > last || rows[to].left) continue;
    const x1 = laneX(m.from), y1 = rowY(from), dx = laneX(m.to) - x1, dy = rowY(to) - y1, length = Math.hypot(dx, dy) || 1;
    // The head ends at the dot: two strokes, 25 degrees beside the line.
    const ux = dx / length, uy = dy / length, x2 = x1 + dx - 5 * ux, y2 = y1 + dy - 5 * uy;
    const side = sign => `M${x2 - 8 * ux + sign * 4 * uy} ${y2 - 8 * uy - sign * 4 * ux}L${x2} ${y2}`;
    const of = m.delivered === chosen || m.sent === chosen ? " chosen" : run.steps[m.delivered].told ? " told" : "";
    arrows.push(shape("path", {class: "arrow" + of, d: `M${x1} ${y1}L${x2} ${y2}` + side(1) + side(-1)}));
  }
  for (let row = first; row < Math.min(rows.length, last); row++) {
    const {step: at, left, first: begins} = rows[row], y = rowY(row);
    const g = shape("g", {role: "listitem", class: "row", "aria-label": left ? `${left} steps more` : `step ${at + 1}: ${run.steps[at].text}`});
    g.append(shape("rect", {x: 0, y: row * rowHeight + 2, width: full, height: rowHeight}));
    if (left) {
      g.append(shape("text", {class: "number", x: labelAt, y: y + 4}, `${left} step${left > 1 ? "s" : ""} more`));
      g.onclick = () => { $("whole").checked = true; fold(); choose(begins); };
    } else {
      const step = run.steps[at];
      if (at === chosen) {
        g.classList.add("chosen");
        g.setAttribute("aria-current", "step");
      }
      if (led.has(at)) g.classList.add("led");
      if (step.told) g.classList.add("told");
      if (at === run.wrong || at === run.missed) g.classList.add("wrong");
      g.append(shape("text", {class: "number", x: 4, y: y + 4}, run.timed ? `${at + 1}  ${step.when}` : at + 1));
      g.append(shape("text", {x: labelAt, y: y + 4}, run.steps[at].text.slice(0, 400)), shape("title", {}, run.steps[at].text));
      g.onclick = () => choose(at);
      if (step.lane >= 0) dots.push(shape("circle", {class: tier(step.lane), cx: laneX(step.lane), cy: y, r: at === chosen ? 6 : 4, "pointer-events": "none"}));
    }
    drawn.push(g);
  }
  arrows.forEach(a => a.setAttribute("pointer-events", "none"));
  $("drawing").replaceChildren(...drawn, ...arrows, ...dots);
}

let looking = false;

function choose(at) {
  chosen = Math.max(0, Math.min(at, run.steps.length - 1));
  const row = placeOf.get(chosen), box = $("diagram");
  if (rows[row].left) { $("whole").checked = true; return fold(), choose(chosen); }
  const y = row * rowHeight, head = $("lanes").offsetHeight;
  if (y < box.scrollTop) box.scrollTop = Math.max(0, y - 2 * rowHeight);
  if (y + head > box.scrollTop + box.clientHeight - 2 * rowHeight) box.scrollTop = y + head - box.clientHeight + 4 * rowHeight;
  draw();
  const step = run.steps[chosen];
  $("when").textContent = `Step ${chosen + 1} of ${run.steps.length}` + (run.timed ? `, at ${step.when}` : "") + `: ${nameOf(step.lane)}`;
  const says = [];
  if (step.from >= 0) {
    const m = run.messages[step.from], line = element("li", `takes from ${nameOf(m.from)}: ${m.label}`);
    if (m.sent >= 0) line.append(" (sent at ", button("step " + (m.sent + 1), () => choose(m.sent)), ")");
    says.push(line);
  } else {
    says.push(element("li", {fire: "its timer fires: ", inject: "", run: "it runs "}[step.kind] + step.activity));
  }
  for (const s of step.says || []) says.push(element("li", `${nameOf(s.lane)} ${s.text}`));
  if (step.causes.length) {
    const line = element("li", "it depends on ");
    [...new Set(step.causes)].forEach((at, i) => line.append(i ? ", " : "", button("step " + (at + 1), () => choose(at))));
    says.push(line);
  }
  $("says").replaceChildren(...says);
  showState();
  $("claims").replaceChildren(element("li", "…"));
  $("others").replaceChildren(element("li", "…"));
  if (!looking) look();
}

// look asks how it stood behind the chosen step, and again if another one is chosen meanwhile.
async function look() {
  looking = true;
  try {
    for (;;) {
      const of = run, step = chosen, moment = await ask("at", {link: run.link, step});
      if (of !== run || step !== chosen) continue;
      showMoment(moment);
      return;
    }
  } catch (error) {
    if (error.message !== "cancelled") fail(sentence(error.message));
  } finally {
    looking = false;
  }
}

// showState shows what the nodes hold after the chosen step: first the node of the step, then those that changed.
function showState() {
  const nodes = new Map();
  run.parts.forEach((part, i) => {
    const changes = run.changes[i];
    let last = changes.length - 1;
    while (last >= 0 && changes[last].at > chosen) last--;
    const changed = last >= 0 && changes[last].at === chosen && last > 0, now = last >= 0 ? changes[last].entries : [];
    if (!now.length && !changed) return;
    if (!nodes.has(part.lane)) nodes.set(part.lane, {changed: false, parts: []});
    const node = nodes.get(part.lane);
    node.changed ||= changed;
    node.parts.push({name: part.name, now, before: changed ? changes[last - 1].entries : null, wrote: last >= 0 ? changes[last].at : -1});
  });
  const lane = run.steps[chosen].lane, drawn = [];
  const order = [...nodes].sort(([a, x], [b, y]) => (b === lane) - (a === lane) || y.changed - x.changed || a - b);
  for (const [lane, node] of order) {
    if (lane < 0) continue;
    drawn.push(element("h3", run.lanes[lane].name, tier(lane)));
    const list = element("dl");
    for (const part of node.parts) {
      const name = element("dt", part.name), value = element("dd");
      if (part.wrote >= 0 && part.wrote !== chosen) {
        name.textContent = "";
        name.append(button(part.name, () => choose(part.wrote)));
        name.firstChild.title = `last written at step ${part.wrote + 1}`;
      }
      for (const text of part.now.length ? part.now : ["empty"]) {
        value.append(element("span", text, part.before && !part.before.includes(text) ? "changed" : ""), " ");
      }
      for (const text of part.before || []) if (!part.now.includes(text)) value.append(element("del", text));
      list.append(name, value);
    }
    drawn.push(list);
  }
  $("state").replaceChildren(...drawn);
}

const meanings = {
  vacuous: "nothing has happened yet that the claim speaks of",
  unknown: "the run, cut off here, does not show it",
  holds: "it was checked, and holds", violated: "it does not hold",
};

function showMoment(moment) {
  $("claims").replaceChildren(...moment.verdicts.map(v => {
    const line = element("li", v.property + " ");
    const verdict = element("span", v.verdict, v.verdict);
    verdict.title = meanings[v.verdict] || "";
    line.append(verdict);
    if (v.label) line.append(": " + v.label);
    return line;
  }));
  // What else could be done comes before other answers to questions in the step.
  moment.others.sort((a, b) => a.name.startsWith("choose ") - b.name.startsWith("choose "));
  const others = moment.others.map(other => {
    const line = element("li");
    const at = chosen;
    line.append(button(other.name, async () => follow(await during("Running it.", () => ask("take", {link: run.link, choice: other.choice, name: other.name})), at)));
    if (other.verdict === "violated") line.append(" ", element("span", "violated at once", "violated"));
    return line;
  });
  if (!others.length) others.push(element("li", "Nothing: this step was the only one that could come."));
  if (moment.left) others.push(element("li", `and ${moment.left} more`));
  $("others").replaceChildren(...others);
}

// --- Buttons and keys. ---

function nextOf(list) { const at = list.find(at => at > chosen); if (at !== undefined) choose(at); }

// neighbour is the next step in this direction that is drawn.
function neighbour(direction) {
  for (let at = chosen + direction; at >= 0 && at < run.steps.length; at += direction) if (!rows[placeOf.get(at)].left) return at;
  return chosen;
}

// sameNode is the next step of the chosen step's node in this direction.
function sameNode(direction) {
  for (let at = chosen + direction; at >= 0 && at < run.steps.length; at += direction) if (run.steps[at].lane === run.steps[chosen].lane) return choose(at);
}

// textOf has all that a step says of itself, for the search.
function textOf(at) {
  const step = run.steps[at];
  return [run.steps[at].text, step.kind, step.activity, nameOf(step.lane), ...(step.held || []).flatMap(held => [run.parts[held.part].name, ...held.entries])].join(" ").toLowerCase();
}

$("find").onsubmit = event => {
  event.preventDefault();
  const wanted = $("find").elements.text.value.trim().toLowerCase(), count = run.steps.length;
  for (let i = 1; i <= count; i++) {
    const at = (chosen + i) % count;
    if (textOf(at).includes(wanted)) return say(""), choose(at);
  }
  fail(`No step has "${wanted}" in what it does, says or changes.`);
};

const actions = {
  first: () => choose(0), back: () => choose(neighbour(-1)), next: () => choose(neighbour(1)), last: () => choose(run.steps.length - 1),
  nodeBack: () => sameNode(-1), nodeNext: () => sameNode(1), search: () => $("find").elements.text.focus(),
  told: () => nextOf(run.lines.map(line => line.step)),
  play: () => {
    if (playing) return stop();
    $("play").textContent = "Pause";
    playing = setInterval(() => neighbour(1) === chosen ? stop() : choose(neighbour(1)), 700);
  },
  smaller: async () => follow(await during("Making it smaller: a few thousand runs.", () => ask("shrink", {link: run.link}))),
  why: async () => {
    const cause = await during("Looking for what decides: a few hundred runs.", () => ask("cause", {link: run.link}));
    if (!cause) return;
    const line = element("p", cause.text + " ");
    $("why").disabled = true;
    if (cause.passing) {
      const a = element("a", `Open the run that passes (${cause.difference})`);
      a.href = "#" + cause.passing;
      line.append(a);
    }
    $("about").append(line);
  },
  copy: async () => {
    history.replaceState(null, "", "#" + run.link);
    await navigator.clipboard.writeText(location.href).then(() => say("Copied."), () => fail("The browser does not let the page copy; the link is the address of the page."));
  },
};
for (const name in actions) if ($(name)) $(name).onclick = actions[name];
$("whole").onchange = () => { fold(); choose(chosen); };
$("flip").onsubmit = async event => {
  event.preventDefault();
  const set = $("flip").elements.set.value.split(/\s+/).filter(Boolean);
  follow(await during("Running it.", () => ask("flip", {link: run.link, set})));
};

function stop() { clearInterval(playing); playing = 0; $("play").textContent = "Play"; }

const keys = {ArrowUp: "back", k: "back", ArrowDown: "next", j: "next", Home: "first", End: "last", n: "told", J: "nodeNext", K: "nodeBack", "/": "search", " ": "play"};
document.addEventListener("keydown", event => {
  const free = !["INPUT", "SELECT", "BUTTON", "A"].includes(event.target.tagName) || event.key.length > 1 && event.target.tagName === "BUTTON";
  if ($("run").hidden || !keys[event.key] || !free || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  actions[keys[event.key]]();
});
$("diagram").addEventListener("scroll", draw);
addEventListener("resize", () => run && !$("run").hidden && layOut());

function route() {
  visit++;
  stop();
  const link = location.hash.slice(1);
  link ? openLink(link) : showStart();
}
addEventListener("popstate", route);
start();
route();
