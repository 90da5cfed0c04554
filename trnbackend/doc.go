// Package trnbackend is the contract between device programs and what runs them. An Executor compiles static graphs
// (package graph) and runs them on buffers of its memory; the packages interp and pjrt hold executors, package device
// opens them by name, the packages in programs build the graphs. This package holds no arithmetic.
package trnbackend
