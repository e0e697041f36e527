package page

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/story"
)

// data is what a page draws.
type data struct {
	end     time.Duration
	broke   time.Duration // true time; never: nothing broke on a machine
	lanes   []sim.Addr    // 0, the cell, is the first
	names   map[sim.Addr]string
	clocks  map[sim.Addr]*clock
	entries []entry
	bars    []bar
	bands   []band
}

// data returns the data of a finished run.
func (r *Recorder) data(words *faultWords, s *story.Story) *data {
	d := &data{end: r.end, broke: never, clocks: map[sim.Addr]*clock{}, bands: words.bands()}
	if r.log.Broke >= 0 {
		d.broke = r.log.All[r.log.Broke].At
	}
	seen := map[sim.Addr]bool{0: true}
	for i := range r.log.All {
		m := &r.log.All[i]
		if seen[m.Who], seen[m.Peer] = true, true; m.Who == 0 {
			continue
		}
		if d.clocks[m.Who] == nil {
			d.clocks[m.Who] = &clock{}
		}
		d.clocks[m.Who].note(m)
	}
	for who := range seen {
		d.lanes = append(d.lanes, who)
	}
	slices.Sort(d.lanes)
	r.bars.settle(r.end, d.clocks)
	d.bars = r.bars.all
	d.entries = r.entries(s, words)
	return d
}

// coded is the JSON form of the data. Times are microseconds. A row has one number for each entry; some rows have
// differences, because these are shorter.
type coded struct {
	End    int64       `json:"end"`
	Broke  int64       `json:"broke"` // -1: nothing broke on a machine
	Lanes  []codedLane `json:"lanes"`
	Kinds  []string    `json:"kinds"`
	Others int         `json:"others"` // the first kinds, this many, are not messages
	Texts  []string    `json:"texts"`  // with a \u0000 for each argument
	Args   []any       `json:"args"`   // the arguments of all entries, one after the other
	// Rows of the entries.
	At   []int64  `json:"at"`   // difference from the entry before
	Step []uint64 `json:"step"` // difference from the last known step, plus 1; 0: unknown
	Who  []int    `json:"who"`  // lane
	Kind []int    `json:"kind"`
	Text []int    `json:"text"`
	Peer []int    `json:"peer"` // lane; -1: not a message
	Got  []int64  `json:"got"`  // how long a message took; -1: it never came
	Fate string   `json:"fate"` // a digit for each entry
	Mark string   `json:"mark"` // a digit for each entry

	BarKinds []string  `json:"barKinds"`
	Bars     [][]int64 `json:"bars"`  // lane, kind, from, length, text, lane of the leader
	Bands    [][]any   `json:"bands"` // from, to, text, lanes
	BarTexts []string  `json:"barTexts"`
}

type codedLane struct {
	Name    string    `json:"name"`
	Replica bool      `json:"replica,omitempty"`
	Clock   [][]int64 `json:"clock"` // points: true time, own time minus true time
	Lives   [][]int64 `json:"lives"` // true time of the start, reading minus own time
}

// table numbers texts: equal texts have the same number.
type table struct {
	texts []string
	at    map[string]int
}

func (t *table) number(s string) int {
	n, ok := t.at[s]
	if !ok {
		if t.at == nil {
			t.at = map[string]int{}
		}
		n = len(t.texts)
		t.texts = append(t.texts, s)
		t.at[s] = n
	}
	return n
}

// argument matches a word with a digit. Many texts differ only in such words.
var argument = regexp.MustCompile(`\w*\d\w*`)

// largest bounds the numbers that a browser reads without loss.
const largest = 1 << 53

// argumentOf returns a word as a number if the number prints as the same word, else the word. A number is shorter in
// JSON.
func argumentOf(word string) any {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil && n < largest && strconv.FormatInt(n, 10) == word {
		return n
	}
	return word
}

func micros(d time.Duration) int64 { return int64(d / time.Microsecond) }

