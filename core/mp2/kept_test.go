package mp2

import (
	"path/filepath"
	"testing"
)

func (r resumable) spins() []Spin {
	a, _ := counted[float64](r.alpha)
	if r.beta.nocc == 0 {
		return []Spin{{Source: a, Occ: r.alpha.occ, Vir: r.alpha.vir}}
	}
	b, _ := counted[float64](r.beta)
	return []Spin{{Name: "alpha", Source: a, Occ: r.alpha.occ, Vir: r.alpha.vir}, {Name: "beta", Source: b, Occ: r.beta.occ, Vir: r.beta.vir}}
}

// The records of the first pass are those whose list is one of pairs: they are counted in the bytes of the file here.
func TestKept(t *testing.T) {
	for _, r := range resumables() {
		t.Run(r.name, func(t *testing.T) {
			all := triangular(r.alpha.nocc, 0) + triangular(r.beta.nocc, 0) + r.alpha.nocc*r.beta.nocc
			r.opt.Checkpoint = filepath.Join(t.TempDir(), "none")
			if kept, pairs, err := Kept(r.opt, r.spins()...); kept != 0 || pairs != all || err != nil || !absent(r.opt.Checkpoint) {
				t.Errorf("without a file: %d of %d, %v", kept, pairs, err)
			}
			path, content := stopped(t, r, 1)
			r.opt.Checkpoint = path
			for _, end := range []int{len(content), len(content) - 1} { // the last record may be cut short
				want := 0
				for record := content[len(jobOf(r.opt, r.spins()).header()):end]; len(record) >= recordBytes; record = record[recordBytes:] {
					if list := record[0] & (1<<listBits - 1); list < parts {
						want++
					}
				}
				write(t, path, content[:end])
				kept, pairs, err := Kept(r.opt, r.spins()...)
				if kept != want || kept == 0 || kept > all || pairs != all || err != nil {
					t.Errorf("%d of %d, %v, not %d", kept, pairs, err, want)
				}
			}
			write(t, path, content[:10])
			if kept, _, err := Kept(r.opt, r.spins()...); kept != 0 || err != nil {
				t.Errorf("part of a header: %d, %v", kept, err)
			}
			write(t, path, []byte("a letter"))
			_, _, err := Kept(r.opt, r.spins()...)
			argument(t, "another file", err, "checkpoint", "not a checkpoint")
		})
	}
}
