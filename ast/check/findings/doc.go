// Package findings writes findings down: for people, or as the code hosts read them.
//
//   - [Text] is lines with an excerpt of the script.
//   - [JSON] is the report of code quality that GitLab reads (a list of objects as
//     Code Climate defined them), with a few members more.
//   - [SARIF] is the Static Analysis Results Interchange Format 2.1.0 of OASIS,
//     which GitHub and others read.
package findings