// encode returns the JSON of the data.
func (d *data) encode() []byte {
	c := coded{End: micros(d.end), Broke: -1, Kinds: slices.Clone(notMessages), Others: len(notMessages), Args: []any{},
		At: []int64{}, Step: []uint64{}, Who: []int{}, Kind: []int{}, Text: []int{}, Peer: []int{}, Got: []int64{}, BarKinds: []string{}, Bars: [][]int64{}, Bands: [][]any{}}
	if d.broke != never {
		c.Broke = micros(d.broke)
	}
	for _, who := range d.lanes {
		c.Lanes = append(c.Lanes, d.lane(who))
	}
	d.rows(&c)
	d.shapes(&c)
	all, err := json.Marshal(&c)
	if err != nil {
		panic(err) // numbers and texts
	}
	return all
}

func (d *data) laneOf(who sim.Addr) int {
	i, _ := slices.BinarySearch(d.lanes, who)
	return i
}

func (d *data) lane(who sim.Addr) codedLane {
	l := codedLane{Name: who.String(), Clock: [][]int64{}, Lives: [][]int64{}}
	if name, has := d.names[who]; has {
		l.Name = name
	} else {
		l.Replica = who != 0 && !who.IsClient()
		if who == 0 {
			l.Name = "cell"
		}
	}
	if k := d.clocks[who]; k != nil {
		for i := range k.lives {
			first := k.lives[i].began()
			shift := first.local - first.at
			l.Lives = append(l.Lives, []int64{micros(first.at), micros(shift)})
			for _, p := range k.lives[i].points() {
				l.Clock = append(l.Clock, []int64{micros(p.at), micros(p.local - shift - p.at)})
			}
		}
	}
	return l
}

// rows fills in the rows of the entries.
func (d *data) rows(c *coded) {
	kinds := table{at: map[string]int{}}
	for _, k := range notMessages {
		kinds.number(k)
	}
	texts := table{texts: []string{}}
	var at int64
	var step uint64
	fates, marks := make([]byte, len(d.entries)), make([]byte, len(d.entries))
	for i := range d.entries {
		e := &d.entries[i]
		c.At = append(c.At, micros(e.at)-at)
		at = micros(e.at)
		if e.step < step || e.step == 0 {
			c.Step = append(c.Step, 0)
		} else {
			c.Step = append(c.Step, e.step-step+1)
			step = e.step
		}
		c.Who, c.Kind = append(c.Who, d.laneOf(e.who)), append(c.Kind, kinds.number(e.kind))
		c.Text = append(c.Text, texts.number(argument.ReplaceAllStringFunc(strings.ReplaceAll(e.text, "\x00", "?"), func(word string) string {
			c.Args = append(c.Args, argumentOf(word))
			return "\x00"
		})))
		peer, got := -1, int64(-1)
		if e.peer != 0 {
			peer = d.laneOf(e.peer)
		}
		if e.got != never {
			got = micros(e.got) - micros(e.at)
		}
		c.Peer, c.Got = append(c.Peer, peer), append(c.Got, got)
		fates[i], marks[i] = '0'+byte(e.fate), '0'+byte(e.mark)
	}
	c.Kinds, c.Texts, c.Fate, c.Mark = kinds.texts, texts.texts, string(fates), string(marks)
}

// shapes fills in bars and bands.
func (d *data) shapes(c *coded) {
	kinds, texts := table{texts: []string{}}, table{texts: []string{}}
	for i := range d.bars {
		b := &d.bars[i]
		c.Bars = append(c.Bars, []int64{
			int64(d.laneOf(b.who)), int64(kinds.number(b.kind)), micros(b.from), micros(b.to) - micros(b.from), int64(texts.number(b.text)), int64(d.laneOf(b.by)),
		})
	}
	for i := range d.bands {
		b := &d.bands[i]
		lanes := make([]int, len(b.on))
		for j, who := range b.on {
			lanes[j] = d.laneOf(who)
		}
		c.Bands = append(c.Bands, []any{micros(b.from), micros(b.to), b.text, lanes})
	}
	c.BarKinds, c.BarTexts = kinds.texts, texts.texts
}
