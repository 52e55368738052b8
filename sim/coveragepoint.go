package sim

// CoveragePoint is something rare that matters, or a branch that must not stay
// untried: "victim while progress is deferred". Each world counts how often it
// came about, and a campaign reports the sum. A guarantee that was never checked
// where it came about is none.
type CoveragePoint uint16

var coveragePoints []string

// NewCoveragePoint registers a coverage point; call it in package variable declarations
// only, so that the numbers are the same in every process.
func NewCoveragePoint(name string) CoveragePoint {
	for _, s := range coveragePoints {
		if s == name {
			panic("sim: coverage point registered twice: " + name)
		}
	}
	coveragePoints = append(coveragePoints, name)
	return CoveragePoint(len(coveragePoints) - 1)
}

// String is the coverage point's name.
func (s CoveragePoint) String() string { return coveragePoints[s] }

// CoveragePoints are all that this binary knows, in the order of registration.
func CoveragePoints() []CoveragePoint {
	all := make([]CoveragePoint, len(coveragePoints))
	for i := range all {
		all[i] = CoveragePoint(i)
	}
	return all
}
