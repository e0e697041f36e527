"use strict";
// Drawing: the overview with the axis, and the lanes.
const dark = matchMedia("(prefers-color-scheme: dark)");
const themes = {
  light: { bg: "#ffffff", stripe: "#f6f7f9", ink: "#1b1f24", faint: "#667080", grid: "#e3e6eb", bad: "#c2262d", gold: "#e08a00", down: "#3b424d", lease: "#d9a400", ownLease: "#8f6d00", fault: "#c2262d", safe: "#2f9e5b", opening: "#9db4cc", jeopardy: "#f08c00", expired: "#c2262d", closed: "#b4bcc8", lock: "#7a4fd0", select: "#0b62c4" },
  dark: { bg: "#14171c", stripe: "#191d24", ink: "#e6e8eb", faint: "#9aa3af", grid: "#2a303a", bad: "#ff6b6b", gold: "#ffb020", down: "#8d97a5", lease: "#e5b93a", ownLease: "#a88a34", fault: "#ff6b6b", safe: "#43b873", opening: "#5d7690", jeopardy: "#ff9d2e", expired: "#ff6b6b", closed: "#4a5361", lock: "#a98bf0", select: "#6cb1ff" },
};
let color = themes.light;
const replicaColors = ["#0072b2", "#d55e00", "#009e73", "#b5519b", "#8c6d1f", "#3fa3d6", "#7d7d7d"];
const colorOfReplica = lane => replicaColors[(Number(laneName(lane).slice(1)) - 1) % replicaColors.length];
// Kinds of messages by what they are for; others take what is left, in turn.
const kindColors = {
  prepare: "#8e44ad", promise: "#b07cc6", accept: "#1f6fc2", accepted: "#5b9bdd", chosen: "#0a9396", nack: "#d62839", heartbeat: "#9aa5b1", grant: "#b9a03b",
  call: "#2a9d57", answer: "#57b894", fetch: "#a86f32", sum: "#b0b7c0",
  break: "#c2262d", fault: "#c2262d", effect: "#e0646a", belief: "#0b62c4", session: "#f08c00", told: "#2a9d57", log: "#0a9396", disk: "#7c8794", failed: "#c2262d",
};
const moreColors = ["#a86f32", "#6b7fd7", "#c77dab", "#5f9ea0", "#90802f", "#b5651d"];
const kindColor = data.kinds.map((name, i) => kindColors[name] ?? kindColors[name.replace(/-.*/, "")] ?? moreColors[i % moreColors.length]);

const gutter = Math.min(160, Math.max(58, 14 + 6 * Math.max(...data.lanes.map(l => l.name.length)))); // room for names
const most = 2500; // messages that are drawn at once
const barKind = data.barKinds;
const overview = document.getElementById("overview"), lanes = document.getElementById("lanes"), scroll = document.getElementById("scroll");

// view is what is looked at: a part of the axis in microseconds, true or own.
const view = { from: 0, to: Math.max(data.end, 1), own: false, selected: -1, sent: at, came: got, marks: mark, hasMarks: hasPast, onlyPast: false };
const shown = new Uint8Array(size).fill(1); // by kinds, machines and search
const laneShown = new Uint8Array(data.lanes.length).fill(1);
const place = []; // of each lane: {y, h}, undefined where it is not shown

const along = (lane, t) => view.own ? own(lane, t) : t;
const x = t => gutter + (t - view.from) / (view.to - view.from) * (width - gutter);
let width = 0, height = 0, inView = 0, crowded = false;

// Faults are numbered, and stand in rows of the first lane so that they do not cover each other.
const bandRows = [];
data.bands.forEach(([from, to], i) => {
  const room = (data.end || 1) / 150;
  let row = bandRows.findIndex(end => end <= from);
  if (row < 0 && bandRows.length < 4) row = bandRows.length;
  if (row < 0) row = bandRows.indexOf(Math.min(...bandRows));
  bandRows[row] = Math.max(bandRows[row] ?? 0, to, from + room);
  data.bands[i].row = row;
});

