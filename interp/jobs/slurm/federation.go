package slurm

import (
	"context"
	"errors"
	"strings"
	"time"
)

// federationLimit limits the time in which a controller says whether it is in a federation.
const federationLimit = 10 * time.Second

// errFederation is why jobs cannot run on such a cluster.
var errFederation = errors.New("this cluster is in a federation, where jobs move to other clusters: " +
	"that is not supported; submit to a cluster that is not, chosen by SLURM_CONF")

// refuseFederation is an error if the cluster is in a federation: a job that moves has another number there, and
// is in no list here. Only clusters with an accounting database can be, so that no others are asked; where the
// answer fails, jobs are submitted.
func (s *Slurm) refuseFederation(ctx context.Context, settings string) error {
	if !mayFederate(settings) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, federationLimit)
	defer cancel()
	answer := s.programs.Ask(ctx, []string{"scontrol", "show", "federation"}, "")
	if answer.Err == nil && answer.Status.Success() && strings.Contains(answer.Stdout, "Federation:") {
		return errFederation
	}
	return nil
}

// mayFederate reports whether settings are those of a cluster with an accounting database; another file that they
// include may say so, too.
func mayFederate(settings string) bool {
	for line := range strings.Lines(strings.ToLower(settings)) {
		if strings.HasPrefix(strings.TrimSpace(line), "include ") {
			return true
		}
	}
	return strings.HasSuffix(strings.ToLower(setting(settings, "accountingstoragetype")), "slurmdbd")
}
