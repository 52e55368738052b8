"use strict";
// --- The drawing: a row for each step, a lane for each node or for each loop of a node. One run, or two beside each other. ---

const rowHeight = 24, svg = "http://www.w3.org/2000/svg", mostNarrow = 600;

// tracks are the runs that are drawn, and run is the one of the chosen step; rows[i].steps has the step of each.
let tracks = [], side = 0, run, chosen, rows = [];
// compared is the comparison of two tracks. loops says whether nodes are drawn with their loops; null is: as far as there is room.
let compared = null, loops = null;

function track(of) { return {run: of, place: new Map(), columns: [], x: 0, width: 0, labelAt: 0}; }

// fold leaves out the steps that the story does not need: those that are not in it, and did not send what one of it takes.
function fold() {
  const whole = $("whole").checked;
  const near = tracks.map(({run}) => run.steps.map(step => whole || Boolean(step.told)));
  if (!whole) tracks.forEach(({run}, i) => run.steps.forEach(step => { if (step.told && step.from >= 0 && run.messages[step.from].sent >= 0) near[i][run.messages[step.from].sent] = true; }));
  const all = compared ? compared.rows : run.steps.map((_, at) => ({steps: [at], same: true}));
  rows = [];
  for (const t of tracks) t.place.clear();
  all.forEach(({steps, same}, number) => {
    const says = !same && steps.some((at, i) => at >= 0 && tracks[i].run.steps[at].says);
    const wanted = says || compared && number === compared.first || steps.some((at, i) => near[i][at]);
    const last = rows[rows.length - 1];
    if (wanted) rows.push({steps, same, number});
    else if (last && last.left) last.left++;
    else rows.push({left: 1, steps});
    steps.forEach((at, i) => { if (at >= 0) tracks[i].place.set(at, rows.length - 1); });
  });
  layOut();
}

// opened says which nodes of a run are drawn with their loops, so that all lanes fit into so much room: etcd's rather than others, and fewer loops rather
// than more.
function opened(run, room) {
  const open = run.lanes.map(lane => loops !== false && lane.loops.length > 1);
  if (loops !== null) return open;
  if (innerWidth < mostNarrow || tracks.length > 1) return open.fill(false);
  const width = () => run.lanes.reduce((sum, lane, i) => sum + (open[i] ? groupWidth(lane, 18) : 24), 0);
  const first = run.lanes.map((_, i) => i).filter(i => open[i]).sort((a, b) => (tier(run, a) === "etcd") - (tier(run, b) === "etcd") || run.lanes[b].loops.length - run.lanes[a].loops.length);
  while (width() > room && first.length) open[first.shift()] = false;
  return open;
}

// short is the function of a loop alone, if no other loop of the node has the same.
function short(loop, lane) {
  const [name] = loop.split(" ");
  return lane.loops.filter(other => other.split(" ")[0] === name).length > 1 ? loop : name;
}

function groupWidth(lane, gap) { return Math.max(gap * lane.loops.length, 7.2 * lane.name.length + 6) + 8; }

function layOut() {
  const box = $("diagram"), width = box.clientWidth / tracks.length, names = [];
  let full = 0, high = 0;
  tracks.forEach((t, number) => {
    const numbers = t.run.timed ? 118 : 46, room = width * (tracks.length > 1 ? 0.4 : 0.55) - numbers, none = tracks.length > 1 && width < mostNarrow / 2;
    const open = opened(t.run, room), single = open.filter(o => !o).length;
    const loopsWide = gap => t.run.lanes.reduce((sum, lane, i) => sum + (open[i] ? groupWidth(lane, gap) : 0), 0);
    const wide = open.includes(true) ? Math.max(18, Math.min(30, (room - 24 * single) / t.run.lanes.reduce((sum, lane, i) => sum + (open[i] ? lane.loops.length + 1 : 0), 0))) : 0;
    const gap = none ? 0 : Math.max(14, Math.min(open.includes(true) ? 44 : 84, (room - loopsWide(wide)) / Math.max(1, single)));
    const steep = gap < 34 || open.includes(true);
    t.x = number * width;
    let x = t.x + numbers;
    t.columns = t.run.lanes.map((lane, i) => {
      const at = x, w = open[i] ? groupWidth(lane, wide) : gap;
      x += w;
      if (none) return [at];
      const columns = open[i] ? lane.loops.map((_, j) => at + (w - wide * lane.loops.length) / 2 + wide * (j + 0.5)) : [at + w / 2];
      (open[i] ? lane.loops.map(loop => short(loop, lane)) : [lane.name]).forEach((text, j) => {
        const name = element("span", text || lane.name, "lane " + tier(t.run, i));
        name.style.left = columns[j] + "px";
        name.style.transform = `rotate(${steep ? -62 : -28}deg)`;
        if (open[i]) name.title = lane.name + " " + lane.loops[j];
        names.push(name);
        high = Math.max(high, 1.5 + (steep ? 0.44 : 0.26) * (text || lane.name).length);
      });
      if (open[i]) {
        const group = element("span", lane.name, "group " + tier(t.run, i));
        group.style.left = at + 3 + "px";
        group.style.width = w - 6 + "px";
        names.push(group);
      }
      return columns;
    });
    t.labelAt = x + 8;
    t.width = tracks.length > 1 ? width : Math.max(width - 20, t.labelAt + 7.4 * t.run.longest);
    full += t.width;
  });
  $("lanes").replaceChildren(...names);
  $("lanes").style.height = Math.max(3, high + 1.5) + "em";
  $("lanes").style.width = full + "px";
  $("drawing").setAttribute("width", full);
  $("drawing").setAttribute("height", rows.length * rowHeight + 8);
  $("loops").setAttribute("aria-pressed", tracks.some(t => t.columns.some(c => c.length > 1)));
  draw();
}