function heightOf(lane) {
  if (lane === 0) return 26 + 13 * Math.max(1, bandRows.length);
  return isReplica(lane) ? 58 : 32;
}
const baseline = lane => place[lane].y + place[lane].h - (isReplica(lane) ? 13 : 9);

// layout gives each lane that is shown its place, and the canvas its size.
function layout() {
  let y = 0;
  for (let lane = 0; lane < data.lanes.length; lane++) {
    place[lane] = undefined;
    if (!laneShown[lane]) continue;
    place[lane] = { y, h: heightOf(lane) };
    y += place[lane].h;
  }
  height = Math.max(y, 60);
  width = Math.max(scroll.clientWidth, 200);
  fit(lanes, width, height);
  fit(overview, width, 58);
}

function fit(canvas, w, h) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(w * ratio);
  canvas.height = Math.round(h * ratio);
  canvas.style.height = h + "px";
  canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
}

// isVisible says whether an entry is in the part of the axis that is looked at.
function isVisible(i) {
  if (!place[who[i]]) return false;
  const a = view.sent[i], b = isMessage(i) && got[i] >= 0 ? view.came[i] : a;
  return Math.max(a, b) >= view.from && Math.min(a, b) <= view.to && (!isMessage(i) || place[peer[i]] !== undefined);
}
const isWanted = i => shown[i] && (!view.onlyPast || !view.hasMarks || view.marks[i] > 0);

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function draw() {
  color = dark.matches ? themes.dark : themes.light;
  const c = lanes.getContext("2d");
  c.font = "11px system-ui, sans-serif";
  c.textBaseline = "middle";
  c.fillStyle = color.bg;
  c.fillRect(0, 0, width, height);
  stripes(c);
  c.save();
  c.beginPath();
  c.rect(gutter, 0, width - gutter, height);
  c.clip();
  grid(c, height);
  bands(c);
  data.bars.forEach(b => bar(c, b));
  events(c);
  breakLine(c, height);
  c.restore();
  names(c);
  drawOverview();
  onDraw();
}

function stripes(c) {
  place.forEach((p, lane) => {
    if (!p) return;
    if (lane % 2) { c.fillStyle = color.stripe; c.fillRect(0, p.y, width, p.h); }
    c.fillStyle = color.grid;
    c.fillRect(gutter, baseline(lane), width - gutter, 1);
  });
}

function names(c) {
  c.fillStyle = color.bg;
  c.fillRect(0, 0, gutter - 1, height);
  c.fillStyle = color.grid;
  c.fillRect(gutter - 1, 0, 1, height);
  place.forEach((p, lane) => {
    if (!p) return;
    c.fillStyle = isReplica(lane) ? colorOfReplica(lane) : color.ink;
    c.font = (isReplica(lane) ? "bold 13px" : "12px") + " system-ui, sans-serif";
    c.fillText(laneName(lane), 8, p.y + p.h / 2);
    c.fillStyle = color.grid;
    c.fillRect(0, p.y + p.h - 1, width, 1);
  });
}

// unit is a step of the axis that leaves room for its labels.
function unit() {
  const least = (view.to - view.from) / Math.max(2, (width - gutter) / 110);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(n => n * power).find(n => n >= least);
}

function grid(c, h) {
  const u = unit();
  c.fillStyle = color.grid;
  for (let t = Math.ceil(view.from / u) * u; t <= view.to; t += u) c.fillRect(x(t), 0, 1, h);
}

