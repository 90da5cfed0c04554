package precision

import "math"

// A bfloat16 number is the upper half of a float32: one sign bit, eight bits of exponent, and 8 significant binary
// digits of which the first is not stored.
const (
	bf16Digits  = 8
	droppedBits = 16 // bits of a float32 that a bfloat16 number does not have
)

// RoundBF16 returns the bfloat16 number nearest to x, ties to even. It rounds once: by way of a float32 that is rounded
// to odd, whose last bit remembers that x is not halfway between two results (S. Boldo, G. Melquiond, IEEE Trans.
// Comput. 57, 2008).
func RoundBF16(x float64) float64 {
	if x != x || math.IsInf(x, 0) {
		return x
	}
	single := float32(x)
	if math.IsInf(float64(single), 0) {
		return float64(single) // beyond the largest bfloat16 number too
	}
	bits := math.Float32bits(single)
	if exact := float64(single); exact != x {
		if math.Abs(exact) > math.Abs(x) {
			bits-- // towards zero
		}
		bits |= 1
	}
	even := bits >> droppedBits & 1
	bits += 1<<(droppedBits-1) - 1 + even
	return float64(math.Float32frombits(bits &^ (1<<droppedBits - 1)))
}

// BF16Bits returns the 16 bits of x, which must be a bfloat16 number.
func BF16Bits(x float64) uint16 { return uint16(math.Float32bits(float32(x)) >> droppedBits) }

// FromBF16Bits returns the bfloat16 number that has these bits.
func FromBF16Bits(bits uint16) float64 {
	return float64(math.Float32frombits(uint32(bits) << droppedBits))
}
