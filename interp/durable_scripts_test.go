package interp_test

import "strings"

// durableScripts are run without a crash, and then with one at each point. Programs are `act NAME [STATUS]`, `say
// TEXT`, `when NAME`, which tells the time, too, and `die`, which the shell does not survive. What they are called
// is told apart by the ledger.
var durableScripts = map[string]string{
	"large": `
function two
  act in
  return 2
end
say ` + strings.Repeat("x", 70_000) + ` -> x
if $x .ne. two()
  act large
end
`,
	"sequence": `
x=1
act a
x=$x .add. 1
act b$x
y="$x and more"
act "c$y"
`,
	"captures": `
say one -> a
say two -> b
say three ->> a
act "$a/$b"
`,
	"loops": `
for i in 1 .to. 3
  act item$i
  n=0
  while $n .lt. $i
    n=$n .add. 1
    if $n .eq. 2
      continue
    end
    act turn$i.$n
  end
end
for w in x y z
  if $w .eq. z
    break
  end
  act $w
end
act end$n
`,
	"tests": `
n=0
while try act test$n 0
  if try act no$n 1
    act never
  else if $n .eq. 1
    act branch$n
    break
  else
    act else$n
  end
  n=$n .add. 1
end
`,
	"functions": `
total=0
function down
  local n=$1
  local m
  act in$n
  if $n .gt. 0
    m=$n .sub. 1
    down $m
    act out$n
  end
  total=$total .add. 1
end
function sum
  local left=$1
  act sum$left
  if $left .le. 0
    return 0
  end
  return $left .add. sum($left .sub. 1)
end
down 2
s=sum(2) .add. sum(1)
set -- p q r
shift
act "$s $total $1 $2"
`,
	"attempts": `
try 3 times every 10 seconds
  act maybe${try.attempt} 1
catch
  act caught${error.status}
  x=caught
finally
  act finally
  x="$x finally"
end
try for 1 hour
  act maybe 0
end
act "$x"
`,
	"alternatives": `
forany h in a b c .inorder.
  act maybe$h
  if $h .ne. c
    failure no
  end
end
act chosen$h
`,
	"branches": `
forall b in a b c .keepgoing. .limit. 1
  x=$b
  act one$b
  sleep 1 second
  x="$x$x"
  act two$x
end
act end
`,
	"items left": `
try
  forall b in a "b
c" d "" .keepgoing. .limit. 1
    if $b .ne. a
      act "maybe<$b>" 1
    end
  end
catch
  act caught
  for b in "${error.items}"
    act "again<$b>"
  end
  set -- "${error.items}"
  act "$#"
  for b in "${error.items}"
    try 2 times every 1 second
      act "last<$b>"
    end
  end
end
try
  for n in 1 .to. 5
    if $n .eql. 3
      act maybe 1
    end
  end
catch
  set -- "${error.items}"
  act "$*"
end
`,
	"files": `
for i in 1 .to. 2
  act in$i
end > nothing
try for 3 times
  act block
end >> nothing
act one < /dev/null
function both
  act fun$1
  act fun$1$1
end
both 1 > nothing
function single
  act single$1
end
single 2 -> out
act end
`,
	"outputs": `
for i in 1 .to. 2
  say in$i
end > out
try for 3 times
  say block
finally
  say clean
end >> out
function both
  say fun$1
  say fun$1$1
end
both 1 >> out
try
  say body
finally
  say late
end => atomic
try
  say body
finally
  say late
end -> v
act "$v"
forany h in a
  say from$h
end => chosen
forany h in a
  say from$h
end ->> v
act "$v"
`,
	"pipes": `
echo a | act b
echo x | say y -> v
act "$v"
forany h in a b .hedge. 1 hour .inorder.
  act hedged$h
end
act "$h"
`,
	"settings": `
export E=1
cd /
unset Q
sleep 30
act "$E $PWD"
E=2
sleep 1 minute
act "$E"
pwd -> where
act "$where"
`,
}
