"use strict";
// The data of the page, as sim/page/encode.go writes them, and what follows from them.
// Times are microseconds since the run began.
const data = JSON.parse(document.getElementById("data").textContent);
const size = data.at.length;
const at = new Float64Array(size), step = new Float64Array(size), got = new Float64Array(size); // got: -1, it never came
const who = Int16Array.from(data.who), peer = Int16Array.from(data.peer), kind = Int16Array.from(data.kind);
const fate = Uint8Array.from(data.fate, Number), mark = Uint8Array.from(data.mark, Number);
const firstArg = new Int32Array(size);
const [CAME, AGAIN, LOST, DROPPED] = [0, 1, 2, 3];
const [ASIDE, PAST, PICKED] = [0, 1, 2];
{
  const args = data.texts.map(text => text.split("\0").length - 1);
  let t = 0, s = 0, a = 0;
  for (let i = 0; i < size; i++) {
    at[i] = t += data.at[i];
    if (data.step[i] > 0) step[i] = s += data.step[i] - 1;
    got[i] = data.got[i] < 0 ? -1 : t + data.got[i];
    firstArg[i] = a;
    a += args[data.text[i]];
  }
}
const isMessage = i => peer[i] >= 0;
const laneName = lane => data.lanes[lane].name;
const isReplica = lane => data.lanes[lane].replica;
const hasPast = data.mark.includes("1") || data.mark.includes("2");

// textOf is the text of an entry.
function textOf(i) {
  let a = firstArg[i];
  return data.texts[data.text[i]].replace(/\0/g, () => data.args[a++]);
}

// hay is what a search looks into.
const hays = [];
function hay(i) {
  return hays[i] ??= ` ${laneName(who[i])} ${isMessage(i) ? laneName(peer[i]) : ""} ${data.kinds[kind[i]]} ${textOf(i)} `.toLowerCase();
}

// lastBefore is the last row whose first number is at most t; -1: there is none.
function lastBefore(rows, t) {
  let low = 0, high = rows.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (rows[mid][0] <= t) low = mid + 1; else high = mid;
  }
  return low - 1;
}

// own is an instant by the clock of a lane, which agrees with true time when its machine starts.
function own(lane, t) {
  const points = data.lanes[lane].clock, i = lastBefore(points, t);
  if (i < 0) return t;
  const [t0, d0] = points[i];
  if (i + 1 === points.length) return t + d0;
  const [t1, d1] = points[i + 1];
  if (data.lanes[lane].lives.some(life => life[0] === t1 && life[0] > t0)) return t + d0; // it was down then
  return t + d0 + (d1 - d0) * (t - t0) / (t1 - t0);
}

// reading is what the clock of a lane says; undefined: it has none.
function reading(lane, t) {
  const lives = data.lanes[lane].lives, i = lastBefore(lives, t);
  return i < 0 ? undefined : own(lane, t) + lives[i][1];
}

// arrivals are the messages that came, the latest coming first.
const arrivals = [];
for (let i = 0; i < size; i++) if (isMessage(i) && got[i] >= 0) arrivals.push(i);
arrivals.sort((a, b) => got[b] - got[a] || b - a);

// pastOf marks all that an event may have come from: what was before it on its machine, and the
// sending of what came there.
function pastOf(event) {
  const until = new Float64Array(data.lanes.length).fill(-1);
  const came = isMessage(event) && got[event] >= 0;
  until[who[event]] = at[event];
  if (came) until[peer[event]] = got[event];
  const marks = new Uint8Array(size);
  for (const i of arrivals) {
    if (got[i] > until[peer[i]]) continue;
    marks[i] = PAST;
    if (at[i] > until[who[i]]) until[who[i]] = at[i];
  }
  for (let i = 0; i < size; i++) if (!(isMessage(i) && got[i] >= 0) && at[i] <= until[who[i]]) marks[i] = PAST;
  marks[event] = PICKED;
  return marks;
}

const seconds = t => (t / 1e6).toFixed(t % 1000 ? 6 : 3);
const brief = t => (t / 1e6).toFixed(3);
