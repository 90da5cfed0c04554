// Package kernel names the sets of kernels, finds those that the processor can run, and says how large blocks should
// be. The kernels, which are the innermost loops of everything above, lie in packages by subject: gemm, vector, givens,
// condense, bulge, secular and batch.
//
// A Set is all kernels for one class of processors: assembly for its vector units, or plain Go. The best set is found
// once, when the program starts; tests run every set of this machine. Within a set an element of a result is rounded in
// the same way wherever it lies in a tile, so that results do not depend on how an operation is cut into pieces.
// Between sets results differ by rounding.
//
// tools/kernelgen writes the assembly (gen_*.s) and the functions that choose a kernel by set and element type; `make
// generate` runs it, `make lint` checks that the files are up to date. The build tag noasm leaves the assembly out.
//
// Assembly cannot be preempted: callers cut their work so that a call takes well under a millisecond. It reads and
// writes nothing outside of its operands.
package kernel
