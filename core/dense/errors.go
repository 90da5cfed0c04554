package dense

import "fmt"

// ArgumentError reports an argument that breaks its function's contract: a shape that does not fit, a word that is
// not known, a value out of range. Arg is the argument's public name.
type ArgumentError struct {
	Arg    string
	Reason string
}

func (e *ArgumentError) Error() string { return e.Arg + ": " + e.Reason }

// BadArgument returns an ArgumentError for arg with a formatted reason.
func BadArgument(arg, format string, values ...any) *ArgumentError {
	return &ArgumentError{Arg: arg, Reason: fmt.Sprintf(format, values...)}
}

// NotFinite returns the ArgumentError that every solver gives for an infinity or a NaN in arg.
func NotFinite(arg string) *ArgumentError {
	return BadArgument(arg, "contains infinities or NaNs")
}
