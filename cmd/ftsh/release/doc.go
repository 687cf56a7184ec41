// Command release writes what a release of ftsh holds besides its programs, and tries what such a release needs, where
// no program that Go projects use does it. It is run by .ci/release and .ci/packages, from the top folder
// of the repository:
//
//	go run ./cmd/ftsh/release pages DIR FTSHSIM
//	go run ./cmd/ftsh/release licences FILE SBOM…
//	go run ./cmd/ftsh/release processor ARCHITECTURE
//
// The first writes man pages and completions. Nothing in them is written twice:
// the man pages are made from the pages of the manual, by go-md2man, the completions from
// the struct that reads the options (commandLine) and from the manual's table of them;
// ftshsim, a built program, is asked for its own help. Completions are written here
// because go-flags, which reads the options, offers them for bash alone, and by running the program.
//
// The second adds the licences to SBOMs that cyclonedx-gomod has made from the programs, and writes
// the texts of all of them. It refuses a module without a licence that is accepted here.
//
// The third finds out whether all packages and tests compile for another processor, such as riscv64; go vet does so,
// too, but compiles all of Go's library for it before.
//
// Packages are made by nfpm. GoReleaser would do that and run the rest of .ci/release, but
// takes longer to be built (two minutes with four processors) than all of this.
package main
