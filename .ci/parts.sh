# Runs parts of CI at once, in as many lanes as there are cores: `part NAME COMMAND…` lists one, `run_parts` runs them in the
# order of the list. `part_beside` lists one that waits for most of its time, and takes no lane. The output of a part is shown in
# one piece when it has ended. After a failure no further part begins
# (unless STEPWELL_CI_KEEP_GOING is set), and run_parts fails when those under way have ended. Needs bash 5.1, and $work, a
# folder for the outputs.
lanes=${STEPWELL_CI_LANES:-$(nproc)}
part_names=()
part_commands=()
declare -A takes_no_lane=()
# Parts under way by their processes, and how many of them take a lane.
declare -A under_way=()
taken_lanes=0
part() {
  part_names+=("$1")
  shift
  part_commands+=("$(printf '%q ' "$@")")
}
part_beside() {
  takes_no_lane[${#part_names[@]}]=yes
  part "$@"
}

# A process group of its own, so that all of a part can be ended.
begin_part() {
  set -m
  {
    TIMEFORMAT='-- %R s, %U + %S s of processor time'
    time (
      set -euo pipefail
      eval "${part_commands[$1]}"
    )
  } >"$work/part-$1.log" 2>&1 </dev/null &
  under_way[$!]=$1
  set +m
  [ -n "${takes_no_lane[$1]:-}" ] || taken_lanes=$((taken_lanes + 1))
  echo "-- begins: ${part_names[$1]}"
}

end_parts() {
  local pid
  for pid in "${!under_way[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
}

run_parts() {
  local next=0 failed=() pid status index times=()
  while :; do
    while [ $next -lt ${#part_names[@]} ] && { [ $taken_lanes -lt "$lanes" ] || [ -n "${takes_no_lane[$next]:-}" ]; } &&
      { [ ${#failed[@]} = 0 ] || [ -n "${STEPWELL_CI_KEEP_GOING:-}" ]; }; do
      begin_part $next
      next=$((next + 1))
    done
    [ ${#under_way[@]} -gt 0 ] || break
    status=0
    wait -n -p pid "${!under_way[@]}" || status=$?
    index=${under_way[$pid]}
    unset "under_way[$pid]"
    [ -n "${takes_no_lane[$index]:-}" ] || taken_lanes=$((taken_lanes - 1))
    printf '\n== %s\n' "${part_names[$index]}"
    cat "$work/part-$index.log"
    times+=("$(tail -n 1 "$work/part-$index.log" | grep '^-- ' || echo '-- ended'): ${part_names[$index]}")
    if [ "$status" != 0 ]; then
      echo "-- FAILED with $status: ${part_names[$index]}"
      failed+=("${part_names[$index]}")
    fi
  done
  printf '\n== how long each part took, beside others\n'
  printf '%s\n' "${times[@]}"
  if [ ${#failed[@]} -gt 0 ]; then
    printf 'FAILED: %s\n' "${failed[@]}"
    [ $next = ${#part_names[@]} ] || printf 'not run: %s\n' "${part_names[@]:$next}"
    return 1
  fi
}