function rowY(row) { return row * rowHeight + rowHeight / 2 + 2; }
function tier(run, lane) { return lane < 0 ? "" : run.lanes[lane].tier.split(" ").pop(); }
function nameOf(lane) { return lane < 0 ? "fault" : run.lanes[lane].name; }

// loopOf is the name of the loop of a step with its node.
function loopOf(step) { return nameOf(step.lane) + (step.lane >= 0 && run.lanes[step.lane].loops[step.loop] ? ", " + run.lanes[step.lane].loops[step.loop] : ""); }

// columnOf is where the lane of a step is drawn, or that of a node which acts in the step of another one.
function columnOf(t, at, lane) {
  const step = t.run.steps[at], columns = t.columns[lane];
  return step && step.lane === lane && step.loop < columns.length ? columns[step.loop] : columns[0];
}

function shape(name, attributes, text) {
  const e = document.createElementNS(svg, name);
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  if (text !== undefined) e.textContent = text;
  return e;
}

// arrow ends at a dot: its head is two strokes, 25 degrees beside the line.
function arrow(className, x1, y1, x, y) {
  const length = Math.hypot(x - x1, y - y1) || 1, ux = (x - x1) / length, uy = (y - y1) / length, x2 = x - 5 * ux, y2 = y - 5 * uy;
  const half = sign => `M${x2 - 8 * ux + sign * 4 * uy} ${y2 - 8 * uy - sign * 4 * ux}L${x2} ${y2}`;
  return shape("path", {class: className, d: `M${x1} ${y1}L${x2} ${y2}` + half(1) + half(-1)});
}

// draw draws the rows that can be seen, and the arrows that touch them.
function draw() {
  if (!tracks.length) return;
  const box = $("diagram"), first = Math.max(0, Math.floor(box.scrollTop / rowHeight) - 6), last = Math.min(rows.length, first + Math.ceil(box.clientHeight / rowHeight) + 12);
  const above = [], drawn = [], marks = [];
  tracks.forEach((t, number) => {
    for (const columns of t.columns) for (const x of columns) drawn.push(shape("line", {class: columns.length > 1 ? "lane loop" : "lane", x1: x, x2: x, y1: first * rowHeight, y2: last * rowHeight}));
    const told = at => at === chosen && number === side ? " chosen" : t.run.steps[at].told ? " told" : "";
    const link = (className, from, to, x1, x2) => {
      const y1 = t.place.get(from), y2 = t.place.get(to);
      if (y2 < first || y1 > last || rows[y2].left || x1 === x2 && y1 === y2) return;
      above.push(arrow(className, x1, rowY(y1), x2, rowY(y2)));
    };
    for (const m of t.run.messages) {
      if (m.delivered < 0 || m.sent < 0 || m.from < 0 || m.to < 0) continue;
      link("arrow" + (told(m.delivered) || (told(m.sent) === " chosen" ? " chosen" : "")), m.sent, m.delivered, columnOf(t, m.sent, m.from), columnOf(t, m.delivered, m.to));
    }
    t.run.steps.forEach((step, at) => {
      if (step.woke < 0 || t.columns[step.lane].length < 2 || rows[t.place.get(step.woke)].left) return;
      link("arrow wakes" + told(at), step.woke, at, columnOf(t, step.woke, step.lane), columnOf(t, at, step.lane));
    });
  });
  const led = new Set(run.steps[chosen]?.causes);
  for (let row = first; row < last; row++) drawn.push(drawRow(row, led, marks));
  for (const a of above) a.setAttribute("pointer-events", "none");
  $("drawing").replaceChildren(...drawn, ...above, ...marks);
}

