# The keeper of a bash session: what has to be done beside the shell, inside its sandbox.
#
# `bash --noprofile --norc -p bash-keeper.bash NUMBER`, where NUMBER is that of the system call `read`. The server drives
# the shell (src/mcp/repl/shell/); this makes the pipes that it needs, carries its words, and looks
# at processes for it. No interpreter but bash itself is started for that.
#
# An interactive bash reads its commands from a pipe and writes its prompts to another one; both are
# ours. A cell is one `eval` whose standard streams are pipes of this process, opened by their path
# in `/proc` for that one command: the shell holds no descriptor of ours that a cell could close,
# prompts and traces of our own commands never meet the output of a cell, and `exec >file` ends with
# the cell. `PS1` carries a number that grows with each command and the status of the last.
#
# Output goes to the server as it is. What is said of it stands in both streams, behind all that was
# printed before: a mark is a NUL, a key that is made here, and a word, on a line. The key comes first.

reads=$1 is_carried=
unset -v "${!MCP_REPL_@}" "${!WRIT_@}"
read -r key </proc/sys/kernel/random/uuid
read -r token </proc/sys/kernel/random/uuid

# A document is handed over in a pipe, where bash is new enough; a program that ends at once leaves one too.
pipes() {
  local fd
  for fd; do
    if [[ -p /dev/fd/$fd ]]; then read -r -u "$fd" _; else eval "exec $fd<> <(:)"; fi
  done
}

# What the shell needs comes first; the rest is made while that starts.
# 6 and 7: the output of cells. 8: prompts. 9 and 10: commands.
exec 8<<<. 9<<<.
pipes 8 9
exec 10>/dev/fd/9 8<>/dev/fd/8
# Only to be read, so that it ends: an older bash has it open for both.
exec 9</dev/fd/9
# Cells open these by their path, which no socket lets them: then programs beside carry what they print.
if [[ -p /dev/fd/1 && -p /dev/fd/2 ]]; then
  exec 6>&1 7>&2
else
  exec 6<<<. 7<<<.
  pipes 6 7
  exec 6<>/dev/fd/6 7<>/dev/fd/7
  is_carried=1
fi

mark() {
  printf '\0%s:%s\n' "$key" "$1" >&6
  printf '\0%s:%s\n' "$key" "$1" >&7
}

printf '%s\n' "$key" >&6
printf '%s\n' "$key" >&7
prompt="PS1='$token:\\#:\$?;'"
printf '\n%s PS2=; set +H +o history; unset HISTFILE MAILCHECK\n' "$prompt" >&10
streams="0</proc/$$/fd/5 1>>/proc/$$/fd/6 2>>/proc/$$/fd/7"

# In a group of its own: what interrupts it must not reach what is beside it.
set -m
(
  SHLVL=$((SHLVL - 1))
  if [[ -n ${BASH_ENV-} ]]; then . "$BASH_ENV" >/dev/null; fi
  exec -a bash "$BASH" --noprofile --norc --noediting -i
) 0<&9 1>/dev/fd/6 2>/dev/fd/8 6>&- 7>&- 8>&- 9<&- 10>&- &
shell=$!
set +m
# From here on, so that the shell and what it starts do not inherit it.
trap '' INT PIPE
LC_ALL=C

