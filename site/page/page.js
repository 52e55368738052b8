"use strict";
// --- A run: what is said of it, the chosen step, buttons and keys. ---

let playing, before = "", looking = false;

// A link is that of a run, "LINK@STEP" at one of its steps, or of two beside each other: "LINK~LINK".
async function openLink(link) {
  const [, one, at, other] = link.match(/^([^~@]*)(?:@(\d+))?(?:~(.*))?$/) || [, link];
  if (other === undefined && !compared && run && run.link === one && !$("run").hidden) return at && choose(at - 1);
  $("start").hidden = $("run").hidden = true;
  $("title").textContent = "A run by its link";
  const opened = await during("Running it.", () => ask("open", {link: one}));
  if (opened) other === undefined ? show(opened, at && at - 1) : await beside(opened, other);
}

// beside shows a run beside another one.
async function beside(opened, link) {
  const here = visit;
  loops = null;
  const both = await during("Comparing.", async () => [await ask("open", {link}), await ask("compare", {link: opened.link, other: link})]);
  if (!both) return show(opened);
  if (here !== visit) return;
  show(opened, undefined, both[0], both[1]);
  if (compared.first < compared.rows.length) {
    const of = compared.rows[compared.first].steps[0] >= 0 ? 0 : 1;
    choose(compared.rows[compared.first].steps[of], of);
  }
}

// follow shows another run, which has a link of its own: back in the browser is undo.
function follow(opened, at) {
  if (!opened) return;
  const was = run.link;
  visit++;
  stop();
  history.pushState(null, "", "#" + opened.link);
  show(opened, at);
  before = was;
  $("compare").disabled = before === run.link;
  $("diagram").focus();
}

// prepare finds out what is drawn of a run.
function prepare(run) {
  if (run.changes) return;
  run.longest = 0;
  run.lines.forEach(line => (run.steps[line.step].told ||= []).push(line));
  for (const step of run.steps) run.longest = Math.max(run.longest, Math.min(400, step.text.length));
  run.changes = run.parts.map(() => []);
  run.steps.forEach((step, at) => (step.held || []).forEach(held => run.changes[held.part].push({at, entries: held.entries})));
}

// show shows a run, or two beside each other with their comparison.
function show(opened, at, other, comparison = null) {
  run = opened;
  side = 0;
  before = other ? other.link : "";
  compared = comparison;
  tracks = other ? [track(run), track(other)] : [track(run)];
  for (const t of tracks) prepare(t.run);
  $("start").hidden = true;
  $("run").hidden = false;
  const violated = run.title !== "";
  $("title").textContent = run.title || `${run.scenario}: no claim is violated`;
  document.title = (violated ? run.title : run.scenario) + " - watchbed";
  const about = [];
  if (violated) about.push(element("p", run.why, "why"));
  about.push(element("p", `${run.scenario}: ${run.summary}.` + (run.changed.length ? ` With ${run.changed.join(", ")}.` : "")));
  about.push(element("p", `${run.steps.length} steps, trace hash ${run.hash}.`));
  if (compared) {
    const than = compared.options.length ? ` It has ${compared.options.join(", ")}.` : "";
    about.push(element("p", `Beside it, on the right: ${other.title || "a run in which no claim is violated"}.${than} ${compared.text}`));
  }
  $("about").replaceChildren(...about);
  $("smaller").disabled = $("why").disabled = $("inevitable").disabled = $("told").disabled = !violated;
  $("compare").disabled = !compared;
  $("compare").textContent = compared ? "This run alone" : "Beside the run before";
  $("whole").checked = tracks.every(({run}) => run.title === "" || run.steps.length <= 60);
  fold();
  choose(at ?? (run.wrong >= 0 ? run.wrong : run.lines.length ? run.lines[run.lines.length - 1].step : 0));
}

