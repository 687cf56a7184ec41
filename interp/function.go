package interp

import (
	"cmp"
	"context"
	"fmt"

	"ftsh/ast"
	"ftsh/interp/event"
	"ftsh/interp/output"
	"ftsh/interp/value"
)

// mostCalls limits the calls that may be under way in one branch.
const mostCalls = 1000

// callFunction runs a function with the arguments of an invocation and gives back what it returned.
func (f *frame) callFunction(ctx context.Context, function *ast.Function, c invocation) (returned, error) {
	if f.call.depth >= mostCalls {
		return returned{}, f.faultAt(c.pos, fmt.Sprintf("%s: calls are nested deeper than %d", function.Name, mostCalls))
	}
	o, told := observed{pos: c.pos}, f.enabledLevel(event.Structures)
	if told {
		o = f.beginStatement(c.pos, event.FunctionCall, detail{name: function.Name, command: c.args})
	}
	o.test = c.test
	if f.call.function == nil {
		f.putAside()
	}
	g := f.beginCall(call{up: f.call, function: function, commanded: c.node != nil, depth: f.call.depth + 1,
		params: parameters{words: c.args[1:], values: c.values}})
	g.id = cmp.Or(o.id, f.id)
	if len(function.Locals) > 0 {
		g.call.locals = make([]variable, len(function.Locals))
	}
	result, err := takeReturn(g.functionBody(ctx, function))
	if result.refused {
		err = g.faultAt(c.pos, fmt.Sprintf("%s returned a value, but a command only succeeds or fails: "+
			"end it with failure (or a command that fails), or take the value with x=%[1]s(…)", function.Name))
	}
	if failure := asFailure(err); failure != nil {
		failure.early = false // the function has failed, whatever stage in it
	}
	for i := range g.call.locals {
		output.Drop(g.call.locals[i].value)
	}
	*g.call = call{} // it may hold much
	f.state.spare = g
	if told || err != nil {
		f.finishStatement(o, err, event.FunctionEnd, event.FunctionFailed, detail{name: function.Name, passes: true})
	}
	return result, err
}

// functionBody runs what a function consists of, in the frame of its call. A call that has returned for an earlier run
// gives what it returned.
func (f *frame) functionBody(ctx context.Context, function *ast.Function) error {
	p := f.place
	if p == nil {
		return f.runGroup(ctx, &function.Body)
	}
	var end savedEnding
	step, returned := p.NextCall(function.Name, &end)
	if returned {
		return end.restoreError(f)
	}
	f.call.kept, f.call.up.kept.settled = &keptCall{path: p.Below(step)}, false
	if p.Resumed() {
		f.restoreState(f.call.kept.path)
	}
	p.BeginCall(step, function)
	err := f.groupIn(ctx, step, &function.Body)
	if succeeded(err) {
		p.Return(step, function.Name, f.run.saveEnding(err))
	} else {
		p.Carry(f.call.changes(f.run, nil)...)
	}
	return err
}

// callForValue runs name(args) in an expression.
func (f *frame) callForValue(ctx context.Context, call *ast.Call, args []value.Value) (value.Value, error) {
	function := f.run.functions[call.Name]
	if function == nil {
		return value.Value{}, f.faultAt(call.Pos, fmt.Sprintf("there is no function %s", call.Name))
	}
	words := make([]string, 1, 1+len(args))
	words[0] = call.Name
	for _, arg := range args {
		text, err := arg.Text()
		if err != nil {
			return value.Value{}, f.failWith(err, call.Pos)
		}
		words = append(words, text)
	}
	result, err := f.callFunction(ctx, function, invocation{pos: call.Pos, args: words, values: args})
	if err == nil && !result.given {
		err = f.faultAt(call.Pos, fmt.Sprintf("%s returned no value", call.Name))
	}
	return result.value, err
}

// Call runs a function for its value.
func (f *frame) Call(ctx context.Context, call *ast.Call, args []value.Value) (value.Value, error) {
	return f.callForValue(ctx, call, args)
}
