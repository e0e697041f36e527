"use strict";
// What a reader can do: move, filter, search, select.
const $ = id => document.getElementById(id);
const kindShown = new Uint8Array(data.kinds.length).fill(1);
let hits = []; // entries that a search or filter leaves, in order
let terms = [];

function show(from, to) {
  const all = Math.max(data.end, 1), long = Math.min(Math.max(to - from, 200), all * 1.05);
  const middle = (from + to) / 2, slack = all * 0.025;
  view.from = Math.max(-slack, Math.min(middle - long / 2, all + slack - long));
  view.to = view.from + long;
  redraw();
}
function zoom(factor, around = (view.from + view.to) / 2) {
  show(around - (around - view.from) * factor, around + (view.to - around) * factor);
}
const move = share => show(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
const whole = () => show(0, data.end);
// toBreak shows the last moments before the break: as many events as can be told apart.
function toBreak() {
  const end = data.broke >= 0 ? data.broke : data.end;
  let first = size - 1;
  while (first > 0 && at[first] > end) first--;
  let from = at[Math.max(0, first - 600)];
  for (let i = 0; i < size; i++) if (mark[i] === PICKED && at[i] <= end && at[i] > end - 3e6) from = Math.min(from, at[i]);
  const room = Math.max(end - from, 1000);
  show(from - room * 0.05, end + room * 0.12);
}

// filter finds what kinds, machines and words leave.
function filter() {
  terms = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  hits = [];
  for (let i = 0; i < size; i++) {
    let is = kindShown[kind[i]] && laneShown[who[i]] && (!isMessage(i) || laneShown[peer[i]]);
    if (is && terms.length) { const text = hay(i); is = terms.every(term => matches(text, term)); }
    shown[i] = is ? 1 : 0;
    if (is) hits.push(i);
  }
  count();
  redraw();
}
// matches: a term that ends in a digit is a whole word, so that n1 is not n12.
function matches(text, term) {
  for (let k = text.indexOf(term); k >= 0; k = text.indexOf(term, k + 1)) {
    const next = text[k + term.length] ?? " ", before = text[k - 1] ?? " ";
    if (!/\d$/.test(term) || !/\d/.test(next) && !(/^[\d.]/.test(term) && /\d/.test(before))) return true;
  }
  return false;
}
function count() {
  const place = hits.indexOf(view.selected);
  $("count").textContent = hits.length === size ? `${size} events` : `${place >= 0 ? `${place + 1} of ` : ""}${hits.length} match, of ${size}`;
}

function select(i, center) {
  view.selected = i;
  view.marks = i < 0 ? mark : pastOf(i);
  view.hasMarks = i >= 0 || hasPast;
  if (center && i >= 0 && (view.sent[i] < view.from || view.sent[i] > view.to)) {
    const long = view.to - view.from;
    show(view.sent[i] - long / 2, view.sent[i] + long / 2);
  }
  describe(i);
  count();
  redraw();
}
function step1(way) {
  if (!hits.length) return;
  let k = hits.indexOf(view.selected);
  if (k < 0) { k = hits.findIndex(i => view.sent[i] >= view.from); if (k < 0) k = 0; } else k = (k + way + hits.length) % hits.length;
  select(hits[k], true);
}
// onMachine selects what is next on the same machine.
function onMachine(way) {
  if (view.selected < 0) return step1(1);
  const lane = who[view.selected];
  for (let i = view.selected + way; i >= 0 && i < size; i += way) if (shown[i] && who[i] === lane) return select(i, true);
}

function line(parent, text, name) {
  const p = document.createElement("p");
  p.textContent = text;
  if (name) p.className = name;
  parent.append(p);
}
const clockText = (lane, t) => { const r = reading(lane, t); return r === undefined ? "" : `, ${seconds(r)} s by the clock of ${laneName(lane)}`; };
const fates = ["", "a copy that came, too", "lost by the network", "it never came: a cut link, a machine that was down, or the end of the run"];

// describe tells what an entry is.
function describe(i) {
  const box = $("event");
  box.replaceChildren();
  if (i < 0) return line(box, "Click an event to read it.", "faint");
  const from = laneName(who[i]), name = data.kinds[kind[i]];
  line(box, isMessage(i) ? `${name}: ${from} → ${laneName(peer[i])}` : `${name}: ${from}`, "faint");
  line(box, textOf(i), "what");
  if (isMessage(i)) {
    line(box, `sent at ${seconds(at[i])} s${clockText(who[i], at[i])}`);
    if (got[i] >= 0) line(box, `received at ${seconds(got[i])} s${clockText(peer[i], got[i])}, after ${((got[i] - at[i]) / 1000).toFixed(3)} ms`);
  } else line(box, `at ${seconds(at[i])} s of true time${clockText(who[i], at[i])}`);
  if (fates[fate[i]]) line(box, fates[fate[i]], got[i] < 0 ? "bad" : "faint");
  if (step[i]) line(box, `step ${step[i]} of the run`, "faint");
  if (mark[i] === PICKED) line(box, "The story of the break tells it.", "gold");
  else if (mark[i] === PAST) line(box, "The break may have come from it.", "gold");
  else if (hasPast) line(box, "The break cannot have come from it.", "faint");
  const now = states(who[i], at[i]);
  if (now.length) line(box, `${from} then: ${now.join("; ")}`, "faint");
  line(box, "Bright in the picture: all that it may have come from.", "faint");
}
// states are the bars of a lane at an instant.
const states = (lane, t) => data.bars.filter(b => b[0] === lane && b[2] <= t && t < b[2] + b[3]).map(b => data.barTexts[b[4]]);

// listed are the rows of the list: what is in view, and matches.
const mostListed = 300;
function list() {
  const rows = [];
  let more = 0;
  for (const i of hits) {
    if (!isVisible(i) || !isWanted(i)) continue;
    if (rows.length < mostListed) rows.push(row(i)); else more++;
  }
  if (more) { const li = document.createElement("li"); li.innerHTML = "<span></span><span></span>"; li.append(`and ${more} more: zoom in, or search`); rows.push(li); }
  $("list").replaceChildren(...rows);
  $("in-view").textContent = crowded ? `${inView}: too many to draw each; zoom in` : inView;
}
function row(i) {
  const li = document.createElement("li");
  for (const [name, text] of [["t", brief(at[i])], ["w", isMessage(i) ? `${laneName(who[i])} → ${laneName(peer[i])}` : laneName(who[i])], ["x", textOf(i)]]) {
    const s = document.createElement("span");
    s.className = name;
    s.textContent = text;
    if (name === "w") s.style.color = kindColor[kind[i]];
    li.append(s);
  }
  li.title = textOf(i);
  li.dataset.i = i;
  if (i === view.selected) li.className = "on";
  return li;
}
let later = 0;
function onDraw() {
  clearTimeout(later);
  later = setTimeout(list, 60);
}

function chips(parent, names, on, swatch, counts, changed) {
  const buttons = names.map((name, k) => {
    const b = document.createElement("button");
    b.className = "chip";
    b.dataset.name = name;
    if (swatch(k)) { const i = document.createElement("i"); i.style.background = swatch(k); b.append(i); }
    b.append(name);
    if (counts[k] !== undefined) { const n = document.createElement("small"); n.textContent = counts[k]; b.append(n); }
    b.addEventListener("click", e => {
      const alone = e.altKey && !(on[k] && on.reduce((a, v) => a + v) === 1);
      if (e.altKey) on.fill(alone ? 0 : 1);
      on[k] = e.altKey ? 1 : 1 - on[k];
      changed();
      mark();
    });
    b.hidden = counts[k] === 0;
    return b;
  });
  const mark = () => buttons.forEach((b, k) => b.setAttribute("aria-pressed", !!on[k]));
  const all = document.createElement("button");
  all.className = "chip";
  all.textContent = "all / none";
  all.addEventListener("click", () => { on.fill(on.every(v => v) ? 0 : 1); changed(); mark(); });
  mark();
  parent.append(all, ...buttons);
}

// nearest is the entry that is drawn nearest to a point of the canvas; -1: none is near.
function nearest(px, py) {
  let best = -1, least = 8;
  for (let i = 0; i < size; i++) {
    if (!isVisible(i) || !isWanted(i)) continue;
    let d;
    if (isMessage(i)) {
      if (crowded) continue;
      const [x0, y0, x1, y1] = ends(i), l = (x1 - x0) ** 2 + (y1 - y0) ** 2;
      const s = Math.max(0, Math.min(1, l ? ((px - x0) * (x1 - x0) + (py - y0) * (y1 - y0)) / l : 0));
      d = Math.hypot(px - x0 - s * (x1 - x0), py - y0 - s * (y1 - y0)) + 1; // marks lie above arrows
    } else d = Math.hypot(px - x(view.sent[i]), py - baseline(who[i]));
    if (view.hasMarks && view.marks[i] === ASIDE) d += 2;
    if (data.kinds[kind[i]] === "break") d -= 3;
    if (d <= least) { least = d; best = i; } // the later one is drawn above
  }
  return best;
}
// barAt tells of bars and faults where there is no event.
function barAt(px, py) {
  const t = view.from + (px - gutter) / (width - gutter) * (view.to - view.from);
  const lane = place.findIndex(p => p && py >= p.y && py < p.y + p.h);
  const box = $("event");
  box.replaceChildren();
  if (lane < 0) return;
  line(box, `${laneName(lane)} at ${brief(t)} s`, "faint");
  const near = 4 / (width - gutter) * (view.to - view.from);
  data.bands.forEach(([from, to, text, on], n) => { if ((lane === 0 || on.includes(lane)) && from - near <= t && t <= to + near) line(box, `fault ${n + 1}, ${brief(from)} to ${brief(to)} s: ${text}`, "bad"); });
  for (const [l, , from, long, text] of data.bars) {
    if (l !== lane || t < along(l, from) || t > along(l, from + long)) continue;
    const mine = own(l, from + long) - own(l, from);
    line(box, `${data.barTexts[text]}: ${brief(from)} to ${brief(from + long)} s, ${brief(long)} s of true time, ${brief(mine)} s by its own clock`);
  }
}

function pointer() {
  let drag;
  lanes.addEventListener("pointerdown", e => {
    drag = { x: e.offsetX, y: e.clientY, from: view.from, to: view.to, top: scroll.scrollTop, moved: false };
    lanes.setPointerCapture(e.pointerId);
  });
  lanes.addEventListener("pointermove", e => {
    if (!drag) return;
    const dx = e.offsetX - drag.x, dy = e.clientY - drag.y, per = (drag.to - drag.from) / (width - gutter);
    drag.moved ||= Math.abs(dx) + Math.abs(dy) > 4;
    if (drag.moved) { show(drag.from - dx * per, drag.to - dx * per); scroll.scrollTop = drag.top - dy; }
  });
  lanes.addEventListener("pointerup", e => {
    if (drag && !drag.moved) { const i = nearest(e.offsetX, e.offsetY); select(i, false); if (i < 0) barAt(e.offsetX, e.offsetY); }
    drag = undefined;
  });
  lanes.addEventListener("wheel", e => {
    const px = e.offsetX, t = view.from + (px - gutter) / (width - gutter) * (view.to - view.from);
    if (px < gutter) return;
    e.preventDefault();
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) move((e.deltaX || e.deltaY) / (width - gutter));
    else zoom(1.0015 ** e.deltaY, t);
  }, { passive: false });
  lanes.addEventListener("dblclick", e => zoom(1 / 3, view.from + (e.offsetX - gutter) / (width - gutter) * (view.to - view.from)));
  const jump = e => {
    const t = (e.offsetX - gutter) / (width - gutter) * data.end, long = view.to - view.from;
    show(t - long / 2, t + long / 2);
  };
  overview.addEventListener("pointerdown", e => { overview.setPointerCapture(e.pointerId); jump(e); });
  overview.addEventListener("pointermove", e => { if (e.buttons) jump(e); });
}