# Tells of each prompt.
(
  # Only to be read, so that it ends when all who write to it have.
  exec 8</dev/fd/8 2>/dev/null 9<&- 10>&-
  while IFS= read -r -d ';' said <&8; do
    said=${said##*"$token:"}
    if [[ $said =~ ^[0-9]+:[0-9]+$ ]]; then mark "p:$said"; fi
  done
) &
helpers=("$!")

if [[ -n $is_carried ]]; then
  cat </dev/fd/6 6>&- 7>&- 8>&- 9<&- 10>&- 2>/dev/null &
  helpers+=("$!")
  cat </dev/fd/7 >&2 6>&- 7>&- 8>&- 9<&- 10>&- &
  helpers+=("$!")
fi

# 5 and 15: the input of cells. 11 and 12: nothing, and its end with this process.
exec 5<<<. 11<<<.
pipes 5 11
exec 12>/dev/fd/11 15>/dev/fd/5
exec 5</dev/fd/5 9<&- 11</dev/fd/11

# The descriptor that a process sleeps in a read of, as `fd`.
sleeps() {
  local call
  read -r call fd _ <"/proc/$1/syscall" || return 1
  [[ $call == "$reads" ]] && fd=$((fd))
}

children() {
  kids=()
  read -r -a kids <"/proc/$1/task/$1/children" || :
}

# Whether a process sleeps in a read of the input of cells.
asks() {
  local fd
  sleeps "$1" && [[ /proc/$1/fd/$fd -ef /dev/fd/5 ]]
}

# Whether it does, or one that it started.
reads_input() {
  local kid kids
  if asks "$1"; then return 0; fi
  children "$1"
  for kid in "${kids[@]}"; do reads_input "$kid" && return 0; done
  return 1
}

awaits_command() {
  local fd
  sleeps "$shell" && [[ $fd == 0 && /proc/$shell/fd/0 -ef /dev/fd/10 ]]
}

# Whether its prompt was told: that is in the pipe by then, and whoever tells of it sleeps once it has.
is_told() {
  local fd
  sleeps "${helpers[0]}"
}

look() {
  if [[ -z $feeder ]] || ! kill -0 "$feeder"; then
    if reads_input "$shell"; then mark "l:$1:input"; return; fi
  fi
  if awaits_command && is_told; then mark "l:$1:command"; else mark "l:$1:"; fi
}

# Waits until something holds, though not for ever.
wait_until() {
  local tries
  for ((tries = 0; tries < 2000; tries++)); do
    "$@" && return
    read -r -t 0.001 -u 11 _
  done
}

# Whether the shell has read all that it was given to run.
has_read() {
  ! read -r -t 0 </dev/fd/10
}

# Reaches the shell's own group, and where it has job control that of the child it started last,
# which is the one it waits for: of several within one tick, the last in the list. Not while it reads
# a command: it would let go of what it has, and run the rest as if that were one.
signal_shell() {
  local kid kids line fields latest=-1 group=0
  wait_until has_read
  children "$shell"
  for kid in "${kids[@]}"; do
    line=
    IFS= read -r -d '' line <"/proc/$kid/stat"
    read -r -a fields <<<"${line##*) }"
    if ((${fields[19]:-0} >= latest)); then latest=${fields[19]} group=${fields[2]}; fi
  done
  kill -INT -- "-$shell"
  # Number 1 would mean everybody.
  if ((group > 1 && group != shell)); then kill -INT -- "-$group"; fi
}

# Whether a set of signals that `/proc` tells of a process has SIGINT. It is read to its end: what is left of a file
# of a process that has ended meanwhile bash would give to whoever reads the next one.
has_interrupt() {
  local text=
  IFS= read -r -d '' text <"/proc/$1/status" || :
  [[ $text =~ $'\n'"$2:"[[:space:]]*([0-9a-f]+) ]] && ((16#${BASH_REMATCH[1]} & 2))
}

# The words that the shell was started with, and those of any process as `line`.
words="bash --noprofile --norc --noediting -i "
line_of() {
  local word
  line=
  while IFS= read -r -d '' word; do line+="$word "; done <"/proc/$1/cmdline"
}

# The programs that a shell, or a copy of it, waits for, as `programs`. What it left in the background ignores
# interrupts; so does a program while it waits for another one, which hears them (`git` for its editor, `system` of
# C and perl).
waits_for() {
  local kid kids line
  children "$1"
  for kid in "${kids[@]}"; do
    line_of "$kid"
    if [[ $line == "$words" ]] || has_interrupt "$kid" SigIgn; then waits_for "$kid"; else programs+=("$kid"); fi
  done
}

# Whether one of these has not ended, whoever was told so.
is_any() {
  local pid line fields
  for pid; do
    line=
    IFS= read -r -d '' line <"/proc/$pid/stat" || :
    read -r -a fields <<<"${line##*) }"
    [[ ${fields[0]:-Z} != [ZX] ]] && return
  done
  return 1
}

# Whether an interrupt was lost: the shell has taken it, the programs of then are gone, and it is still busy. One that it
# heard would have brought it to its prompt: it does not go on to a `read` of its own.
is_lost() {
  local polls
  for ((polls = 0; polls < 250; polls++)); do
    read -r -t 0.002 -u 11 _
    if awaits_command; then return 1; fi
    if is_calm && asks "$shell"; then return 0; fi
    if ! asks "$shell" && reads_input "$shell"; then return 1; fi
    if ((polls > 1)) && ! is_any "$@" && is_calm; then return 0; fi
  done
  return 1
}

# A shell takes an interrupt for heard by the program it waits for, and goes on, where that ends by itself in the same
# moment. So it is said again then; not where the user's own code may hear each, and not to
# programs that take their time.
interrupt() {
  local tries programs line
  for ((tries = 0; tries < 128; tries++)); do
    programs=()
    waits_for "$shell"
    signal_shell
    # A program that took the place of the shell (`exec`) has heard it.
    line_of "$shell"
    if [[ -n $may_trap || $line != "$words" ]] || ! is_lost "${programs[@]}"; then return; fi
  done
}

# Whether the shell has taken every interrupt.
is_calm() {
  ! has_interrupt "$shell" ShdPnd
}

# An interrupt that came late would take the command with it, were that there first.
run() {
  # Or runs a file that may.
  if [[ $1 == *trap* || $1 =~ (^|[^[:alnum:]_./-]|\\n|\\t)(source|\.|eval)[[:space:]\\] ]]; then may_trap=1; fi
  wait_until is_calm
  printf "'builtin' 'eval' -- %b %s\n" "$1" "$streams" >&10
}

# What a cell did not read is not the input of the next.
discard() {
  if [[ -n $feeder ]]; then kill -9 "$feeder"; fi
  feeder=
  exec 15>/dev/fd/5
  while read -r -t 0 -u 5; do read -r -N 65536 -t 0.01 -u 5 _; done
}

# Asks the shell to end: it runs its EXIT trap, if that is done before the words of the server end.
hang_up() {
  awaits_command || kill -HUP -- "-$shell"
  exec 10>&-
  ( read -r -t 0.3 -u 11 _; kill -9 -- "-$shell" ) &
}

# Does what the server says, a line at a time. Text in it is as `printf %b` reads it.
(
  exec 1>&2 2>/dev/null 8>&- 12>&-
  feeder= may_trap=
  while IFS= read -r line; do
    rest=${line:1}
    case $line in
      r*) run "$rest" ;;
      l*) look "$rest" ;;
      # So little always fits: whoever is fed was seen to have read all.
      f*) printf %b "$rest" >&15 ;;
      b*)
        printf %b "$rest" >&15 10>&- &
        feeder=$!
        ;;
      e*) exec 15>&- ;;
      d*) discard ;;
      i*) interrupt ;;
      p*) printf "'builtin' 'eval' \"%s; shopt -s promptvars; (exit \$?)\"\n" "${prompt//[\$\\]/\\&}" >&10 ;;
      h*) hang_up ;;
      q*) break ;;
    esac
  done
) <&0 &
router=$!
exec 0<&- 10>&- 15>&-
# Ends the shell's group when this process is gone, however it went.
set -m
( read -r _; kill -9 -- "-$shell" ) 0<&11 1>/dev/null 2>&1 5<&- 6>&- 7>&- 8>&- 11<&- 12>&- &
set +m
# 14: what bash says of children of this process.
exec 14<<<.
pipes 14
exec 14<>/dev/fd/14
exec 2>&14

# None of these ends before the shell, unless somebody ends it: then this is over too.
wait -n "$shell" "$router" "${helpers[@]}"
status=$?
# Of a child that was ended by a signal, bash says so, but for these two.
is_signal() { ((status > 128)) && { read -r -t 0 -u 14 || ((status == 141 || status == 143)); }; }
if is_signal; then how=signal number=$((status - 128)); else how=exit number=$status; fi
exec 2>/dev/null
if ! kill -0 "$shell"; then
  mark "x:$how:$number"
  wait "$router"
  status=0
fi
kill -9 -- "-$shell" "${helpers[@]}" "$router"
exit "$status"
