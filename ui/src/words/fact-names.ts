/** Facts that two formats call differently, by the one name that the catalogues have words for. */
export const SAME_FACT: Readonly<Record<string, string>> = {
  completed: "completed_at",
  consecutive_no_progress: "stall_count",
  created: "created_at",
  current_cli_step: "current_step",
  duration_ms: "duration",
  ended_at: "completed_at",
  generated: "created_at",
  iteration: "current_iteration",
  last_updated: "updated_at",
  reason: "failure_reason",
  runs: "validate_runs",
  session_count: "session_mapping",
  started: "started_at",
  tasks_completed: "completed_tasks",
  tasks_total: "total_tasks",
  updated: "updated_at",
};
