/** Settings of each connection, on any engine. */
export const SESSION = [
  'TimeZone = UTC',
  // Statements are short; compiling them takes longer than they do.
  'jit = off',
  // Plans are made for the values of each execution: a partial index can only be used when they are known, and a list
  // of ids may hold one or thousands.
  'plan_cache_mode = force_custom_plan',
  // Every statement has an index that bounds it, which a test checks. The planner would choose a scan where statistics
  // are old or missing, as they are in the embedded database.
  'enable_seqscan = off',
  // A list reads the first rows of an index and stops. A bitmap of the index costs as much as all of its rows, and
  // looks cheap where neighbouring pages are assumed to be cheaper to read than others.
  'random_page_cost = 1',
]
