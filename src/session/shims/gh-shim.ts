/**
 * What stands for `gh` where answers must always be the same.
 *
 * A script for the shell, since a sandbox may have nothing else. It talks to
 * nobody, and it starts no other `gh`: what it does not know it refuses. Issues
 * that are made are kept beside it, so that later commands of the sandbox find them.
 */
export const GH_SHIM = String.raw`
# Nothing here is a pattern for names of files.
set -f
state=$(dirname -- "$(dirname -- "$0")")/state/gh
issues=$state/issues

refuse() {
  printf 'gh shim: %s is not supported here, expected: version, auth status, api, search issues, repo view, issue list|create|view|edit|comment|close|reopen\n' "$1" >&2
  exit 1
}

# Text as a string of JSON.
quote() {
  printf '"'
  printf '%s' "$1" | tr -d '\000-\010\013\014\016-\037' |
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\t/\\t/g' -e 's/\r/\\r/g' |
    sed -e ':a' -e 'N' -e '$!ba' -e 's/\n/\\n/g'
  printf '"'
}

# Fields of a record, by a function that prints the value of one.
pick() {
  get=$1
  first=yes
  printf '{'
  old=$IFS
  IFS=,
  for field in $2; do
    [ "$first" = yes ] || printf ','
    first=no
    quote "$field"
    printf ':'
    "$get" "$field"
  done
  IFS=$old
  printf '}\n'
}

# Flags with a value that commands have in common; the rest is in rest1 and rest2.
read_flags() {
  repo= json= title= body= labels= rest1= rest2=
  while [ "$#" -gt 0 ]; do
    flag=$1 value= shifted=1
    case $1 in
      --?*=*) flag=$(printf '%s' "$1" | sed -e 's/=.*//' -e 'q')
        value=$(printf '%s' "$1" | sed -e '1s/^[^=]*=//') ;;
      -R|--repo|--json|-t|--title|-b|--body|-F|--body-file|-l|--label|--add-label|--remove-label|-a|--assignee|--add-assignee|-m|--milestone|-q|--jq|-T|--template|-L|--limit|-s|--state|-S|--search|-A|--author|-c|--comment|-r|--reason|-p|--project)
        value=$2 shifted=2 ;;
      -*) ;;
      *) if [ -z "$rest1" ]; then rest1=$1; else rest2=$1; fi ;;
    esac
    case $flag in
      -R|--repo) repo=$value ;;
      --json) json=$value ;;
      -t|--title) title=$value has_title=1 ;;
      -b|--body) body=$value has_body=1 ;;
      -F|--body-file) body=$(if [ "$value" = - ]; then cat; else cat -- "$value"; fi) || exit 1
        has_body=1 ;;
      -l|--label|--add-label) if [ -z "$labels" ]; then labels=$value; else labels=$labels,$value; fi ;;
    esac
    [ "$shifted" -le "$#" ] || refuse "$flag without a value"
    shift "$shifted"
  done
  [ -n "$repo" ] || repo=eval/repo
}

# A number, or the address of an issue.
issue_of() {
  number=$(printf '%s' "$1" | sed -e 's,.*/issues/,,' -e 's/^#//')
  case $number in
    ''|*[!0-9]*) printf 'gh shim: "%s" is no issue, expected a number\n' "$1" >&2; exit 1 ;;
  esac
  at=$issues/$number
  url=https://github.com/$repo/issues/$number
}

# One that nobody made is there all the same.
kept() {
  if [ -f "$at/$1" ]; then cat -- "$at/$1"; else printf '%s' "$2"; fi
}

keep() {
  mkdir -p -- "$at" || exit 1
  printf '%s' "$2" > "$at/.new-$$" && mv -f -- "$at/.new-$$" "$at/$1" || exit 1
}

list_of() {
  printf '['
  comma=
  count=1
  while [ -f "$at/$1-$count" ]; do
    printf '%s' "$comma"
    comma=,
    "$2" "$(cat -- "$at/$1-$count")"
    count=$((count + 1))
  done
  printf ']'
}

comment_json() { printf '{"author":{"login":"eval"},"body":'; quote "$1"; printf '}'; }
label_json() { printf '{"name":'; quote "$1"; printf '}'; }

issue_field() {
  case $1 in
    number) printf '%s' "$number" ;;
    title) quote "$(kept title "Issue $number")" ;;
    body) quote "$(kept body '')" ;;
    state) quote "$(kept state OPEN)" ;;
    url) quote "$url" ;;
    author) printf '{"login":"eval"}' ;;
    comments) list_of comment comment_json ;;
    labels) list_of label label_json ;;
    assignees) printf '[]' ;;
    *) printf 'null' ;;
  esac
}

repo_field() {
  case $1 in
    name) quote "$(basename -- "$repo")" ;;
    nameWithOwner) quote "$repo" ;;
    owner) printf '{"login":'; quote "$(dirname -- "$repo")"; printf '}' ;;
    url) quote "https://github.com/$repo" ;;
    *) printf 'null' ;;
  esac
}

# The next free number of that kind, taken by making its file.
add() {
  mkdir -p -- "$at" || exit 1
  count=1
  until (set -C; printf '%s' "$2" > "$at/$1-$count") 2>/dev/null; do
    [ -e "$at/$1-$count" ] || exit 1
    count=$((count + 1))
  done
}

add_labels() {
  old=$IFS
  IFS=,
  for label in $labels; do add label "$label"; done
  IFS=$old
}

create_issue() {
  [ -n "$has_title" ] || refuse '"issue create" without --title'
  mkdir -p -- "$issues" || exit 1
  number=101
  until mkdir -- "$issues/$number" 2>/dev/null; do
    [ -d "$issues/$number" ] || { echo "gh shim: the issue could not be kept" >&2; exit 1; }
    number=$((number + 1))
  done
  issue_of "$number"
  keep title "$title"
  keep body "$body"
  add_labels
  printf '%s\n' "$url"
}

view_issue() {
  if [ -n "$json" ]; then pick issue_field "$json"; return; fi
  printf 'title:\t%s\nstate:\t%s\nnumber:\t%s\n--\n%s\n' \
    "$(kept title "Issue $number")" "$(kept state OPEN)" "$number" "$(kept body '')"
}

on_issue() {
  verb=$1
  shift
  read_flags "$@"
  case $verb in
    list) [ -z "$json" ] || echo '[]'; exit 0 ;;
    create) create_issue; exit 0 ;;
    view|edit|comment|close|reopen) issue_of "$rest1" ;;
    *) refuse "\"issue $verb\"" ;;
  esac
  case $verb in
    view) view_issue ;;
    edit)
      [ -z "$has_title" ] || keep title "$title"
      [ -z "$has_body" ] || keep body "$body"
      add_labels
      printf '%s\n' "$url" ;;
    comment)
      [ -n "$has_body" ] || refuse '"issue comment" without --body'
      add comment "$body"
      printf '%s#issuecomment-%s\n' "$url" "$count" ;;
    close) keep state CLOSED; printf 'Closed issue #%s\n' "$number" ;;
    reopen) keep state OPEN; printf 'Reopened issue #%s\n' "$number" ;;
  esac
}

view_repo() {
  read_flags "$@"
  [ -z "$rest1" ] || repo=$(printf '%s' "$rest1" | sed -e 's,^https://github.com/,,' -e 's,\.git$,,')
  if [ -n "$json" ]; then pick repo_field "$json"; else printf 'https://github.com/%s\n' "$repo"; fi
}

# The first word that is no flag and no value of one.
call_api() {
  route=
  while [ "$#" -gt 0 ]; do
    case $1 in
      -X|--method|-H|--header|-f|--raw-field|-F|--field|--input|-q|--jq|-t|--template|-p|--preview|--hostname|--cache)
        [ "$#" -gt 1 ] || refuse "$1 without a value"
        shift ;;
      -*) ;;
      *) [ -n "$route" ] || route=$1 ;;
    esac
    shift
  done
  [ -n "$route" ] || refuse '"api" without a route'
  case $route in
    */comments*) echo '[]' ;;
    search/issues*|*/search/issues*) echo '{"items":[]}' ;;
    *) echo '{}' ;;
  esac
}

has_title= has_body=
case "$1 $2" in
  ' '|'--version '*|'version '*) echo 'gh version 2.0.0 (writ eval)' ;;
  'auth status') echo 'github.com: logged in as eval (writ eval)' ;;
  'api '*) shift; call_api "$@" ;;
  'search issues') shift 2; read_flags "$@"; [ -z "$json" ] || echo '[]' ;;
  'repo view') shift 2; view_repo "$@" ;;
  'issue '*) shift; on_issue "$@" ;;
  *) refuse "\"$1 $2\"" ;;
esac
`;
