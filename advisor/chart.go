package advisor

// Chart is the data of a picture: what an adapter that can draw needs, in
// words of the reply's language. The part that carries it says the same as
// text, so a chat without pictures loses nothing.
type Chart struct {
	Kind  string  `json:"kind"`  // lines bands
	Title string  `json:"title"` // what it shows
	X     string  `json:"x"`     // name of the axis, with its unit
	Y     string  `json:"y"`
	Lines []Line  `json:"lines,omitempty"`
	Bands []Bar   `json:"bands,omitempty"`
	Marks []Mark  `json:"marks,omitempty"`
	Foot  string  `json:"foot,omitempty"` // date and source of the figures
	MaxX  float64 `json:"max_x,omitempty"`
}

// Line is one curve. Low and High, when given, are the edges of its
// uncertainty at the same X.
type Line struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
	Low  []float64 `json:"low,omitempty"`
	High []float64 `json:"high,omitempty"`
	Dash bool      `json:"dash,omitempty"` // a guess is in it
}

// At is the height of the curve at x: straight between its points, level beyond
// its ends. Of two points at the same x, the first counts.
func (l Line) At(x float64) float64 {
	for i, at := range l.X {
		switch {
		case i >= len(l.Y):
			return 0
		case at < x && i+1 < len(l.X):
			continue
		case at <= x || i == 0 || at == l.X[i-1]:
			return l.Y[i]
		}
		return l.Y[i-1] + (l.Y[i]-l.Y[i-1])*(x-l.X[i-1])/(at-l.X[i-1])
	}
	return 0
}

// Bar is a range of prices.
type Bar struct {
	Name string  `json:"name"`
	Lo   float64 `json:"lo"`
	Mid  float64 `json:"mid"`
	Hi   float64 `json:"hi"`
	Note string  `json:"note,omitempty"` // its date
	Weak bool    `json:"weak,omitempty"` // too old to decide
}

// Mark is a point with a name.
type Mark struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Label string  `json:"label"`
}
