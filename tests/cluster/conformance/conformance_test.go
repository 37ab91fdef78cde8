// Package conformance runs the official Gateway API conformance suite; its flags choose what and where.
package conformance

import (
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
)

func TestConformance(t *testing.T) { conformance.RunConformance(t) }
