# Divides files of dear tests between commits: `taken FILE…` prints those of a commit, every fourth one by $first_seed, so that a
# commit has always the same and others seldom leave the same out for long. Files that changed in the last twenty commits are
# always among them, and with STEPWELL_CI_WHOLE all are. In a shallow clone the oldest commit seems to add all files, and says nothing.
turns=4
changed_lately=$(git -c log.showRoot=false log -20 --format= --name-only)

# Prints the files whose turn it is at a commit that is so many later, and which did not change lately.
of_turn() {
  local later=$1 index=0 file
  shift
  for file; do
    index=$((index + 1))
    [ $(((index + first_seed + later) % turns)) != 0 ] || grep -qxF -- "$file" <<<"$changed_lately" || echo "$file"
  done
}

taken() {
  local file
  if [ -n "${STEPWELL_CI_WHOLE:-}" ]; then printf '%s\n' "$@"; return; fi
  of_turn 0 "$@"
  for file; do
    ! grep -qxF -- "$file" <<<"$changed_lately" || echo "$file"
  done
}

# Prints other files than `taken`, as many, and with STEPWELL_CI_WHOLE all.
taken_elsewhere() {
  if [ -n "${STEPWELL_CI_WHOLE:-}" ]; then printf '%s\n' "$@"; else of_turn 2 "$@"; fi
}
