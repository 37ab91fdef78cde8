// Package conformance runs the official Gateway API conformance suite; its flags choose what and where.
package conformance

import (
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
	"sigs.k8s.io/gateway-api/conformance/tests"
)

// The suite writes its report when the tests that run in parallel have yet to begin, and counts each of them as passed.
// So for a report they run one after the other.
func TestConformance(t *testing.T) {
	options := conformance.DefaultOptions(t)
	if options.ReportOutputPath != "" {
		for i := range tests.ConformanceTests {
			tests.ConformanceTests[i].Parallel = false
		}
	}
	conformance.RunConformanceWithOptions(t, options)
}
