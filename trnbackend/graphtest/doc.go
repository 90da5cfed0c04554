// Package graphtest helps to test what runs graphs. Random makes graphs over all operations and Inputs suitable arrays
// for them. Evaluate says what the results are and how far an executor may be from them; Shrink makes a graph that
// fails smaller. OpCases has graphs of one operation each, with corner cases.
//
// Evaluate works element by element, with plain loops over indices. Beside each value it keeps an interval that holds
// whatever a correct executor may compute: each operation is evaluated at the ends of the intervals of its operands,
// and the result is widened by what the operation may be off. That is
//
//   - nothing for operations that are exact: movements, comparisons, maxima, integers, and floats where the exact result is a number of the type;
//   - one unit in the last place for +, -, x, /, the square root and conversions, which allows for rounding to nearest as well as for a compiler
//     that keeps more digits than the type has;
//   - libraryUlps units for the other functions;
//   - n units of the sum of absolute values for a sum of n numbers, in any order;
//
// and the smallest normal number, since devices may flush smaller ones to zero. A predicate whose operands' intervals
// overlap may be either; what it chooses may be either. Where everything is possible, as for a quotient whose divisor
// may be zero, nothing is compared.
package graphtest
