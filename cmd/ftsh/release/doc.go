// Command release writes what a release of ftsh holds besides its programs. It is
// run by .ci/release, from the top folder of the repository:
//
//	go run ./cmd/ftsh/release pages DIR FTSHSIM
//	go run ./cmd/ftsh/release about VERSION DIR PROGRAM…
//
// The first writes man pages and completions. Nothing in them is written twice:
// the man pages are made from the pages of the manual, the completions from the
// struct that reads the options (commandLine) and from the manual's table of them;
// ftshsim, a built program, is asked for its own help.
//
// The second writes what licences and which modules are in the programs: an SBOM
// in CycloneDX's form, and the texts of all licences. It reads that from the programs
// themselves, and refuses a licence that it does not know.
package main
