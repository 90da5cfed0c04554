// Package trnbackend is the contract between device programs and what runs them. An Executor compiles static graphs
// (package graph) and runs them on buffers of its memory. Packages interp and pjrt are executors, package device opens
// them by name, and the packages in programs build the graphs. This package does no arithmetic.
package trnbackend
