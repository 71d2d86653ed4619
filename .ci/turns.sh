# Divides files of dear tests between commits. `left_out FILE…` prints those whose turn it is not: every other one, by
# $first_seed, so that a commit has always the same and two commits seldom leave the same out for long. Files that changed in
# the last twenty commits always have their turn, and with STEPWELL_CI_WHOLE all have.
# In a shallow clone the oldest commit seems to add all files, and says nothing.
changed_lately=$(git -c log.showRoot=false log -20 --format= --name-only)
left_out() {
  local index=0 file
  [ -z "${STEPWELL_CI_WHOLE:-}" ] || return 0
  for file; do
    index=$((index + 1))
    [ $(((index + first_seed) % 2)) = 0 ] || grep -qxF -- "$file" <<<"$changed_lately" || echo "$file"
  done
}

# Prints the files whose turn it is.
taken() {
  local file left=" $(left_out "$@" | tr '\n' ' ')"
  for file; do
    [[ $left == *" $file "* ]] || echo "$file"
  done
}