const keys = {
  ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: whole, b: toBreak,
  "/": () => $("search").focus(), n: () => step1(1), p: () => step1(-1), j: () => onMachine(1), k: () => onMachine(-1), Escape: () => select(-1),
  s: () => center(at, who), r: () => center(got, peer),
};
// center moves to one end of the selected message.
function center(times, ends) {
  const i = view.selected;
  if (i < 0 || !isMessage(i) || times[i] < 0) return;
  const t = along(ends[i], times[i]), long = view.to - view.from;
  show(t - long / 2, t + long / 2);
}

function legend() {
  const rows = [
    ["#0072b2", "leads, in the color of the replica; paler: follows that one; below: master of an epoch"], [themes.light.lease, "read authority (master lease); the thin bar below by the replica's own clock"],
    [themes.light.safe, "session safe"], [themes.light.jeopardy, "session in jeopardy"], [themes.light.expired, "session expired; gray: it was closed"], [themes.light.lock, "holds a lock, as it believes"],
    ["repeating-linear-gradient(135deg, #8883 0 4px, #888 4px 5px)", "down, or paused"], ["#c2262d40", "a fault, with its number; what it touches"],
    [themes.light.gold, "told by the story; pale is what the break cannot have come from"], ["repeating-linear-gradient(90deg, #888 0 3px, transparent 3px 6px)", "✕: the message never came"],
  ];
  for (const [background, text] of rows) {
    const s = document.createElement("span"), i = document.createElement("i");
    i.style.background = background;
    s.append(i, text);
    $("legend-text").append(s);
  }
}

