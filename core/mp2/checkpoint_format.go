package mp2

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"io"
	"math"
	"runtime"
	"strings"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// A checkpoint is a header and records. The header is lines of text: the format, "name = value" for all that the job's bits depend on, and the
// checksum of the lines before. Each record has recordBytes bytes, little-endian:
//
//	8  the list, in the lowest listBits bits, and the number in it
//	24 three numbers: a pair's opposite-spin and same-spin energy and the bound on their error, float64;
//	   or the CRC-32C of an orbital's integrals as the products take them, and zeros
//	8  CRC-64 (ECMA) of the header and the 32 bytes before
//
// The format's number changes when the layout does, and when the bits of a pair's energies do for reasons that the header does not name.
const (
	formatName  = "trnsci DF-MP2 checkpoint, format "
	formatLine  = formatName + "1\n"
	checksumKey = "checksum = "
	maxHeader   = 4096
	recordBytes = 40
	listBits    = 4
)

// Lists of records.
const (
	pairLists = 2 * parts
	lists     = pairLists + 2*2
)

// pairList returns the list of the pairs of a part of contributions.
func pairList(pass, part int) int { return pass*parts + part }

// orbitalList returns the list of the orbitals of a spin, whose integrals each pass takes in its own dtype.
func orbitalList(pass, spin int) int { return pairLists + pass*2 + spin }

// record is what one pair adds, or the checksum of one orbital's integrals.
type record struct {
	list, number int
	values       [3]uint64
}

var polynomial = crc64.MakeTable(crc64.ECMA)

// checksum continues a checksum.
func checksum(before uint64, data []byte) uint64 { return crc64.Update(before, polynomial, data) }

// append appends the bytes of r for the job with this checksum.
func (r record) append(to []byte, job uint64) []byte {
	begin := len(to)
	to = binary.LittleEndian.AppendUint64(to, uint64(r.number)<<listBits|uint64(r.list))
	for _, x := range r.values {
		to = binary.LittleEndian.AppendUint64(to, x)
	}
	return binary.LittleEndian.AppendUint64(to, checksum(job, to[begin:]))
}

// parseRecord returns the record of the bytes, or false if they are none.
func parseRecord(data []byte, job uint64) (r record, ok bool) {
	body, sum := data[:recordBytes-8], binary.LittleEndian.Uint64(data[recordBytes-8:])
	if checksum(job, body) != sum {
		return record{}, false
	}
	place := binary.LittleEndian.Uint64(body)
	r.list, r.number = int(place&(1<<listBits-1)), int(place>>listBits)
	for n := range r.values {
		r.values[n] = binary.LittleEndian.Uint64(body[8*(n+1):])
	}
	return r, true
}

// scan calls visit for the whole records of the file and returns where they end. What is damaged behind the last whole one is what a write that was
// interrupted leaves; damage before a whole one is an error.
func (k *checkpoint) scan(visit func(record)) (end int64, err error) {
	in := bufio.NewReader(io.NewSectionReader(k.file, k.head, math.MaxInt64-k.head))
	data := make([]byte, recordBytes)
	end = k.head
	for at := k.head; ; at += recordBytes {
		_, err := io.ReadFull(in, data)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return end, nil
		}
		if err != nil {
			return 0, fmt.Errorf("checkpoint: %w", err)
		}
		r, ok := parseRecord(data, k.job)
		if !ok {
			continue
		}
		if at != end || r.list >= lists || r.number >= k.lengths[r.list] {
			return 0, dense.BadArgument("checkpoint", "'%s' is damaged at byte %d; remove it to begin anew", k.path, end)
		}
		visit(r)
		end = at + recordBytes
	}
}

// job is all that the bits of a call's contributions depend on, integrals excepted, as names and values.
type job []struct{ name, value string }

func (j *job) add(name string, value any) {
	*j = append(*j, struct{ name, value string }{name, fmt.Sprint(value)})
}

// jobOf describes a call. Neither threads nor memory are in it.
func jobOf(opt Options, spins []Spin) job {
	var j job
	sources := make([]Source, len(spins))
	for n, s := range spins {
		sources[n] = s.Source
	}
	j.add("spins", len(spins))
	j.add("products", floatName(opt.single(sources...)))
	j.add("etol", opt.Tolerance)
	j.add("check_finite", !opt.SkipFiniteCheck)
	j.add("kernels", runtime.GOARCH+" "+kernel.Best().String())
	for _, s := range spins {
		of := ofSpin(s.Name)
		nocc, nvir, naux := s.Source.Shape()
		j.add("nocc"+of, nocc)
		j.add("nvir"+of, nvir)
		j.add("naux"+of, naux)
		j.add("dtype of B"+of, floatName(s.Source.singlePrecision()))
		j.add("fastest axis of B"+of, map[bool]string{false: "P", true: "a"}[s.Source.operand64().alongA])
		j.add("SHA-256 of eps_occ"+of, fingerprint(s.Occ))
		j.add("SHA-256 of eps_vir"+of, fingerprint(s.Vir))
	}
	return j
}

func floatName(single bool) string { return map[bool]string{false: "float64", true: "float32"}[single] }

func fingerprint(values []float64) string {
	hash := sha256.New()
	for _, x := range values {
		hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// header returns the header of the job's checkpoint.
func (j job) header() []byte {
	text := formatLine
	for _, f := range j {
		text += f.name + " = " + f.value + "\n"
	}
	return fmt.Appendf(nil, "%s%s%016x\n", text, checksumKey, checksum(0, []byte(text)))
}

// compare returns the error for a file that begins with have and is not the checkpoint of the job.
func (j job) compare(path string, have []byte) error {
	if bytes.HasPrefix(have, j.header()) {
		return nil
	}
	bad := func(format string, values ...any) error {
		return dense.BadArgument("checkpoint", "'%s' "+format+"; it is left as it is", append([]any{path}, values...)...)
	}
	if !bytes.HasPrefix(have, []byte(formatLine)) {
		if bytes.HasPrefix(have, []byte(formatName)) {
			return bad("is of another version")
		}
		return bad("is not a checkpoint")
	}
	text, rest, found := strings.Cut(string(have), checksumKey)
	if want := fmt.Sprintf("%016x\n", checksum(0, []byte(text))); !found || !strings.HasPrefix(rest, want) {
		return bad("is damaged in its header")
	}
	there := map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		if name, value, ok := strings.Cut(line, " = "); ok {
			there[name] = value
		}
	}
	var differences []string
	for _, f := range j {
		if value, ok := there[f.name]; !ok {
			differences = append(differences, fmt.Sprintf("%s is not in it", f.name))
		} else if value != f.value {
			differences = append(differences, fmt.Sprintf("%s is %s there and %s here", f.name, value, f.value))
		}
	}
	return bad("belongs to another job: %s", strings.Join(differences, ", "))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// orbitalChecksum returns the CRC-32C of the elements of an orbital, in their stored order. A cancelled team leaves it unfinished.
func orbitalChecksum[T dense.Scalar](team *sched.Team, m dense.Matrix[T]) uint32 {
	sum := uint32(0)
	for r := 0; r < m.Rows && team.Err() == nil; r++ {
		row := m.Row(r)
		data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(row))), len(row)*int(elementBytes[T]()))
		sum = crc32.Update(sum, castagnoli, data)
	}
	return sum
}
