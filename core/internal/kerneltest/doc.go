// Package kerneltest holds what the tests of kernel packages share: fenced memory, random operands, sums in doubled
// precision. Only tests import it.
package kerneltest
