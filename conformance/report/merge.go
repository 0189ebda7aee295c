package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
)

// If a run is split into shards, each shard has a report. Merge makes the report of the whole run from them.

// Merge joins the reports of shards. It fails if a shard is missing, if two reports judge the same link, or if the
// reports are not of one run. names has the names of the reports in error messages.
func Merge(names []string, reports []*Report) (*Report, error) {
	out := &Report{}
	shards := map[plan.Shard]string{}
	total := 0
	for i, r := range reports {
		if i == 0 {
			out.Toolkit, out.Facets, out.Linker, out.Waivers = r.Toolkit, slices.Clone(r.Facets), r.Linker, r.Waivers
		}
		if r.Toolkit != out.Toolkit {
			return nil, fmt.Errorf("%s is about toolkit %s, %s about %s", names[0], out.Toolkit, names[i], r.Toolkit)
		}
		if r.Linker != out.Linker || r.Waivers != out.Waivers {
			return nil, fmt.Errorf("%s is about linker %q with waivers %q, %s about %q with %q", names[0], out.Linker, out.Waivers, names[i], r.Linker, r.Waivers)
		}
		out.NotRun += r.NotRun
		if r.Shard != "" {
			s, err := plan.ParseShard(r.Shard)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
			if total != 0 && total != s.Total {
				return nil, fmt.Errorf("%s is shard %s, others are of %d", names[i], s, total)
			}
			if other, twice := shards[s]; twice {
				return nil, fmt.Errorf("%s and %s are both shard %s", other, names[i], s)
			}
			shards[s], total = names[i], s.Total
		}
		if !strings.Contains(out.Confinement, r.Confinement) || i == 0 { // shards may run on different systems
			out.Confinement = strings.TrimPrefix(out.Confinement+"; "+r.Confinement, "; ")
		}
		out.Facets = addMissing(out.Facets, r.Facets)
		out.Verdicts = append(out.Verdicts, r.Verdicts...)
		out.Functions.Add(r.Functions)
		out.Stale = addMissing(out.Stale, r.Stale)
		out.StaleWaivers = addMissing(out.StaleWaivers, r.StaleWaivers)
	}
	slices.SortFunc(out.Facets, func(a, b judge.Facet) int { return slices.Index(judge.AllFacets, a) - slices.Index(judge.AllFacets, b) })
	for i := 1; i <= total; i++ {
		if _, ok := shards[plan.Shard{Index: i, Total: total}]; !ok {
			return nil, fmt.Errorf("shard %d/%d is missing", i, total)
		}
	}
	slices.SortStableFunc(out.Verdicts, judge.Order)
	for i := 1; i < len(out.Verdicts); i++ {
		if a, b := out.Verdicts[i-1], out.Verdicts[i]; judge.Order(a, b) == 0 {
			return nil, fmt.Errorf("two reports judge %s", a.Name())
		}
	}
	return out, nil
}

// addMissing appends to a list the items of a second list that it lacks.
func addMissing[T comparable](list, more []T) []T {
	for _, item := range more {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}
