package race

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/sandbox"
)

// outputVariable makes this test program a linker that writes the value of the variable. Confined linkers get the
// variable too.
const outputVariable = "CULINK_RACE_OUTPUT"

// With the variable, the test program is a linker that writes the value of the variable.
func TestMain(m *testing.M) {
	switch output, is := os.LookupEnv(outputVariable); {
	case !is:
		os.Exit(m.Run())
	case output == "fail":
		os.Exit(3)
	case strings.HasPrefix(output, "/"):
		if os.WriteFile(output, nil, 0o666) != nil {
			os.Exit(4)
		}
	case output == "hang":
		time.Sleep(time.Minute)
	default:
		os.WriteFile(outputFile, []byte(output), 0o666)
	}
	os.Exit(0)
}

// fake returns a linker whose output is the given text.
func fake(t *testing.T, name, output string) Racer {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	limits := sandbox.DefaultLimits
	limits.Time = 3 * time.Second
	return Racer{name, &sandbox.Linker{Command: []string{self}, Limits: limits, Env: []string{outputVariable + "=" + output}}}
}

// A race compares the outputs and has a time for every run.
func TestRun(t *testing.T) {
	w := &Workloads[0]
	for _, tt := range []struct {
		a, b string
		same bool
		exit int
	}{{"x", "x", true, 0}, {"x", "y", false, 0}, {"fail", "x", false, 3}, {"fail", "fail", false, 3}, {"hang", "x", false, -1}} {
		o := Options{A: fake(t, "a", tt.a), B: fake(t, "b", tt.b), SM: 90, Pairs: 1}
		told := 0
		heats, err := o.Run(context.Background(), w, []int{2, 4}, func(*Heat) { told++ })
		if err != nil || told != 2 || len(heats) != 2 {
			t.Fatalf("%s, %s: %d heats, %v", tt.a, tt.b, told, err)
		}
		h := heats[1]
		if h.Same != tt.same || h.A.Least.Exit != tt.exit || h.A.Least.Wall <= 0 || len(h.Ratios) != 1 || h.Size != 4 || h.Bytes == 0 {
			t.Errorf("%s, %s: %+v of %+v", tt.a, tt.b, h, h.A.Least)
		}
		if law := LawOf(heats); math.IsNaN(law.A) != (tt.exit != 0) {
			t.Errorf("%s, %s: exponent %v", tt.a, tt.b, law.A)
		}
		if tt.exit < 0 {
			break // a run that is stopped takes long
		}
	}
}

// A racer can write only in its own folder, unless it is trusted.
func TestConfined(t *testing.T) {
	if strings.Contains(confine.Describe(false), "no Landlock") || runtime.GOOS != "linux" {
		t.Skip("no Landlock")
	}
	t.Setenv("CULINK_ORACLE", "")
	outside := filepath.Join(t.TempDir(), "outside")
	t.Setenv(outputVariable, outside)
	self, _ := os.Executable()
	for _, trust := range []bool{false, true} {
		_, out, err := race(t, "-workload", "diamonds", "-size", "2", "-n", "1", "-linker", self, "-trust="+strconv.FormatBool(trust))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(outside); (err == nil) != trust || !strings.Contains(out, "confinement: "+confine.Describe(trust)) {
			t.Errorf("trust %v: %v\n%s", trust, err, out)
		}
	}
}

// The exponent of a cost is 2 if twice the size takes four times the time.
func TestLaw(t *testing.T) {
	at := func(size int, a, b float64) *Heat {
		return &Heat{Size: size, A: &Measure{Least: Time{CPU: a}}, B: &Measure{Least: Time{CPU: b}}}
	}
	if law := LawOf([]*Heat{at(10, 1, 1), at(20, 2, 4)}); law.A != 1 || law.B != 2 {
		t.Errorf("exponents %v and %v", law.A, law.B)
	}
}

// race runs the command line.
func race(t *testing.T, args ...string) (status int, stdout string, err error) {
	t.Helper()
	command := Command(func() (*sandbox.Linker, error) { return fake(t, "", "x").Linker, nil })
	flags := flag.NewFlagSet("race", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	action := command.Setup(flags)
	if err := flags.Parse(args); err != nil {
		return 0, "", err
	}
	var out bytes.Buffer
	status, err = action(context.Background(), nil, &out, io.Discard)
	return status, out.String(), err
}

// -toolkit accepts a release whose nvlink accepts the workloads. Both linkers emulate that release.
func TestToolkit(t *testing.T) {
	t.Setenv("CULINK_ORACLE", "")
	t.Setenv(outputVariable, "x")
	if status, out, err := race(t, "-toolkit", "13.5", "-workload", "diamonds", "-size", "2", "-n", "1"); err != nil || status != commandline.OK {
		t.Errorf("status %d, %v\n%s", status, err, out)
	}
	if _, _, err := race(t, "-toolkit", "12.4"); err == nil || !strings.Contains(err.Error(), "the workloads are objects of 13.0") {
		t.Errorf("-toolkit 12.4: %v", err)
	}
}

// The command writes tables, figures and a page.
func TestCommand(t *testing.T) {
	t.Setenv("CULINK_ORACLE", "")
	t.Setenv(outputVariable, "x") // -against starts this test program too
	self, _ := os.Executable()
	dir := t.TempDir()
	status, out, err := race(t, "-workload", "diamonds", "-size", "2", "-n", "1", "-against", self, "-json", dir+"/r.json", "-page", dir+"/r.html")
	if err != nil || status != commandline.OK || !strings.Contains(out, "| same") {
		t.Fatalf("status %d, %v\n%s", status, err, out)
	}
	var r Result
	data, _ := os.ReadFile(dir + "/r.json")
	if err := json.Unmarshal(data, &r); err != nil || len(r.Heats) != 1 || r.Heats[0].Workload != "diamonds" || r.A != "culink" {
		t.Errorf("%v: %s", err, data)
	}
	page, _ := os.ReadFile(dir + "/r.html")
	if !bytes.Contains(page, []byte("<polyline")) || !bytes.Contains(page, []byte("diamonds")) {
		t.Errorf("the page has no plot")
	}
	if status, out, err = race(t, "-workload", "kernels", "-size", "2", "-n", "1", "-json", "-"); err != nil || status != commandline.OK || !strings.HasPrefix(out, "{") {
		t.Errorf("alone: status %d, %v\n%s", status, err, out)
	}
	for _, args := range [][]string{{"-workload", "["}, {"-workload", "none"}, {"-sm", "100"}, {"-linker", "/no/such"}} {
		if _, _, err := race(t, args...); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
