package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// layers begins what runs in a namespace of its own: the compiler's cache in $cache, and a function.
const layers = `layer() { # over a folder: what is written there is gone with the box
    mkdir -p "/mnt$1/up" "/mnt$1/work" &&
        mount -t overlay -o lowerdir="$1",upperdir="/mnt$1/up",workdir="/mnt$1/work" none "$1"
}
cache=$(go env GOCACHE)
`

// forgetful runs the compiler so that its cache forgets the mutant: nobody compiles it again, and each is some MB.
const forgetful = layers + `mount -t tmpfs -o size=1g none /mnt && layer "$cache" && exec "$0" "$@"`

// box makes a test program alone with its mistakes: in a namespace of processes that ends with it, where the disk can
// only be read, /tmp and the compiler's cache are layers in memory, and there is not more memory than a test needs.
// What it kills or removes by mistake is only its own.
const box = layers + `mount -o remount,bind,ro / &&
mount -t tmpfs -o size=1g none /mnt && layer "$cache" && layer /tmp &&
mount -t tmpfs -o size=1g none "$TMPDIR" && cd "$PWD" && ulimit -d 4194304 || exit 125
"$0" "$@"
exit`

// noBox is the status of a box that could not be made, as where somebody writes to what is just mounted read-only.
const noBox = 125

// least is the time that tests have at least, for a machine with much else to do.
const least = 20 * time.Second

// A room is a package whose own tests have to find its mutants.
type room struct {
	name, dir string        // dir is absolute
	batches   []batch       // its tests
	mutants   []mutant      // those left, in the order of the seed
	weight    float64       // how many of the sample
	skip      string        // which of the tests do not run
	patience  time.Duration // with their mistakes, tests have at least that long
}

// A batch is the tests that run together: those that take longer wait for what the short ones say.
type batch struct {
	took  time.Duration
	tests []string
}

var (
	testTime   = regexp.MustCompile(`(?m)^--- PASS: (\w+) \(([0-9.]+)s\)`)
	testFailed = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)
	// by whose number a script is made again
	randomScript = regexp.MustCompile(` script \d+`)
)

// measure runs the tests of a room as they are, and puts them into batches: the shortest ones of a sixteenth of the
// time, those of a quarter, and the rest.
func (r *room) measure(ctx context.Context, scratch, which string) error {
	binary := filepath.Join(scratch, strings.ReplaceAll(r.name, "/", "_")+".test")
	if out, err := r.compile(ctx, binary, ""); err != nil {
		return fmt.Errorf("%s: %w\n%s", r.name, err, out)
	}
	begun := time.Now()
	out, err := r.run(ctx, scratch, binary, "", time.Hour, "-test.v", "-test.run="+which)
	if err != nil {
		return fmt.Errorf("%s fails as it is: %w\n%s", r.name, err, out)
	}
	if r.patience = least; which != "" { // what runs beside each other takes longer than it says
		r.patience += 5 * time.Since(begun)
	}
	var tests []batch
	var total, sum time.Duration
	for _, m := range testTime.FindAllSubmatch(out, -1) {
		took, _ := time.ParseDuration(string(m[2]) + "s")
		total += took
		tests = append(tests, batch{took, []string{string(m[1])}})
	}
	slices.SortStableFunc(tests, func(a, b batch) int { return cmp.Compare(a.took, b.took) })
	for _, limit := range []time.Duration{total / 16, total / 4, total} {
		var b batch
		for len(tests) > 0 && (sum+tests[0].took <= limit || limit == total) {
			b.took += tests[0].took
			sum += tests[0].took
			b.tests = append(b.tests, tests[0].tests...)
			tests = tests[1:]
		}
		if len(b.tests) > 0 {
			r.batches = append(r.batches, b)
		}
	}
	return nil
}

// compile makes the test program of a room, with the mistake of an overlay if there is one.
func (r *room) compile(ctx context.Context, binary, overlay string) ([]byte, error) {
	args := []string{"go", "test", "-c", "-ldflags=-w", "-overlay=" + overlay, "-o", binary, "."}
	if overlay != "" {
		args = append([]string{"unshare", "--mount", "sh", "-c", forgetful}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = r.dir
	return cmd.CombinedOutput()
}

// run runs a test program, and ends it and all that it has started after the limit.
func (r *room) run(ctx context.Context, scratch, binary, overlay string, limit time.Duration, args ...string) ([]byte,
	error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	args = append([]string{"--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", box,
		binary, "-test.failfast", "-test.timeout=0", "-test.skip=" + r.skip}, args...)
	cmd := exec.CommandContext(ctx, "unshare", args...)
	tmp, err := os.MkdirTemp(scratch, "tmp")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "PWD="+r.dir, "GOFLAGS=-overlay="+overlay)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what it sends to its own group does not come here
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out, err
}

// The verdicts on a mutant that say no test by which it was killed.
const (
	lived       = "lived"
	noMutant    = "no mutant" // it does not compile
	tookTooLong = "killed: took too long"
)

// judge says what became of a mutant.
func (r *room) judge(ctx context.Context, top string, m mutant) (string, error) {
	scratch, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	overlay, err := writeOverlay(top, scratch, m)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(scratch, "room.test")
	if _, err := r.compile(ctx, binary, overlay); err != nil {
		return noMutant, ctx.Err()
	}
	for _, b := range r.batches {
		if v := r.verdict(ctx, scratch, binary, overlay, b); v != lived {
			return v, ctx.Err()
		}
	}
	return lived, ctx.Err()
}

func (r *room) verdict(ctx context.Context, scratch, binary, overlay string, b batch) string {
	arg := "-test.run=^(" + strings.Join(b.tests, "|") + ")$"
	out, err := r.run(ctx, scratch, binary, overlay, max(5*b.took, r.patience), arg)
	var failure *exec.ExitError
	for errors.As(err, &failure) && failure.ExitCode() == noBox && ctx.Err() == nil {
		out, err = r.run(ctx, scratch, binary, overlay, max(5*b.took, r.patience), arg)
	}
	failed := testFailed.FindAllSubmatch(out, -1)
	switch {
	case err == nil:
		return lived
	case errors.Is(err, context.DeadlineExceeded):
		return tookTooLong
	case len(failed) > 0:
		return "killed by " + string(failed[len(failed)-1][1]) + string(randomScript.Find(out))
	default:
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return "killed: " + first
	}
}

// writeOverlay writes the file with the mistake, and what tells the compiler to take it for the one in the tree.
func writeOverlay(top, scratch string, m mutant) (string, error) {
	whole := filepath.Join(top, m.file)
	text, err := os.ReadFile(whole)
	if err != nil {
		return "", err
	}
	mutated := filepath.Join(scratch, filepath.Base(m.file))
	text = append(append(append([]byte{}, text[:m.from]...), m.with...), text[m.to:]...)
	if err := os.WriteFile(mutated, text, 0o600); err != nil {
		return "", err
	}
	overlay := filepath.Join(scratch, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {whole: mutated}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, replace, 0o600)
}