// showStep says what the chosen step is.
function showStep() {
  const step = run.steps[chosen];
  $("when").textContent = `Step ${chosen + 1} of ${run.steps.length}` + (run.timed ? `, at ${step.when}` : "") + `: ${loopOf(step)}` + (side ? ", in the other run" : "");
  const says = [];
  if (step.from >= 0) {
    const m = run.messages[step.from], line = element("li", `takes from ${nameOf(m.from)}: ${m.label}`);
    if (m.sent >= 0) line.append(" (sent at ", button("step " + (m.sent + 1), () => choose(m.sent)), ")");
    says.push(line);
  } else {
    says.push(element("li", {fire: "its timer fires: ", inject: "", run: "it runs "}[step.kind] + step.activity));
  }
  if (step.strikes) says.push(element("li", `the fault strikes ${step.strikes.map(nameOf).join(", ")}`));
  for (const s of step.says || []) says.push(element("li", `${nameOf(s.lane)} ${s.text}`));
  for (const situation of step.reached || []) says.push(element("li", `reached: ${situation}`, "reached"));
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
    if (error.message !== "Cancelled") fail(sentence(error.message));
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
    drawn.push(element("h3", run.lanes[lane].name, tier(run, lane)));
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
  const at = chosen, others = [], questions = new Map();
  for (const other of moment.others) {
    const course = button(other.text, async () => follow(await during("Running it.", () => ask("take", {link: run.link, choice: other.choice, name: other.name})), at));
    if (other.question) course.ariaLabel = `${other.question}: ${other.text}`;
    const parts = other.verdict === "violated" ? [course, " ", element("span", "violated at once", "violated")] : [course];
    // The other answers to one question are one line.
    if (!other.question) { const line = element("li"); line.append(...parts); others.push(line); continue; }
    let line = questions.get(other.choice);
    if (line) line.append(", ");
    else questions.set(other.choice, line = element("li", `${other.question}: ${other.taken} here; or `));
    line.append(...parts);
  }
  // What else could be done comes before other answers to questions in the step.
  others.push(...questions.values());
  if (!others.length) others.push(element("li", "Nothing: this step was the only one that could come."));
  if (moment.left) others.push(element("li", `and ${moment.left} more`));
  $("others").replaceChildren(...others);
}

// --- Buttons and keys. ---

// passingLinks lead to a run that passes, and to it beside this one.
function passingLinks(link, name) {
  const alone = element("a", "Open " + name), both = element("a", "beside this one");
  alone.href = "#" + link;
  both.href = "#" + run.link + "~" + link;
  return [alone, ", or ", both, "."];
}

function nextOf(list) { const at = list.find(at => at > chosen); if (at !== undefined) choose(at); }

// textOf has all that a step says of itself, for the search.
function textOf(at) {
  const step = run.steps[at];
  return [run.steps[at].text, step.kind, step.activity, nameOf(step.lane), ...step.reached || [], ...(step.held || []).flatMap(held => [run.parts[held.part].name, ...held.entries])].join(" ").toLowerCase();
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
  first: () => choose(0), back: () => walk(-1), next: () => walk(1), last: () => choose(run.steps.length - 1),
  nodeBack: () => along(-1), nodeNext: () => along(1), search: () => $("find").elements.text.focus(),
  told: () => nextOf(run.lines.map(line => line.step)),
  play: () => {
    if (playing) return stop();
    $("play").textContent = "Pause";
    playing = setInterval(() => walk(1) || stop(), 700);
  },
  loops: () => { loops = !tracks.some(t => t.columns.some(c => c.length > 1)); layOut(); choose(chosen); },
  otherSide: () => {
    const at = tracks.length > 1 ? rows[tracks[side].place.get(chosen)].steps[1 - side] : -1;
    if (at >= 0) choose(at, 1 - side);
  },
  compare: () => {
    if ($("compare").disabled) return;
    visit++;
    stop();
    const opened = tracks[0].run, link = before;
    history.pushState(null, "", "#" + opened.link + (compared ? "" : "~" + link));
    compared ? show(opened) : beside(opened, link);
  },
  inevitable: async () => {
    if ($("inevitable").disabled) return;
    const of = run, found = await during("Looking for the step: thousands of runs.", () => ask("inevitable", {link: run.link}));
    if (!found || of !== run) return;
    $("inevitable").disabled = true;
    run.settled = found.step;
    const line = element("p", found.text + " ");
    if (found.passing) line.append(...passingLinks(found.passing, "it"));
    $("about").append(line);
    choose(Math.max(0, found.step));
  },
  smaller: async () => follow(await during("Making it smaller: a few thousand runs.", () => ask("shrink", {link: run.link}))),
  why: async () => {
    const cause = await during("Looking for what decides: a few hundred runs.", () => ask("cause", {link: run.link}));
    if (!cause) return;
    const line = element("p", cause.text + " ");
    $("why").disabled = true;
    if (cause.passing) line.append(...passingLinks(cause.passing, `the run that passes (${cause.difference})`));
    $("about").append(line);
  },
  copy: async () => {
    if (!compared) history.replaceState(null, "", "#" + run.link);
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

const keys = {ArrowUp: "back", k: "back", ArrowDown: "next", j: "next", Home: "first", End: "last", n: "told", J: "nodeNext", K: "nodeBack", "/": "search", " ": "play", l: "loops", i: "inevitable", c: "compare", o: "otherSide"};
document.addEventListener("keydown", event => {
  const free = !["INPUT", "SELECT", "BUTTON", "A"].includes(event.target.tagName) || event.key.length > 1 && event.target.tagName === "BUTTON";
  if ($("run").hidden || !keys[event.key] || !free || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  actions[keys[event.key]]();
});

function route() {
  visit++;
  stop();
  const link = location.hash.slice(1);
  link ? openLink(link) : showStart();
}
addEventListener("popstate", route);
start();
route();
