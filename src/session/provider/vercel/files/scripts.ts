/**
 * What is done with files of a VM, as scripts whose exit status says what came of it.
 *
 * The service makes folders and unpacks archives, but not as a whole, not through
 * links, and with errors that are text. The shell of the VM can be asked exactly.
 */
import type { Told } from "../../attempt.ts";

/** The status that scripts end with, and what it means. */
export const SCRIPT_ENDS: Readonly<Record<number, Told>> = {
  40: ["forbidden", "the rights of the user in the VM do not allow it, expected a path they open"],
  41: ["exists", "something is there, expected nothing"],
  42: ["invalidInput", "it is a folder, expected a file"],
  43: ["invalidInput", "a part of its path is no folder, expected one"],
  44: ["notFound", "there is nothing of that name, expected a file or folder"],
  45: ["invalidInput", "it is not what this can be done with, expected a plain file"],
};

/** Of what is absent. */
export const ABSENT = 44;

/** Ends as absent, unless somebody may not look or a part of the path is a file. */
const FUNCTIONS = `
absent() {
  d=\${1%/*}
  while [ -n "$d" ] && [ ! -e "$d" ]; do d=\${d%/*}; done
  [ -n "$d" ] || exit 44
  [ -d "$d" ] || exit 43
  [ -x "$d" ] || exit 40
  exit 44
}
resolve() {
  t=$1
  if [ -e "$t" ]; then t=$(readlink -f -- "$t" && printf x); t=\${t%?x}; fi
  d=\${t%/*}
  [ -n "$d" ] || d=/
}
`;

const MAKE_FOLDER = `${FUNCTIONS}
taken() { [ -e "$1" ] || [ -L "$1" ]; }
if taken "$1"; then exit 41; fi
p=\${1%/*}
[ -n "$p" ] || p=/
[ -e "$p" ] || absent "$1"
[ -d "$p" ] || exit 43
mkdir -- "$1" 2>/dev/null && exit 0
if taken "$1"; then exit 41; fi
exit 40`;

const LOOK = `${FUNCTIONS}
[ -e "$1" ] || absent "$1"
[ ! -d "$1" ] || exit 42
[ -f "$1" ] || exit 45
[ -r "$1" ] || exit 40
[ -s "$1" ] || printf empty`;

/** No name holds a slash: kind, slash, name, two slashes. */
const LIST = `${FUNCTIONS}
[ -e "$1" ] || absent "$1"
[ -d "$1" ] || exit 43
[ -r "$1" ] || exit 40
cd -- "$1" 2>/dev/null || exit 40
for f in * .[!.]* ..?*; do
  if [ -L "$f" ]; then k=link
  elif [ -f "$f" ]; then k=file
  elif [ -d "$f" ]; then k=folder
  elif [ -e "$f" ]; then k=other
  else continue
  fi
  printf '%s/%s//' "$k" "$f"
done`;

/** All are looked at before the first is taken away. */
const REMOVE = `${FUNCTIONS}
is_folder() { [ -d "$1" ] && [ ! -L "$1" ]; }
for f do
  if [ ! -e "$f" ] && [ ! -L "$f" ]; then absent "$f"; fi
  if is_folder "$f" && [ -n "$(ls -A -- "$f" 2>/dev/null)" ]; then exit 41; fi
done
for f do
  if is_folder "$f"; then rmdir -- "$f" 2>/dev/null || exit 40
  else rm -f -- "$f" 2>/dev/null || exit 40
  fi
done`;

/** With all that is in it, and whether it is there or not. */
const SWEEP = 'rm -rf -- "$@" 2>/dev/null || exit 40';

/** A folder that only the user of the VM can look into. */
const STAGE = `umask 077; mkdir -- "$1" 2>/dev/null || exit 40`;

/** The stage, then number, mode, place and whose mode it takes, of each. Puts each file beside its place, as it is to be there. */
const PUT_BESIDE = `${FUNCTIONS}
s=$1
shift
while [ "$#" -gt 0 ]; do
  resolve "$3"
  if [ -e "$t" ]; then
    [ ! -d "$t" ] || exit 42
    [ -f "$t" ] || exit 45
    [ -w "$t" ] || exit 40
  elif ! mkdir -p -- "$d" 2>/dev/null; then
    while [ -n "$d" ] && [ ! -e "$d" ]; do d=\${d%/*}; done
    [ -z "$d" ] || [ -d "$d" ] || exit 43
    exit 40
  fi
  b=$d/.\${s##*/.}-$1
  cat -- "$s/$1" 2>/dev/null > "$b" || exit 40
  if [ -n "$2" ]; then chmod "$2" "$b" || exit 40
  elif [ -e "$t" ]; then chmod --reference="$t" "$b" || exit 40
  elif [ -n "$4" ]; then chmod --reference="$4" "$b" || exit 40
  fi
  shift 4
done`;

const MOVE = `${FUNCTIONS}
s=$1
shift
while [ "$#" -gt 0 ]; do
  resolve "$3"
  mv -fT -- "$d/.\${s##*/.}-$1" "$t" 2>/dev/null || exit 40
  shift 4
done`;

/** What is left beside the places, and the stage. */
const CLEAR = `${FUNCTIONS}
s=$1
shift
while [ "$#" -gt 0 ]; do
  resolve "$3"
  rm -f -- "$d/.\${s##*/.}-$1"
  shift 4
done
rm -rf -- "$s"`;

/** Ends every process that has the mark among its variables, however it was started. */
const END_MARKED = `
round=0
while [ "$round" -lt 100 ]; do
  found=
  for file in $(grep -lzxF -- "$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    found=1
    kill -KILL "\${pid%/environ}" 2>/dev/null
  done
  [ -n "$found" ] || exit 0
  sleep 0.1
  round=$((round + 1))
done
exit 1`;

export const SCRIPTS = {
  makeFolder: MAKE_FOLDER,
  look: LOOK,
  list: LIST,
  remove: REMOVE,
  sweep: SWEEP,
  stage: STAGE,
  putBeside: PUT_BESIDE,
  move: MOVE,
  clear: CLEAR,
  endMarked: END_MARKED,
} as const;
