package main

import (
	"strings"

	"ftsh/interp/jobs"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/gridengine"
	"ftsh/interp/jobs/programs"
	slurmengine "ftsh/interp/jobs/slurm"
)

// The engines by which jobs are run, as scripts call them.
const (
	slurmName      = "slurm"
	gridEngineName = "gridengine"
)

// newSystem makes the batch system of an engine.
func newSystem(name string, c programs.Config) batch.System {
	if name == gridEngineName {
		return gridengine.New(c)
	}
	return slurmengine.New(c)
}

// engineHere is the engine whose job this process is in.
func engineHere(lookup func(string) string) string {
	if gridengine.IsJob(lookup) && lookup("SLURM_JOB_ID") == "" {
		return gridEngineName
	}
	return slurmName
}

// engineOf is the engine that has a job, by the name of its cluster's folder.
func engineOf(l *jobs.Left) string {
	if strings.HasPrefix(l.Cluster, gridengine.Prefix) {
		return gridEngineName
	}
	return slurmName
}

// whichCluster lists the variables that choose the cluster of an engine.
func whichCluster(name string, environ []string) string {
	which := name
	for _, variable := range []string{"SLURM_CONF", "SGE_ROOT", "SGE_CELL", "SGE_QMASTER_PORT", "PATH"} {
		which += "\x00" + lookupVariable(environ, variable)
	}
	return which
}
