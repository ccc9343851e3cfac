import { invoke } from "@tauri-apps/api/core";
import type { RunHost } from "./run-host";

/** Running loops, in the real window. */
export const tauriRuns: RunHost = {
  reviewStart: (form) => invoke("review_start", { form }),
  startLoop: (form) => invoke("start_loop", { form }),
  folderFacts: (path) => invoke("folder_facts", { path }),
  prefillForm: (text) => invoke("prefill_form", { text }),
  formOf: (key) => invoke("form_of", { key }),
  draft: () => invoke("draft"),
  saveDraft: (form) => invoke("save_draft", { form }),
  templates: () => invoke("templates"),
  saveTemplate: (template) => invoke("save_template", { template }),
  deleteTemplate: (name) => invoke("delete_template", { name }),
  trust: (path, trusted) => invoke("trust", { path, trusted }),
  trusted: () => invoke("trusted"),
  planOf: (key) => invoke("plan_of", { key }),
  launch: (key, plan, raiseLimitTo) => invoke("launch", { key, plan, raiseLimitTo }),
  pauseNow: (key) => invoke("pause_now", { key }),
  stopNow: (key) => invoke("stop_now", { key }),
  runs: (key) => invoke("runs", { key }),
  output: (key, run, first, count) => invoke("output", { key, run, first, count }),
  outputText: (key, run, row) => invoke("output_text", { key, run, row }),
  findOutput: (key, run, search) => invoke("find_output", { key, run, search }),
  needs: () => invoke("needs"),
  answer: (id, answer) => invoke("answer", { id, answer }),
  agents: (again) => invoke("agents", { again }),
  saveAgent: (agent) => invoke("save_agent", { agent }),
  removeAgent: (id) => invoke("remove_agent", { id }),
  setProgram: (id, program) => invoke("set_program", { id, program }),
  pickFolder: () => invoke("pick_folder"),
  pickProgram: () => invoke("pick_program"),
};
