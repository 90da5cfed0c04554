package trnbackend

import (
	"encoding/binary"
	"fmt"
	"math"

	"trnsci/core/precision"
	"trnsci/trnbackend/graph"
)

// Encode returns numbers as the bytes of a buffer, rounded to the type: little-endian, bf16 as the upper half of a
// single, predicates as a byte.
func Encode(d graph.DType, x []float64) []byte {
	data := make([]byte, 0, len(x)*d.Bytes())
	for _, v := range x {
		v = d.Round(v)
		switch d {
		case graph.F32:
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
		case graph.BF16:
			data = binary.LittleEndian.AppendUint16(data, precision.BF16Bits(v))
		case graph.S32:
			data = binary.LittleEndian.AppendUint32(data, uint32(int32(v)))
		case graph.Pred:
			data = append(data, byte(v))
		case graph.F64:
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
	}
	return data
}

// Decode is the inverse of Encode; any byte but 0 is a predicate that holds. It panics if data does not hold whole
// elements.
func Decode(d graph.DType, data []byte) []float64 {
	size := d.Bytes()
	if len(data)%size != 0 {
		panic(fmt.Sprintf("trnbackend: %d bytes of type %s", len(data), d))
	}
	x := make([]float64, len(data)/size)
	for i := range x {
		at := data[i*size:]
		switch d {
		case graph.F32:
			x[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(at)))
		case graph.BF16:
			x[i] = precision.FromBF16Bits(binary.LittleEndian.Uint16(at))
		case graph.S32:
			x[i] = float64(int32(binary.LittleEndian.Uint32(at)))
		case graph.Pred:
			x[i] = d.Round(float64(at[0]))
		case graph.F64:
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(at))
		}
	}
	return x
}
