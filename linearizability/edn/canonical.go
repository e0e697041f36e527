package edn

import (
	"math/big"
	"strconv"
	"strings"
)

// Canonical returns a text of the form. Two forms have the same text exactly if they are equal by Clojure's =. A list
// is written as a vector, a number as the shortest of its kind (integer, ratio, float, decimal), and the items of maps
// and sets are sorted as text.
func (v Value) Canonical() string {
	var b strings.Builder
	v.write(&b, true)
	return b.String()
}

// Equal reports whether two forms are equal by Clojure's =.
func (v *Value) Equal(w *Value) bool {
	if v.Kind == Keyword && w.Kind == Keyword { // the usual case: keys of the maps of a history
		return v.Text == w.Text && v.Tag == w.Tag
	}
	return v.Canonical() == w.Canonical()
}

// canonicalNumber returns the shortest text of a number, from digits that the function number returned.
func canonicalNumber(digits string) string {
	switch {
	case strings.HasSuffix(digits, "M"):
		return decimal(strings.TrimSuffix(digits, "M")) + "M"
	case strings.Contains(digits, "/"):
		r, _ := new(big.Rat).SetString(digits)
		return r.RatString()
	case !strings.ContainsAny(digits, ".eE"):
		return digits
	}
	f, _ := strconv.ParseFloat(digits, 64)
	if f == 0 {
		return "0.0" // and so is -0.0
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// decimal returns a decimal as digits without zeros at either end, and a power of ten. It keeps the exponent, because
// an exponent can be so large that the digits would not fit in memory.
func decimal(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	digits = strings.ToLower(digits)
	mantissa, power, _ := strings.Cut(digits, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent, ok := new(big.Int).SetString(power, 10)
	if !ok {
		exponent = new(big.Int)
	}
	all := strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(all, "0")
	if short == "" {
		return "0"
	}
	exponent.Add(exponent, big.NewInt(int64(len(all)-len(short)-len(fraction))))
	if exponent.Sign() == 0 {
		return sign + short
	}
	return sign + short + "e" + exponent.String()
}
