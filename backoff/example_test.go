package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"ftsh/backoff"
)

// A try with a time limit, in virtual time. The fourth wait would pass the
// deadline; it is shortened, and one last attempt made.
func ExampleRetry() {
	clock := &backoff.Virtual{}
	dice := rand.New(rand.NewPCG(1, 1))
	plan := backoff.Plan{
		Deadline: 15 * time.Second,
		Limit:    15 * time.Second,
		Attempts: backoff.Unlimited,
		Backoff:  backoff.Backoff{Policy: backoff.Exact, Max: time.Minute},
	}
	hooks := backoff.Hooks{Sleeping: func(now, until time.Duration) {
		fmt.Println("sleeping", (until - now).Round(time.Millisecond))
		clock.Advance(until - now) // the shell waits instead
	}}
	result := backoff.Retry(context.Background(), clock, plan, dice, hooks,
		func(_ context.Context, n int) backoff.Outcome {
			fmt.Println("attempt", n, "at", clock.Now().Round(time.Millisecond))
			clock.Advance(time.Second)
			return backoff.Outcome{Err: errors.New("server busy")}
		})
	fmt.Println(result.Attempts, result.Reason, result.Err)
	// Output:
	// attempt 1 at 0s
	// sleeping 1s
	// attempt 2 at 2s
	// sleeping 2s
	// attempt 3 at 5s
	// sleeping 4s
	// attempt 4 at 10s
	// sleeping 2s
	// attempt 5 at 13s
	// 5 deadline server busy
}

// The loop without a clock, as a simulator drives it.
func ExampleLoop() {
	plan := backoff.Plan{Deadline: backoff.Never, Attempts: 3, Every: 10 * time.Second, HasEvery: true}
	loop := backoff.NewLoop(plan, rand.New(rand.NewPCG(1, 1)))
	for now := time.Duration(0); loop.Begin(now) == ""; {
		took := 4 * time.Second
		at, stop := loop.Failed(now+took, 0)
		if stop != "" {
			fmt.Println("no more:", stop)
			break
		}
		fmt.Println(now, "failed, next at", at)
		now = at
	}
	// Output:
	// 0s failed, next at 10s
	// 10s failed, next at 20s
	// no more: attempts
}

// Waits of the default policy: random, doubling, and spread out at the cap.
func ExampleBackoff() {
	plan := backoff.Plan{Deadline: backoff.Never, Attempts: backoff.Unlimited}
	plan.Backoff.Max = 30 * time.Second
	loop := backoff.NewLoop(plan, rand.New(rand.NewPCG(1, 1)))
	for now, n := time.Duration(0), 0; n < 8; n++ {
		loop.Begin(now)
		at, _ := loop.Failed(now, 0)
		fmt.Print((at - now).Round(100*time.Millisecond), " ")
		now = at
	}
	// Output: 1.3s 3.8s 7.3s 14.6s 22.2s 29.3s 26.8s 26.8s
}

func ExampleParsePolicy() {
	policy, ok := backoff.ParsePolicy("decorrelated")
	fmt.Println(policy, ok)
	_, ok = backoff.ParsePolicy("patience")
	fmt.Println(ok)
	// Output:
	// decorrelated true
	// false
}

func ExampleFromEnvironment() {
	os.Setenv("FTSH_EXPMAX", "five minutes")
	defer os.Unsetenv("FTSH_EXPMAX")
	_, err := backoff.FromEnvironment(os.LookupEnv)
	fmt.Println(err)
	// Output: FTSH_EXPMAX is "five minutes", wanted seconds of at least 0.001, such as 30 or 0.5
}

func ExampleWithDeadline() {
	clock := &backoff.Virtual{}
	ctx, cancel := backoff.WithDeadline(context.Background(), clock, 5*time.Second, errors.New("time limit of 5 s"))
	defer cancel()
	clock.Advance(4 * time.Second)
	fmt.Println(context.Cause(ctx))
	clock.Advance(time.Second)
	fmt.Println(context.Cause(ctx))
	// Output:
	// <nil>
	// time limit of 5 s
}