function drawRow(row, led, marks) {
  const {steps, left, same, number} = rows[row], y = rowY(row), g = shape("g", {role: "listitem", class: "row"}), says = [];
  if (left) {
    const text = `${left} step${left > 1 ? "s" : ""} more`;
    g.setAttribute("aria-label", text);
    g.append(shape("rect", {x: 0, y: row * rowHeight + 2, width: $("drawing").getAttribute("width"), height: rowHeight}));
    g.append(shape("text", {class: "number", x: tracks[0].labelAt, y: y + 4}, text));
    const at = steps.findIndex(at => at >= 0);
    g.onclick = () => { $("whole").checked = true; fold(); choose(steps[at], at); };
    return g;
  }
  if (compared && number === compared.first) {
    g.classList.add("first");
    says.push("first difference");
  }
  steps.forEach((at, i) => {
    const t = tracks[i], half = shape("g", {class: same ? "half" : "half other"});
    g.append(half);
    half.append(shape("rect", {x: t.x, y: row * rowHeight + 2, width: t.width, height: rowHeight}));
    if (at < 0) return;
    const step = t.run.steps[at], current = at === chosen && i === side;
    if (current) {
      half.classList.add("chosen");
      g.setAttribute("aria-current", "step");
    }
    if (i === side && led.has(at)) half.classList.add("led");
    if (step.told) half.classList.add("told");
    if (at === t.run.wrong || at === t.run.missed) half.classList.add("wrong");
    half.append(shape("text", {class: "number", x: t.x + 4, y: y + 4}, t.run.timed ? `${at + 1}  ${step.when}` : at + 1));
    const fits = tracks.length > 1 ? Math.max(8, Math.floor((t.x + t.width - t.labelAt) / (step.told ? 7.5 : 6.6))) : 400;
    half.append(shape("text", {x: t.labelAt, y: y + 4}, step.text.length > fits ? step.text.slice(0, fits - 1) + "…" : step.text), shape("title", {}, step.text));
    half.onclick = () => choose(at, i);
    says.push((compared ? ["this run, ", "the other run, "][i] : "") + `step ${at + 1}: ${step.text}`);
    if (t.run.settled === at) {
      marks.push(shape("line", {class: "settled", x1: t.x, x2: t.x + t.width, y1: y + rowHeight / 2, y2: y + rowHeight / 2}));
      says.push("after this step the violation was inevitable");
    }
    if (step.lane >= 0) marks.push(shape("circle", {class: tier(t.run, step.lane), cx: columnOf(t, at, step.lane), cy: y, r: current ? 6 : 4, "pointer-events": "none"}));
    for (const lane of step.strikes || []) {
      const x = t.columns[lane][0], end = t.columns[lane][t.columns[lane].length - 1];
      marks.push(shape("path", {class: "fault", d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` + (end > x ? `M${x} ${y}H${end}` : ""), "pointer-events": "none"}));
    }
  });
  g.setAttribute("aria-label", says.join("; "));
  return g;
}

// choose selects a step, of the run that is drawn on this side.
function choose(at, of = side) {
  side = Math.min(of, tracks.length - 1);
  run = tracks[side].run;
  chosen = Math.max(0, Math.min(at, run.steps.length - 1));
  const row = tracks[side].place.get(chosen), box = $("diagram");
  if (rows[row].left) { $("whole").checked = true; return fold(), choose(chosen); }
  const y = row * rowHeight, head = $("lanes").offsetHeight;
  if (y < box.scrollTop) box.scrollTop = Math.max(0, y - 2 * rowHeight);
  if (y + head > box.scrollTop + box.clientHeight - 2 * rowHeight) box.scrollTop = y + head - box.clientHeight + 4 * rowHeight;
  draw();
  showStep();
}

// neighbour is the next row in this direction that has a step, and the side on which that is.
function neighbour(direction) {
  for (let row = tracks[side].place.get(chosen) + direction; row >= 0 && row < rows.length; row += direction) {
    if (rows[row].left) continue;
    const {steps} = rows[row], of = steps[side] >= 0 ? side : 1 - side;
    return {at: steps[of], of};
  }
  return null;
}

function walk(direction) {
  const next = neighbour(direction);
  if (next) choose(next.at, next.of);
  return next;
}

// along is the next step of the chosen step's loop in this direction, or of its node where loops are not drawn.
function along(direction) {
  const {lane, loop} = run.steps[chosen], open = lane >= 0 && tracks[side].columns[lane].length > 1;
  for (let at = chosen + direction; at >= 0 && at < run.steps.length; at += direction) {
    if (run.steps[at].lane === lane && (!open || run.steps[at].loop === loop)) return choose(at);
  }
}

$("diagram").addEventListener("scroll", draw);
addEventListener("resize", () => tracks.length && !$("run").hidden && layOut());
