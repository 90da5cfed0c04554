// Package kernel holds the innermost loops: small pieces of matrix products and of products with vectors in assembly for the
// vector units that a processor may have, and the same in Go. It knows nothing of algorithms: blocking, packing, transposes and threads
// are those of core/blas.
//
// A Set is all kernels for one class of processors. The set to use is found once, when the program starts; every set
// this machine can run is there for tests. Within a set an element of C is rounded in the same way wherever it lies in
// a tile, so that results do not depend on how a product is cut into tiles; between sets they differ by rounding.
//
// The assembly (gen_*.s) is made by the programs in gen with avo; `make generate` writes it, `make lint` checks that it is
// what they make. The build tag noasm leaves it out.
//
// The tiles and the blocking around them follow Goto and van de Geijn, Anatomy of high-performance matrix
// multiplication, ACM TOMS 34 (2008), and Van Zee and van de Geijn, BLIS: a framework for rapidly instantiating BLAS
// functionality, ACM TOMS 41 (2015).
package kernel
