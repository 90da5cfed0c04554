// Package bulge holds the kernels of QR and QZ sweeps: steps that chase a bulge down a Hessenberg matrix with a double
// shift (real matrices, reflectors of three rows) or a single shift (complex matrices, reflectors of two rows), or with
// a double shift down a real Hessenberg-triangular pair, and functions that apply sequences of such reflectors to rows
// and columns.
package bulge
