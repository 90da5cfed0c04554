package deferred

// Span is the rows, or columns, from From on and before End.
type Span struct{ From, End int }

// Strips returns how many strips of the given width the span touches. Strips begin at multiples of the width, so that
// they begin with a cache line.
func (s Span) Strips(width int) int {
	if s.From >= s.End {
		return 0
	}
	return (s.End+width-1)/width - s.From/width
}

// Strip returns the part of the span that lies in its i-th strip.
func (s Span) Strip(i, width int) Span {
	first := (s.From/width + i) * width
	return Span{max(s.From, first), min(s.End, first+width)}
}
