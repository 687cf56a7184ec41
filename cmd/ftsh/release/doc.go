// Package release holds what a release of ftsh has besides its programs, as files: how packages are made (nfpm.yaml),
// completions, the unit of systemd, and the licences of the modules that are linked in. Man pages are made from the
// pages of the manual by .ci/pages; .ci/release puts all of it together. Its tests try the files in real shells,
// mandoc, groff and systemd.
package release
