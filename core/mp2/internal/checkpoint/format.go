package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"math"
	"strings"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// A checkpoint is a header and records. The header is lines of text: the format, "name = value" for everything that the
// bits of a job depend on, and the checksum of the lines before. Each record has RecordBytes bytes, little-endian:
//
//	8  the list, in the lowest listBits bits, and the number in it
//	24 three numbers: float64 of a pair; or a CRC-32C and zeros
//	8  CRC-64 (ECMA) of the header and the 32 bytes before
//
// The number of the format changes with the layout, and if the bits of a pair change for reasons that the header does
// not name.
const (
	formatName  = "trnsci DF-MP2 checkpoint, format "
	formatLine  = formatName + "1\n"
	checksumKey = "checksum = "
	maxHeader   = 4096
	// RecordBytes are the bytes of a record.
	RecordBytes = 40
	listBits    = 4
)

// record is the result of a pair, or a checksum.
type record struct {
	list, number int
	values       [3]uint64
}

func floats(words [3]uint64) (x [3]float64) {
	for n, w := range words {
		x[n] = math.Float64frombits(w)
	}
	return x
}

func words(floats [3]float64) (w [3]uint64) {
	for n, x := range floats {
		w[n] = math.Float64bits(x)
	}
	return w
}

var polynomial = crc64.MakeTable(crc64.ECMA)

// checksum continues a checksum.
func checksum(before uint64, data []byte) uint64 { return crc64.Update(before, polynomial, data) }

// append appends the bytes of r for the job with a checksum.
func (r record) append(to []byte, jobSum uint64) []byte {
	begin := len(to)
	to = binary.LittleEndian.AppendUint64(to, uint64(r.number)<<listBits|uint64(r.list))
	for _, x := range r.values {
		to = binary.LittleEndian.AppendUint64(to, x)
	}
	return binary.LittleEndian.AppendUint64(to, checksum(jobSum, to[begin:]))
}

// parseRecord returns the record with these bytes, or false if their checksum is wrong.
func parseRecord(data []byte, jobSum uint64) (r record, ok bool) {
	body, sum := data[:RecordBytes-8], binary.LittleEndian.Uint64(data[RecordBytes-8:])
	if checksum(jobSum, body) != sum {
		return record{}, false
	}
	place := binary.LittleEndian.Uint64(body)
	r.list, r.number = int(place&(1<<listBits-1)), int(place>>listBits)
	for n := range r.values {
		r.values[n] = binary.LittleEndian.Uint64(body[8*(n+1):])
	}
	return r, true
}

// Job is everything that the bits of a call's results depend on, except for the integrals, as names and values.
type Job []struct{ name, value string }

// Add appends a name and a value.
func (j *Job) Add(name string, value any) {
	*j = append(*j, struct{ name, value string }{name, fmt.Sprint(value)})
}

// AddFingerprint appends the SHA-256 of some numbers.
func (j *Job) AddFingerprint(name string, values []float64) {
	hash := sha256.New()
	for _, x := range values {
		hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
	}
	j.Add("SHA-256 of "+name, fmt.Sprintf("%x", hash.Sum(nil)))
}

// header returns the header of the job's checkpoint.
func (j Job) header() []byte {
	text := formatLine
	for _, f := range j {
		text += f.name + " = " + f.value + "\n"
	}
	return fmt.Appendf(nil, "%s%s%016x\n", text, checksumKey, checksum(0, []byte(text)))
}

// compare returns an error if have, the beginning of a file, is not the header of the job.
func (j Job) compare(path string, have []byte) error {
	if bytes.HasPrefix(have, j.header()) {
		return nil
	}
	bad := func(format string, values ...any) error {
		return dense.BadArgument("checkpoint", "'%s' "+format+"; it is left as it is",
			append([]any{path}, values...)...)
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

// Sum returns the CRC-32C of the elements of a matrix, in their stored order. It is unfinished if the team is
// cancelled.
func Sum[T dense.Scalar](team *sched.Team, m dense.Matrix[T]) uint32 {
	sum := uint32(0)
	for r := 0; r < m.Rows && team.Err() == nil; r++ {
		row := m.Row(r)
		data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(row))), len(row)*dense.Bytes[T]())
		sum = crc32.Update(sum, castagnoli, data)
	}
	return sum
}
