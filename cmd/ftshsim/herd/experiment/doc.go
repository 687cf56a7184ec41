// Package experiment repeats the experiments that the policies come from, on
// the parts of package herd. Each is a [Preset]: a struct of parameters that can all be
// changed, a text (about), and what it consists of, as a list of studies: who does what with which
// server, what is compared, and what is shown of it in a [Report], beside what was published.
//
// The paper of Thain and Livny shows what came out of submit, buffer and replica but not all that went in, so what
// it leaves open was chosen to fit. A test holds the shapes, cmd/ftshsim/testdata/herd.md has the ratios.
//
// # Where the sources are silent
//
//   - submit: the schedd takes jobs one by one and shares its processor with the
//     submitters; a submission holds few descriptors at its start and more once
//     it is connected. The paper's figures 1 and 3 differ by a factor about how
//     many jobs 400 submitters get done; ours lies between them.
//   - buffer: making a file takes a second, and its size is known at the end, so
//     that an attempt that fails costs a second also for those who try again at
//     once. The consumer shares the processor with the producers: that is why it
//     gets slower when many fail. ethernet counts its own file among the
//     incomplete ones (--own), else it collides five times as often as published.
//   - overload: the source's server prints once a second how many requests it has accepted.
//     The most of that, with the policy normal, was 45; here the most is 156, at any moment
//     and with the 128 connections that wait in the kernel while the server stands still.
//     The real programs (ftshsim serve, load), three times on a busy machine: 20 to 37 once a second, and 131 to
//     184 at the same time when looked at every 20 ms.
//   - replica: a server that is busy with a transfer sends the flag meanwhile.
//     With --aside=false it does not; then ethernet defers three times as often
//     as published.
//   - recover: "extended by about a factor of two" is read as: outage and recovery
//     together take twice as long as the outage.
//
// # Invariants
//
//   - A report depends on parameters and seeds only, not on the number of
//     processors.
//   - A run that is cancelled ends in a report of what there was.
package experiment