function bands(c) {
  data.bands.forEach((b, n) => {
    const [from, to, text, on] = b, a = Math.min(x(from), width), z = Math.max(x(to), a + 2);
    if (z < gutter || x(from) > width || !place[0]) return;
    c.fillStyle = color.fault;
    c.globalAlpha = 0.07;
    for (const lane of on) if (place[lane]) c.fillRect(view.own ? x(own(lane, from)) : a, place[lane].y, z - a, place[lane].h);
    const y = place[0].y + 4 + 13 * b.row;
    c.globalAlpha = 0.28;
    c.fillRect(a, y, z - a, 12);
    c.globalAlpha = 1;
    c.fillRect(a, y, 2, 12);
    const name = text.startsWith("every") ? "all faults end" : text.replace(/[:( ].*/, "");
    label(c, `${n + 1} ${name}`, a + 5, y + 6.5, nextInRow(n) - Math.max(a, gutter) - 8, color.ink);
  });
}

// nextInRow is where the next fault of the same row begins.
function nextInRow(n) {
  for (let k = n + 1; k < data.bands.length; k++) if (data.bands[k].row === data.bands[n].row) return x(data.bands[k][0]);
  return width;
}

// label writes a text if there is room for it, or for its beginning.
function label(c, text, left, y, room, ink) {
  if (left < gutter + 3) { room -= gutter + 3 - left; left = gutter + 3; }
  if (room < 8) return;
  c.font = "10.5px system-ui, sans-serif";
  if (c.measureText(text).width > room) {
    const first = text.split(" ")[0];
    if (c.measureText(first).width > room) return;
    text = first;
  }
  c.fillStyle = ink;
  c.fillText(text, left, y);
}

// Of each kind of bars: row from the top, height.
const shape = {
  leads: [4, 13], follows: [6, 9], serves: [18, 10], lease: [30, 6], down: [1, 0], paused: [1, 0],
  opening: [4, 6], safe: [4, 6], jeopardy: [3, 8], expired: [4, 6], closed: [5, 4], lock: [13, 6],
};

function bar(c, [lane, k, from, long, text, by]) {
  const p = place[lane], name = barKind[k];
  if (!p) return;
  const a = x(along(lane, from)), z = Math.max(x(along(lane, from + long)), a + 1.5);
  const ownA = x(own(lane, from)), ownZ = x(own(lane, from + long));
  if (Math.max(z, ownZ) < gutter || Math.min(a, ownA) > width) return;
  let [row, h] = shape[name];
  const y = p.y + row;
  if (name === "down" || name === "paused") return hatch(c, a, p.y + 1, z - a, p.h - 2, name);
  c.fillStyle = by > 0 ? colorOfReplica(by) : name === "serves" ? colorOfReplica(lane) : color[name];
  c.globalAlpha = name === "follows" ? 0.35 : 1;
  if (name === "opening") c.globalAlpha = 0.6;
  c.fillRect(a, y, z - a, h);
  c.globalAlpha = 1;
  if (name === "lease") { // below: by its own clock, or where that is the axis, in true time
    const [b0, b1] = view.own ? [x(from), x(from + long)] : [ownA, ownZ];
    c.fillStyle = color.ownLease;
    c.fillRect(b0, y + h + 1, Math.max(b1 - b0, 1.5), 2.5);
  }
  const said = data.barTexts[text];
  if (name === "leads") label(c, said, a + 4, y + 7, z - a - 6, "#fff");
  if (name === "serves") label(c, said.replace(/, at.*/, ""), a + 4, y + 5.5, z - a - 6, "#fff");
  if (name === "follows") label(c, said, a + 4, y + 5, z - a - 6, color.ink);
}

function hatch(c, a, y, w, h, name) {
  c.save();
  c.beginPath();
  c.rect(a, y, w, h);
  c.clip();
  c.fillStyle = c.strokeStyle = color.down;
  c.globalAlpha = name === "down" ? 0.22 : 0.1;
  c.fillRect(a, y, w, h);
  c.globalAlpha = 0.5;
  const left = Math.max(a, gutter), right = Math.min(a + w, width), gap = name === "down" ? 6 : 12;
  c.beginPath();
  for (let s = Math.floor((left - h) / gap) * gap; s < right; s += gap) { c.moveTo(s, y + h); c.lineTo(s + h, y); }
  c.stroke();
  c.restore();
  c.save();
  label(c, name, a + 4, y + h / 2, w - 6, color.ink);
  c.restore();
}

// events draws messages as arrows, and what happens on one machine as marks. Where there are
// more than can be told apart, it draws how many there are instead, and of the messages those of the past.
function events(c) {
  let messages = 0, all = 0;
  const visible = [];
  for (let i = 0; i < size; i++) {
    if (!isVisible(i) || !isWanted(i)) continue;
    all++;
    visible.push(i);
    if (isMessage(i)) messages++;
  }
  inView = all;
  crowded = messages > most;
  if (crowded) density(c, visible);
  for (const i of visible) if (isMessage(i) && (!crowded || view.marks[i] === PICKED && view.hasMarks)) arrow(c, i);
  for (const i of visible) if (!isMessage(i) && (!crowded || kind[i] < 4 || view.marks[i] === PICKED && view.hasMarks)) point(c, i);
  if (view.selected >= 0) chosen(c, view.selected);
}

function density(c, visible) {
  const cell = 3, columns = Math.ceil((width - gutter) / cell);
  const counts = data.lanes.map(() => new Uint16Array(columns));
  for (const i of visible) {
    const column = Math.floor((x(view.sent[i]) - gutter) / cell);
    if (column >= 0 && column < columns) counts[who[i]][column]++;
  }
  let top = 1;
  for (const row of counts) for (const n of row) top = Math.max(top, n);
  c.fillStyle = color.faint;
  c.globalAlpha = 0.55;
  counts.forEach((row, lane) => {
    if (!place[lane]) return;
    const y = baseline(lane), h = isReplica(lane) ? 15 : 12;
    row.forEach((n, k) => { if (n) { const high = Math.max(1, h * Math.log(1 + n) / Math.log(1 + top)); c.fillRect(gutter + k * cell, y - high, cell - 0.5, high); } });
  });
  c.globalAlpha = 1;
}

const strength = i => !view.hasMarks ? 0.75 : view.marks[i] === ASIDE ? 0.16 : 0.9;

function ends(i) {
  const x0 = x(view.sent[i]), y0 = baseline(who[i]), y1 = baseline(peer[i]);
  if (got[i] >= 0) return [x0, y0, x(view.came[i]), y1];
  return [x0, y0, x0 + 14, y0 + (y1 - y0) * 0.4];
}

function arrow(c, i) {
  const [x0, y0, x1, y1] = ends(i), isBold = view.marks[i] === PICKED && view.hasMarks;
  c.globalAlpha = strength(i);
  c.strokeStyle = c.fillStyle = isBold ? color.gold : kindColor[kind[i]];
  c.lineWidth = isBold ? 2.5 : 1;
  if (fate[i] === LOST || fate[i] === DROPPED) c.setLineDash([3, 3]);
  if (fate[i] === AGAIN) c.setLineDash([8, 3]);
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
  c.setLineDash([]);
  if (got[i] < 0) cross(c, x1, y1); else head(c, x0, y0, x1, y1, isBold ? 7 : 5);
  c.globalAlpha = 1;
  c.lineWidth = 1;
}

function head(c, x0, y0, x1, y1, s) {
  const a = Math.atan2(y1 - y0, x1 - x0);
  c.beginPath();
  c.moveTo(x1, y1);
  c.lineTo(x1 - s * Math.cos(a - 0.4), y1 - s * Math.sin(a - 0.4));
  c.lineTo(x1 - s * Math.cos(a + 0.4), y1 - s * Math.sin(a + 0.4));
  c.fill();
}

function cross(c, px, py) {
  c.strokeStyle = color.bad;
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(px - 3, py - 3); c.lineTo(px + 3, py + 3);
  c.moveTo(px - 3, py + 3); c.lineTo(px + 3, py - 3);
  c.stroke();
}

function point(c, i) {
  const px = x(view.sent[i]), y = baseline(who[i]), name = data.kinds[kind[i]];
  const isBold = view.marks[i] === PICKED && view.hasMarks;
  c.globalAlpha = name === "break" || name === "fault" ? 1 : Math.max(strength(i), 0.3);
  c.fillStyle = isBold ? color.gold : kindColor[kind[i]];
  c.beginPath();
  switch (name) {
    case "break": c.strokeStyle = color.bad; c.lineWidth = 4; c.moveTo(px - 6, y - 6); c.lineTo(px + 6, y + 6); c.moveTo(px - 6, y + 6); c.lineTo(px + 6, y - 6); c.stroke(); break;
    case "fault": case "effect": case "failed": c.moveTo(px, y - 6); c.lineTo(px + 4.5, y + 2); c.lineTo(px - 4.5, y + 2); c.fill(); break;
    case "belief": case "session": c.moveTo(px, y - 5); c.lineTo(px + 4.5, y); c.lineTo(px, y + 5); c.lineTo(px - 4.5, y); c.fill(); break;
    case "disk": c.fillRect(px - 2, y - 2, 4, 4); break;
    case "log": c.fillRect(px - 1.5, y - 3, 3, 6); break;
    default: c.arc(px, y, 3.2, 0, 7); c.fill();
  }
  if (isBold) { c.strokeStyle = color.gold; c.lineWidth = 2; c.beginPath(); c.arc(px, y, 8, 0, 7); c.stroke(); }
  c.globalAlpha = 1;
  c.lineWidth = 1;
}

// chosen draws what is selected above all others.
function chosen(c, i) {
  if (!place[who[i]]) return;
  c.strokeStyle = c.fillStyle = color.select;
  c.lineWidth = 3;
  const px = x(view.sent[i]), y = baseline(who[i]);
  if (isMessage(i) && place[peer[i]]) {
    const [x0, y0, x1, y1] = ends(i);
    c.beginPath(); c.moveTo(x0, y0); c.lineTo(x1, y1); c.stroke();
    if (got[i] >= 0) head(c, x0, y0, x1, y1, 9);
  }
  c.beginPath(); c.arc(px, y, 6, 0, 7); c.stroke();
  c.lineWidth = 1;
}

function breakLine(c, h) {
  if (data.broke < 0) return;
  c.strokeStyle = color.bad;
  c.setLineDash([5, 4]);
  c.lineWidth = 1.5;
  c.beginPath(); c.moveTo(x(data.broke), 0); c.lineTo(x(data.broke), h); c.stroke();
  c.setLineDash([]);
  c.lineWidth = 1;
}

// drawOverview draws the whole run with what is looked at, and the axis of that.
function drawOverview() {
  const c = overview.getContext("2d"), h = 34, whole = t => gutter + t / Math.max(data.end, 1) * (width - gutter);
  c.font = "11px system-ui, sans-serif";
  c.textBaseline = "middle";
  c.fillStyle = color.bg;
  c.fillRect(0, 0, width, 58);
  const columns = new Uint16Array(Math.max(1, Math.ceil(width - gutter)));
  for (let i = 0; i < size; i++) if (shown[i]) columns[Math.min(columns.length - 1, Math.max(0, Math.floor(whole(at[i]) - gutter)))]++;
  const top = Math.log(1 + columns.reduce((a, b) => Math.max(a, b), 1));
  c.fillStyle = color.faint;
  c.globalAlpha = 0.5;
  columns.forEach((n, k) => { if (n) c.fillRect(gutter + k, h - 2 - (h - 10) * Math.log(1 + n) / top, 1, (h - 10) * Math.log(1 + n) / top); });
  c.globalAlpha = 0.8;
  c.fillStyle = color.fault;
  for (const [from, to] of data.bands) c.fillRect(whole(from), 1, Math.max(1.5, whole(to) - whole(from)), 4);
  c.globalAlpha = 1;
  if (data.broke >= 0) c.fillRect(whole(data.broke) - 1, 0, 2.5, h);
  c.fillStyle = c.strokeStyle = color.select;
  c.globalAlpha = 0.15;
  c.fillRect(whole(view.from), 0, Math.max(2, whole(view.to) - whole(view.from)), h);
  c.globalAlpha = 1;
  c.strokeRect(whole(view.from) + 0.5, 0.5, Math.max(2, whole(view.to) - whole(view.from)) - 1, h - 1);
  c.fillStyle = color.faint;
  c.fillText("whole run", 3, 17);
  c.fillText(view.own ? "own s" : "true s", 8, 47);
  const u = unit(), digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(u / 1e6))));
  for (let t = Math.ceil(view.from / u) * u; t <= view.to; t += u) {
    c.fillStyle = color.grid;
    c.fillRect(x(t), 38, 1, 20);
    c.fillStyle = color.ink;
    c.fillText((t / 1e6).toFixed(digits), x(t) + 4, 48);
  }
}
