package interp

import (
	"context"
	"fmt"
	"slices"

	"ftsh/ast"
	"ftsh/interp/event"
	"ftsh/interp/world"
)

// stages is a pipeline that is under way.
type stages struct {
	branches
	n       *ast.Pipeline
	test    bool // see invocation
	frames  []*frame
	words   [][]string      // by stage, where they are expanded before
	outputs [][]world.Draft // by stage: atomic output that waits for the end
}

// runPipeline runs the stages together. It succeeds if each of them does.
func (f *frame) runPipeline(ctx context.Context, n *ast.Pipeline, role role) error {
	if job := f.awaitedJob(); job != nil {
		return f.jobAgain(ctx, job, n.Stages, role)
	}
	if p := f.jobSite(); p != nil {
		if ran, err := f.jobPipeline(ctx, p, n, role); ran {
			return err
		}
	}
	o := f.numberExecution(n.Stages[0].Pos, event.Event{Kind: event.PipelineStart, Count: len(n.Stages)})
	o.test = role.test
	p := &stages{n: n, test: role.test, outputs: make([][]world.Draft, len(n.Stages))}
	g, err := p.expandFirst(f.under(o))
	if err == nil {
		err = g.runUnit(ctx, n.Stages[0].Pos, p.capturesOutput(), func(unit *frame) error { return p.run(ctx, unit) })
	}
	f.finishStatement(o, err, event.PipelineEnd, event.PipelineFailed, detail{passes: true})
	return err
}

// run starts the stages, waits for them, and keeps what their redirections ask for.
func (p *stages) run(ctx context.Context, f *frame) error {
	defer p.begin(ctx, f)()
	defer func() {
		for _, branch := range p.frames {
			branch.leaveFork()
		}
	}()
	p.startStages(p.f.scope.ctx)
	p.wait()
	err := p.first
	if p.wasCut() && asFailure(err) != nil {
		err = p.f.cutOff(ctx, p.n.Stages[0].Pos)
	}
	for i, stage := range p.n.Stages[:len(p.frames)] {
		p.keepVariables(stage, p.frames[i])
		for _, output := range p.outputs[i] {
			if failed := output.End(succeeded(err)); failed != nil {
				err = (&redirection{frame: p.f, list: stage.Redirects}).cannotKeep(err, failed)
			}
		}
	}
	return err
}

// keepVariables brings what a stage captured into the frame of the pipeline.
func (p *stages) keepVariables(stage *ast.Command, from *frame) {
	for _, r := range stage.Redirects {
		if value, set := from.Variable(&r.Var); set && r.Op.Captures() {
			p.f.assign(&r.Var, value)
		}
	}
}

// capturesOutput reports whether a stage sets variables.
func (p *stages) capturesOutput() bool {
	return slices.ContainsFunc(p.n.Stages, func(stage *ast.Command) bool { return capturesVariables(stage.Redirects) })
}

// startStages connects the stages by pipes and runs each on a goroutine of its own.
func (p *stages) startStages(ctx context.Context) {
	input := closed // what the stage before wrote into
	for i, stage := range p.n.Stages {
		branch := p.f.fork(ctx)
		p.frames = append(p.frames, branch)
		var ours []int
		if input != closed {
			branch.io.files[0] = input
			ours = append(ours, input)
		}
		if i < len(p.n.Joins) {
			ends, err := p.f.run.World.Pipe()
			if err != nil {
				p.cannotStart(stage, ours, err)
				return
			}
			branch.io.files[1], branch.io.piped = ends[1], true
			if p.n.Joins[i].Stderr {
				branch.io.files[2] = ends[1]
			}
			ours, input = append(ours, ends[1]), ends[0]
		}
		branch.io.ends = newPipeEnds(p.f.run, stage, ours)
		p.start(func() { p.runStage(ctx, i, branch, stage) })
	}
}

// cannotStart ends a pipeline that could not be built.
func (p *stages) cannotStart(stage *ast.Command, ours []int, err error) {
	p.f.run.World.Close(ours)
	failure := newFailure(KindSystem, stage.Pos, fmt.Sprintf("cannot make a pipe: %v", err))
	p.collectErrors(p.f.announceFailure(failure), true)
}

// runStage runs one stage; its ends of the pipes are closed when it has ended, at the latest.
func (p *stages) runStage(ctx context.Context, i int, branch *frame, c *ast.Command) {
	// a return concerns the stage alone
	last := i == len(p.n.Stages)-1
	own := role{test: p.test && last, outputs: &p.outputs[i]}
	if p.words != nil {
		own.words = p.words[i]
	}
	_, err := takeReturn(branch.runCommand(ctx, c, own))
	err = branchEnd(err)
	defer branch.io.ends.close() // once its error is noted: a stage behind that fails when its input ends fails later
	failure := asFailure(err)
	if failure != nil {
		failure.early = !last
	}
	if err != nil && !(!last && failure != nil && brokenPipe(failure)) {
		p.collectErrors(err, last)
	}
}

// collectErrors notes the failure of a stage. When the last one fails nobody reads any
// more, and the others are cancelled. In a test a failure counts more than the answer no, which may
// have come first: what has failed may have written too little.
func (p *stages) collectErrors(err error, last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noteCut(asFailure(err))
	first, failure := asFailure(p.first), asFailure(err)
	switch {
	case p.first == nil, p.test && first != nil && first.saysNo() && failure != nil && failure.cut == nil:
		p.first = err
	default:
		p.first = firstGivenUp(p.first, failure)
	}
	if last {
		why := p.f.cancelled("the last stage of the pipeline failed")
		why.pipe = p.f.io.piped && failure != nil && brokenPipe(failure)
		p.cancel(why)
	}
}
