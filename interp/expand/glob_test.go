package expand

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ftsh/ast"
	"ftsh/testdata/skip"
)

// forest makes files; a name that ends in a slash is a directory.
func forest(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		parent := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			parent = path
		}
		if err := os.MkdirAll(parent, 0o700); err != nil {
			t.Fatal(err)
		}
		if parent == path {
			continue
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// globEnv is a directory with something for every pattern below.
func globEnv(t *testing.T) *fake {
	t.Helper()
	env := with("star", "*", "d", "d1", "both", "d1 d2", "nothing", "")
	env.dir = forest(t, "a1.txt", "b2.txt", "c.txt", "-n", "--", ".hidden", "Z", "é", "d1/x.c", "d1/.y.c", "d2/x.c",
		"d2/sub/z.c", "d*/x", "with blank", "bad\xffname", "deep/one/two/three", "[ab]", "quote'd")
	if err := os.Symlink("missing", filepath.Join(env.dir, "d1", "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("d2", filepath.Join(env.dir, "linked")); err != nil {
		t.Fatal(err)
	}
	return env
}

func TestGlob(t *testing.T) {
	env := globEnv(t)
	star, one := glob("*"), glob("?")
	checkWords(t, env, []wordsCase{
		{"star", word(star, ".txt"), []string{"a1.txt", "b2.txt", "c.txt"}},
		{"set and one", word(glob("[ab]"), one, ".txt"), []string{"a1.txt", "b2.txt"}},
		{"sorted by bytes", word(one), []string{"Z", "é"}},
		{"never an option", word("-", star), []string{"./--", "./-n"}},
		{"hidden only explicitly", word(".h", star), []string{".hidden"}},
		{"not . and ..", word(".", star), []string{".hidden"}},
		{"below", word("d", one, "/", star), []string{"d*/x", "d1/dangling", "d1/x.c", "d2/sub", "d2/x.c"}},
		{"literal below", word("d", star, "/x.c"), []string{"d1/x.c", "d2/x.c"}},
		{"dangling link below", word(star, "/dangling"), []string{"d1/dangling"}},
		{"through a link", word("link", star, "/x.c"), []string{"linked/x.c"}},
		{"directories only", word("d", star, "/"), []string{"d*/", "d1/", "d2/", "deep/"}},
		{"deep", word("de", star, "/", star, "/", star, "/", star), []string{"deep/one/two/three"}},
		{"slashes stay", word("deep//", star, "//two"), []string{"deep//one//two"}},
		{"up", word("d1/../d2/", star, ".c"), []string{"d1/../d2/x.c"}},
		{"here", word("./", star, ".txt"), []string{"./a1.txt", "./b2.txt", "./c.txt"}},
		{"star never crosses a slash", word("deep", star, "three"), []string{"deep*three"}},
		{"absolute", word(env.dir+"/d1/", star, ".c"), []string{env.dir + "/d1/x.c"}},
		{"name that is not UTF-8", word("bad", one, "name"), []string{"bad\xffname"}},
		{"blank in a name", word("with", star), []string{"with blank"}},
	})
}

func TestGlobBesideOtherParts(t *testing.T) {
	env := globEnv(t)
	star, one := glob("*"), glob("?")
	checkWords(t, env, []wordsCase{
		{"value is literal", word(ref("star"), one, star), []string{"*?*"}},
		{"value in a pattern", word(ref("d"), "/", star, ".c"), []string{"d1/x.c"}},
		{"value that is a pattern", word("d", ref("star"), "/", star), []string{"d*/x"}},
		{"split in a pattern", word(ref("both"), "/", star, ".c"), []string{"d1", "d2/x.c"}},
		{"nothing beside it", word(ref("nothing"), "b2", star), []string{"b2.txt"}},
		{"quoted text in a pattern", word(quoted("with "), star), []string{"with blank"}},
		{"quoted star is literal", word(quoted("d*"), "/", one), []string{"d*/x"}},
		{"quoted bracket", word(quoted("["), star), []string{"[ab]"}},
		{"set over a slash is text", word(glob("[d/]"), star), []string{"[d/]*"}},
		{"no match", word(star, ".none"), []string{"*.none"}},
		{"no match below a file", word("a1.txt/", star), []string{"a1.txt/*"}},
		{"no match in a missing directory", word("nope/", star), []string{"nope/*"}},
		{"no match with a trailing slash", word(star, ".txt/"), []string{"*.txt/"}},
		{"scheme", word("file://", env.dir, "/", star), []string{"file://" + env.dir + "/*"}},
	})
}

func TestGlobInTheProcessDirectory(t *testing.T) {
	t.Chdir(forest(t, "x/one", "x/two"))
	for _, c := range []struct {
		word *ast.Word
		want []string
	}{{word(glob("*")), []string{"x"}}, {word("x/", glob("*")), []string{"x/one", "x/two"}}} {
		if got, err := Words(with(), nil, []*ast.Word{c.word}); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("got %q, %v, want %q", got, err, c.want)
		}
	}
}

func TestGlobMeetsAFifo(t *testing.T) {
	dir := forest(t, "a/x", "b/x")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := &fake{dir: dir}
	got, err := Words(env, nil, []*ast.Word{word(glob("*"), "/", glob("*"))})
	if want := []string{"a/x", "b/x"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestGlobUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		skip.Test(t, "root may read every directory")
	}
	dir := forest(t, "open/x", "shut/x", "blind/x")
	for name, mode := range map[string]os.FileMode{"shut": 0, "blind": 0o100} {
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) })
	}
	env := &fake{dir: dir}
	got, err := Words(env, nil, []*ast.Word{word(glob("*"), "/", glob("*")), word(glob("*"), "/x")})
	if want := []string{"open/x", "blind/x", "open/x"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestGlobWithoutDescriptors(t *testing.T) {
	dir := forest(t, "a/x")
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	low := syscall.Rlimit{Cur: 1, Max: old.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Skip(err)
	}
	_, err := Words(&fake{dir: dir}, nil, []*ast.Word{word(glob("*"))})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	wantFault(t, err, `looking for files that match "*": open `+dir+`/.: too many open files`)
}

func TestGlobLeavesNoDescriptor(t *testing.T) {
	dir := forest(t, "a/x", "b/x", "file")
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	before := count()
	for range 10 {
		if _, err := Words(&fake{dir: dir}, nil, []*ast.Word{word(glob("*"), "/", glob("*"))}); err != nil {
			t.Fatal(err)
		}
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}
