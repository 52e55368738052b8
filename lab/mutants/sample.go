package main

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
)

// Choose chooses mutants of packages below the module whose root is dir, and takes all that have a result. The same
// sources give the same mutants; where code changes, only mutants of that code come and go. They are spread over the
// operators, all compile, and no two are the same. Of sample 0, which is kept, those that have a result count; any
// other sample has mutants alone that have none.
func Choose(dir string, targets []Target, results map[string]*result, sample int) ([]*Mutant, error) {
	var names []string
	for _, t := range targets {
		names = append(names, t.Package)
	}
	s, err := load(dir, names)
	if err != nil {
		return nil, err
	}
	var all []*Mutant
	for _, t := range targets {
		i := slices.IndexFunc(s.packages, func(p *source) bool { return p.name == t.Package })
		all = append(all, s.packages[i].choose(t.Sample, results, sample)...)
	}
	return all, nil
}

// Find gives those mutants of packages below the module whose root is dir that have a result: what has run
// has compiled. Their order is that of Choose.
func Find(dir string, packages []string, hasResult func(id string) bool) ([]*Mutant, error) {
	s, err := load(dir, packages)
	if err != nil {
		return nil, err
	}
	var all []*Mutant
	for _, name := range packages {
		i := slices.IndexFunc(s.packages, func(p *source) bool { return p.name == name })
		all = append(all, slices.DeleteFunc(s.packages[i].arranged(0), func(m *Mutant) bool { return !hasResult(m.ID()) })...)
	}
	return all, nil
}

// choose takes the first of each operator, then the second of each, and so on, as far
// as they compile.
func (p *source) choose(n int, results map[string]*result, sample int) []*Mutant {
	var chosen []*Mutant
	seen, counted := map[string]bool{}, 0
	for _, m := range p.arranged(sample) {
		known := results[m.ID()] != nil
		if counted >= n && !known {
			continue
		}
		changed := apply(m.body.file.text, 0, len(m.body.file.text), m.edits)
		if seen[changed] || m.movesLabels() || !p.compiles(m.body.file, []byte(changed)) {
			continue
		}
		seen[changed] = true
		chosen = append(chosen, m)
		if !known || sample == 0 {
			counted++
		}
	}
	return chosen
}

// arranged are all candidates of a package in the order in which a sample takes them.
func (p *source) arranged(sample int) []*Mutant {
	var all []*Mutant
	again := map[string]int{}
	for _, b := range p.bodies() {
		for _, m := range b.candidates() {
			id := m.ID()
			m.Again = again[id]
			again[id]++
			all = append(all, m)
		}
	}
	draw := map[*Mutant]string{}
	for _, m := range all {
		sum := sha256.Sum256([]byte(strconv.Itoa(sample+1) + m.ID()))
		draw[m] = string(sum[:])
	}
	slices.SortStableFunc(all, func(a, b *Mutant) int { return cmp.Compare(draw[a], draw[b]) })
	rank, of := map[*Mutant]int{}, map[string]int{}
	for _, m := range all {
		rank[m] = of[m.Operator]
		of[m.Operator]++
	}
	slices.SortStableFunc(all, func(a, b *Mutant) int { return cmp.Compare(rank[a], rank[b]) })
	return all
}
