package interp

import (
	"context"
	"fmt"

	"ftsh/ast"
	"ftsh/interp/event"
	"ftsh/interp/expand"
)

// deepest is how many calls may be under way in one branch.
const deepest = 1000

// call runs a function with arguments of its own and gives back what it returned.
func (f *frame) call(ctx context.Context, pos ast.Pos, function *ast.Function, args []string) (returned, error) {
	if f.depth >= deepest {
		return returned{}, f.fault(pos, fmt.Sprintf("%s: calls are nested deeper than %d", function.Name, deepest))
	}
	o, told := observed{pos: pos}, f.enabled(event.Structures)
	if told {
		d := detail{name: function.Name, command: append([]string{function.Name}, args...)}
		o = f.begin(pos, event.FunctionCall, d)
	}
	outer, params, locals, probing := f.function, f.params, f.locals, f.probing
	f.function, f.params, f.locals, f.probing, f.depth = function, args, nil, false, f.depth+1
	if len(function.Locals) > 0 {
		f.locals = make([]variable, len(function.Locals))
	}
	result, err := ended(f.group(ctx, &function.Body))
	f.function, f.params, f.locals, f.probing, f.depth = outer, params, locals, probing, f.depth-1
	if told || err != nil {
		f.finish(o, err, event.FunctionEnd, event.FunctionFailed, detail{name: function.Name})
	}
	return result, err
}

// ended takes a return out of an error.
func ended(err error) (returned, error) {
	if result, ok := err.(*returned); ok {
		return *result, nil
	}
	return returned{}, err
}

// callForValue runs name(args) in an expression.
func (f *frame) callForValue(ctx context.Context, call *ast.Call, args []expand.Value) (expand.Value, error) {
	function := f.run.functions[call.Name]
	if function == nil {
		return expand.Value{}, f.fault(call.Pos, fmt.Sprintf("there is no function %s", call.Name))
	}
	texts := make([]string, len(args))
	for i, arg := range args {
		var err error
		if texts[i], err = arg.Text(); err != nil {
			return expand.Value{}, f.fail(err, call.Pos)
		}
	}
	result, err := f.call(ctx, call.Pos, function, texts)
	if err == nil && !result.given {
		err = f.fault(call.Pos, fmt.Sprintf("%s returned no value", call.Name))
	}
	return result.value, err
}
