package manual

// formerNames are names that pages once had, each with the page that has taken it in. People remember
// them, and scripts and notes of theirs name them.
func formerNames() map[string]string {
	return map[string]string{
		"atomic":       "redirect",
		"batch":        "limits",
		"caps":         "policies",
		"choose":       "policies",
		"cluster-jobs": "cluster",
		"conditions":   "failures",
		"condor":       "submission",
		"events":       "logging",
		"experiments":  "simulator",
		"explain":      "check",
		"fit":          "servers",
		"gridengine":   "cluster",
		"jobs":         "interactive",
		"journal":      "durable",
		"keys":         "interactive",
		"many-jobs":    "cluster",
		"report":       "logging",
		"retry":        "try",
		"slurm":        "submission",
		"trace":        "logging",
	}
}
