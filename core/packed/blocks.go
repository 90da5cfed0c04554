package packed

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// DefaultMaxBytes is the memory for blocks of L where a caller's limit is 0.
const DefaultMaxBytes = 256 << 20

const (
	// A block of L that is read ahead has about so many bytes, where the memory limit allows more: what is read before the work begins
	// is waited for.
	blockBytes = 16 << 20

	wordBytes = 8 // of a float64
)

// Pairs returns the elements of a triangle of order nao with its diagonal.
func Pairs(nao int) int { return nao * (nao + 1) / 2 }

// Blocks says how L is read. The zero value has no blocks: L is used in place.
type Blocks struct {
	Width   int // rows of a block, a multiple of the unit of PlanBlocks unless all rows are fewer
	Buffers int // blocks that there is memory for: 2 where one is read while another is worked on
}

// PlanBlocks chooses blocks of whole units of rows for a limit in bytes, of which 0 is DefaultMaxBytes.
//
// It returns a *dense.ArgumentError for a limit below 0, and for one that holds no block, with the least that works.
func PlanBlocks(l Source, unit int, maxBytes int64) (Blocks, error) {
	if maxBytes < 0 {
		return Blocks{}, dense.BadArgument("max_memory", "expected a number of bytes, or 0 for the default, got %d", maxBytes)
	}
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	naux, pairs := l.Shape()
	if _, inPlace := l.InPlace(); inPlace || naux == 0 || pairs == 0 {
		return Blocks{}, nil
	}
	least := min(unit, naux)
	bytesOfUnit := int64(least) * int64(pairs) * wordBytes
	if maxBytes < bytesOfUnit {
		return Blocks{}, dense.BadArgument("max_memory", "%d bytes hold no block of L: %d rows of %d elements need %d bytes",
			maxBytes, least, pairs, bytesOfUnit)
	}
	b := Blocks{Buffers: 2}
	if maxBytes < 2*bytesOfUnit || naux <= unit {
		b.Buffers = 1
	}
	units := max(1, min(maxBytes/int64(b.Buffers), blockBytes)/bytesOfUnit)
	b.Width = int(min(int64(naux), units*int64(unit)))
	return b, nil
}

// Each calls visit for every block of L with its first row, in order: once with all of L where it is used in place. The first error ends
// it; nothing is being loaded any more when it returns.
func (b Blocks) Each(team *sched.Team, l Source, visit func(rows dense.Matrix[float64], first int) error) error {
	if b.Buffers == 0 {
		rows, _ := l.InPlace()
		return visit(rows, 0)
	}
	naux, pairs := l.Shape()
	r := &reader{blocks: b, source: l, team: team, naux: naux, pairs: pairs}
	for range b.Buffers {
		r.buffers = append(r.buffers, dense.New[float64](b.Width, pairs))
	}
	return r.each(visit)
}

// reader hands out L in blocks of rows. While one is worked on the next is loaded, if there is memory for both.
type reader struct {
	blocks      Blocks
	source      Source
	team        *sched.Team
	naux, pairs int
	buffers     []dense.Matrix[float64]
}

func (r *reader) each(visit func(rows dense.Matrix[float64], first int) error) error {
	count := (r.naux + r.blocks.Width - 1) / r.blocks.Width
	load := func(team *sched.Team, n int) error { return r.load(team, n*r.blocks.Width) }
	return r.team.Ahead(count, len(r.buffers) > 1, load, func(n int) error {
		first := n * r.blocks.Width
		return visit(r.block(first), first)
	})
}

// block returns the place of the block that begins with a row.
func (r *reader) block(first int) dense.Matrix[float64] {
	buffer := r.buffers[first/r.blocks.Width%len(r.buffers)]
	return buffer.Slice(0, min(r.blocks.Width, r.naux-first), 0, r.pairs)
}

func (r *reader) load(team *sched.Team, first int) error {
	block := r.block(first)
	return r.source.Copy(team, first, first+block.Rows, block.Data)
}

// CheckFinite returns a *dense.ArgumentError that names the first row of L with an infinity or a NaN, if one of these rows has one;
// the number of the first of them is given. It returns the team's error when the call is cancelled.
func CheckFinite(team *sched.Team, rows dense.Matrix[float64], first int) error {
	if blas.CheckFinite(team, rows.View(), "L") == nil {
		return nil
	}
	return FirstNonFinite(team, rows, first)
}

// FirstNonFinite is CheckFinite for rows that are known to hold an infinity or a NaN, or thought to.
func FirstNonFinite(team *sched.Team, rows dense.Matrix[float64], first int) error {
	if err := team.Err(); err != nil {
		return err
	}
	for p := range rows.Rows {
		if !rows.Slice(p, p+1, 0, rows.Cols).View().AllFinite() {
			return dense.BadArgument("L", "contains infinities or NaNs, the first in row %d", first+p)
		}
	}
	return nil
}
