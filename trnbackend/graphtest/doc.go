// Package graphtest helps to test executors. Random makes graphs of all operations, and Inputs makes arrays for them.
// Evaluate returns the results and how far an executor may be from them; Shrink reduces a graph that fails. OpCases has
// graphs of single operations, with corner cases.
//
// Evaluate works element by element, with plain loops over indices. With each value it keeps an interval that contains
// everything a correct executor may compute: each operation is evaluated at the ends of the intervals of its operands,
// and the result is widened by the possible error of the operation. That is
//
//   - nothing for exact operations: movements, comparisons, maxima, integers, and floats where the exact result is a
//     number of the type;
//   - one unit in the last place for +, -, x, /, the square root and conversions, which allows rounding to nearest as
//     well as compilers that keep more digits than the type has;
//   - libraryUlps units for the other functions;
//   - n units of the sum of absolute values for a sum of n numbers, in any order;
//
// and the smallest normal number, since devices may flush smaller ones to zero. A predicate whose operands' intervals
// overlap may be true or false, and a Select by it may give either value. Where everything is possible, as for a
// quotient whose divisor may be zero, nothing is compared.
package graphtest
