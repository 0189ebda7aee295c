package plan

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A Shard is one of several equal parts of a run, which can run on several machines. Shard I of N has every Nth link, so
// that it has links from every area. The zero value is the whole run.
type Shard struct {
	Index, Total int // Index counts from 1
}

// ParseShard reads I/N, such as "2/5".
func ParseShard(text string) (Shard, error) {
	index, total, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(total)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
		return Shard{}, fmt.Errorf("shard %q is not I/N with 1 <= I <= N", text)
	}
	return Shard{i, n}, nil
}

// ShardOfEnvironment returns the shard that Bazel and other tools select with environment variables. TEST_SHARD_INDEX
// counts from 0, and TEST_TOTAL_SHARDS is the number of shards. The function also creates the file
// TEST_SHARD_STATUS_FILE, which tells the tool that the test supports shards.
func ShardOfEnvironment(getenv func(string) string) (Shard, error) {
	total := getenv("TEST_TOTAL_SHARDS")
	if total == "" {
		return Shard{}, nil
	}
	index := getenv("TEST_SHARD_INDEX")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(total)
	if err1 != nil || err2 != nil || i < 0 || i >= n {
		return Shard{}, fmt.Errorf("TEST_SHARD_INDEX=%q and TEST_TOTAL_SHARDS=%q: no share", index, total)
	}
	if file := getenv("TEST_SHARD_STATUS_FILE"); file != "" {
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			return Shard{}, err
		}
	}
	return Shard{i + 1, n}, nil
}

func (s Shard) String() string {
	if s.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Total)
}

// has reports whether the shard contains link n. Links are counted from 0.
func (s Shard) has(n int) bool { return s.Total == 0 || n%s.Total == s.Index-1 }
