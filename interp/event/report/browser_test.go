package report

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// browser finds headless Chromium. Where there is none the test is skipped, unless
// CI has seen to it that there is.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("FTSH_BROWSER") == "required" {
		t.Fatal("no Chromium is installed")
	}
	t.Skip("no Chromium is installed")
	return ""
}

// chromium runs a headless browser on the page of the test's log and returns what it prints.
func chromium(t *testing.T, args ...string) string {
	t.Helper()
	path := browser(t)
	home := t.TempDir()
	page := home + "/page.html"
	if err := os.WriteFile(page, []byte(load(t, "nightly.log").HTML()), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1100,2600",
		"--hide-scrollbars", "--user-data-dir=" + home + "/profile",
	}, append(args, "file://"+page)...)...)
	cmd.Env = append(os.Environ(), "HOME="+home)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestBrowserText reads the page as a browser has understood it.
func TestBrowserText(t *testing.T) {
	dom := chromium(t, "--dump-dom")
	for want, times := range map[string]int{
		"<h1>nightly.ftsh</h1>": 1, "Faults injected on purpose": 1, "part=south": 5, "<svg ": 1, "<table>": 5,
		`class="wait"`: 7, "wait after attempt 4": 2, "<td>10</td>": 3, "died of signal 11": 3,
	} {
		if got := strings.Count(dom, want); got != times {
			t.Errorf("%d times %q, want %d", got, want, times)
		}
	}
}

// TestBrowserPicture looks at the page: in light and in dark there are commands,
// waits and failures to be seen, beside each other, in the colours that they should have.
func TestBrowserPicture(t *testing.T) {
	for _, c := range []struct {
		name, scheme        string
		back                color.RGBA
		command, wait, fail color.RGBA
	}{
		{"light", "1", rgb(0xffffff), rgb(0x2f6fb5), rgb(0xf1d48a), rgb(0xc8372d)},
		{"dark", "0", rgb(0x14171a), rgb(0x6aa9e9), rgb(0x8a6d1c), rgb(0xf0655a)},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := t.TempDir() + "/page.png"
			chromium(t, "--blink-settings=preferredColorScheme="+c.scheme, "--screenshot="+file)
			picture := decode(t, file)
			if got := picture.At(5, 5); !near(got, c.back) {
				t.Errorf("the page is %v, want %v", got, c.back)
			}
			waits, top := count(picture, c.wait)
			commands, _ := count(picture, c.command)
			failures, _ := count(picture, c.fail)
			if waits < 2000 || commands < 1000 || failures < 50 {
				t.Errorf("%d pixels of waits, %d of commands, %d of failures", waits, commands, failures)
			}
			if firstScreen := 800; top > firstScreen-100 {
				t.Errorf("the picture begins %d pixels from the top: not in the first screen", top)
			}
		})
	}
}

func rgb(n uint32) color.RGBA { return color.RGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255} }

func decode(t *testing.T, name string) image.Image {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// count says how many pixels have a colour, and how far from the top the first of them is.
func count(picture image.Image, want color.RGBA) (n, top int) {
	top = picture.Bounds().Dy()
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if near(picture.At(x, y), want) {
				n++
				top = min(top, y)
			}
		}
	}
	return n, top
}

func near(got color.Color, want color.RGBA) bool {
	r, g, b, _ := got.RGBA()
	for i, v := range []uint32{r, g, b} {
		if d := int(v>>8) - int([]uint8{want.R, want.G, want.B}[i]); d < -3 || d > 3 {
			return false
		}
	}
	return true
}
