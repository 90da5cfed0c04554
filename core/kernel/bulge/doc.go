// Package bulge holds the kernels of QR sweeps: steps that chase a bulge down a Hessenberg matrix with a double shift
// (real matrices, reflectors of three rows) or a single shift (complex matrices, reflectors of two rows), and functions
// that apply sequences of such reflectors to rows and columns.
package bulge