function start() {
  const perKind = new Array(data.kinds.length).fill(0);
  for (let i = 0; i < size; i++) perKind[kind[i]]++;
  const relaid = () => { layout(); filter(); };
  chips($("nodes"), data.lanes.map((l, k) => laneName(k)), laneShown, k => isReplica(k) && colorOfReplica(k), [], relaid);
  chips($("kinds"), data.kinds, kindShown, k => kindColor[k], perKind, filter);
  legend();
  pointer();
  let typed = 0;
  $("search").addEventListener("input", () => { clearTimeout(typed); typed = setTimeout(filter, 120); });
  $("search").addEventListener("keydown", e => { if (e.key === "Enter") { filter(); step1(e.shiftKey ? -1 : 1); } if (e.key === "Escape") { $("search").value = ""; filter(); lanes.focus(); } });
  for (const [id, f] of [["next", () => step1(1)], ["previous", () => step1(-1)], ["closer", keys["+"]], ["wider", keys["-"]], ["whole", whole], ["to-break", toBreak]]) $(id).addEventListener("click", f);
  $("to-break").hidden = data.broke < 0 && !hasPast;
  $("past").addEventListener("change", e => { view.onlyPast = e.target.checked; redraw(); });
  $("own").addEventListener("change", e => {
    view.own = e.target.checked;
    view.sent = view.own ? at.map((t, i) => own(who[i], t)) : at;
    view.came = view.own ? got.map((t, i) => t < 0 ? t : own(peer[i], t)) : got;
    redraw();
  });
  for (const id of ["list", "told"]) $(id)?.addEventListener("click", e => { const li = e.target.closest("li[data-i]"); if (li) select(Number(li.dataset.i), true); });
  addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || /INPUT|TEXTAREA/.test(e.target.tagName) && e.target.type !== "checkbox" || !keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  });
  addEventListener("resize", () => { layout(); redraw(); });
  dark.addEventListener("change", redraw);
  document.querySelectorAll("details").forEach(d => d.addEventListener("toggle", () => { layout(); redraw(); }));
  layout();
  filter();
  const picked = [];
  for (let i = 0; i < size; i++) if (mark[i] === PICKED) picked.push(row(i));
  if (picked.length) $("told").append(...picked);
  if (data.broke >= 0 || hasPast) toBreak(); else whole();
  draw();
}
start();
