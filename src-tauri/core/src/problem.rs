//! What is wrong with a state file, in a form that a person and a script can act on.

use serde::Serialize;
use specta::Type;
use std::collections::BTreeMap;

/// The severity of a problem. `Error` means control verbs are refused; `Lint` means another tool reads the
/// file differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing, nothing to do.
    Info,
    /// Read correctly here, read differently by the format's own tools.
    Lint,
    /// The content contradicts itself; the loop can still be controlled.
    Warning,
    /// The file cannot be trusted; nothing is written to it.
    Error,
}

/// One finding in one state file. The words for it live in the catalogues under `problem.<code>`.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Problem {
    /// Stable name, e.g. `E1_not_json` or `V9_unknown_dependency`: rule id of the reference, then a slug.
    pub code: ProblemCode,
    /// How bad it is.
    pub severity: Severity,
    /// Field path such as `skill_state.develop.tasks[2].status`; empty when it concerns the whole file.
    pub path: String,
    /// 1-based line in the state file, when known.
    pub line: Option<u32>,
    /// Named values for the sentence, e.g. `found` and `expected`. Untrusted text: shown escaped.
    pub args: BTreeMap<String, String>,
}

impl Problem {
    /// A problem of the severity its code carries.
    pub fn new(code: ProblemCode, path: impl Into<String>) -> Self {
        Self { code, severity: code.severity(), path: path.into(), line: None, args: BTreeMap::new() }
    }

    /// Sets its 1-based line.
    #[must_use]
    pub fn at_line(mut self, line: impl Into<Option<u32>>) -> Self {
        self.line = line.into();
        self
    }

    /// Adds a named value for the sentence; long values are cut to keep lists small.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.args.insert(name.to_owned(), shorten(&value.to_string(), 200));
        self
    }

    /// Overrides the severity (some rules are errors only at the start gate).
    #[must_use]
    pub fn as_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// Cuts `text` to at most `limit` characters, marking the cut.
#[must_use]
pub fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

macro_rules! problem_codes {
    ($($(#[$doc:meta])* $name:ident = $severity:ident,)*) => {
        /// Every problem the formats define. `F*` file level, `E*`/`W*`/`T*` CCW contract §14, §7.1, `V*` AoT contract §10, `R*` Ralph contract §3, `P*` plans of other tools.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
        #[allow(non_camel_case_types)] // scripts and catalogues use these names as stable codes
        pub enum ProblemCode { $($(#[$doc])* $name,)* }

        impl ProblemCode {
            /// All codes, for the test that the catalogues are complete.
            pub const ALL: &[ProblemCode] = &[$(ProblemCode::$name,)*];

            /// The default severity of a problem with this code.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(ProblemCode::$name => Severity::$severity,)* }
            }

            /// The stable name, e.g. `W1_counters`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(ProblemCode::$name => stringify!($name),)* }
            }
        }
    };
}

problem_codes! {
    /// The file is larger than Loopdeck reads (`size`, `limit` in bytes).
    F1_too_large = Error,
    /// Not a regular file: FIFO, socket, device, folder (`kind`).
    F2_not_a_file = Error,
    /// A symbolic link that leads outside the workspace (`target`).
    F3_outside_workspace = Error,
    /// The operating system refused to read it (`reason`).
    F4_not_readable = Error,
    /// Empty or still being written.
    F5_being_written = Error,
    /// The file exists and is empty.
    F5_empty = Error,
    /// The bytes are not UTF-8 (`offset`).
    F6_not_utf8 = Error,
    /// Nested deeper than any real loop (`limit`).
    F7_too_deep = Error,
    /// The folder of this loop is gone.
    F8_folder_gone = Error,
    /// The state file of this loop is gone while its agent is working.
    F9_file_gone = Error,

    /// Not JSON, or not a JSON object (`reason`).
    E1_not_json = Error,
    /// A complete JSON object followed by the tail of an older version.
    E1_trailing_garbage = Error,
    /// Neither `loop_id` nor `session_id`.
    E2_no_id = Error,
    /// None of `title`, `description`, `task_description`.
    E3_no_title = Error,
    /// `status` is missing or not a word.
    E4_no_status = Error,
    /// `status` is a word that the format does not define (`found`).
    E4_unknown_status = Error,
    /// `loop_id` differs from the file name (`found`, `expected`).
    E5_id_mismatch = Error,
    /// `loop_id` contains path characters (`found`).
    E5_id_is_path = Error,
    /// Iteration numbers are missing, not numbers, negative, or the limit is below 1 (`found`).
    E6_bad_iteration = Error,
    /// `skill_state` is neither object nor null, or Loop-B `mode` is unknown (`found`).
    E7_bad_skill_state = Error,
    /// A repeated key in one object (`key`): readers disagree which one counts.
    E8_duplicate_key = Error,

    /// Counters disagree with the lists (`found`, `expected`).
    W1_counters = Warning,
    /// `completed` although validation did not pass.
    W2_completed_unvalidated = Warning,
    /// Initialised although the status is `pending`.
    W3_initialized_pending = Warning,
    /// A `failure_reason` or `completed_at` left from an earlier end.
    W4_stale_end = Warning,
    /// `completed` or `failed` without `completed_at`, or `failed` without a reason.
    W4_missing_end = Warning,
    /// `confirmed_hypothesis` names no hypothesis, or one that is not confirmed (`found`).
    W5_confirmed_hypothesis = Warning,
    /// Two tasks or hypotheses with the same id (`found`).
    W5_duplicate_id = Warning,
    /// Pass rate, `passed` and failed tests disagree with the latest run (`field`, `found`, `expected`, and `unit`: `percent`
    /// where the two are percentages).
    W6_validation_disagrees = Warning,
    /// The latest run counts different failures than its single tests show (`found`, `expected`).
    W6_totals_disagree = Warning,
    /// A word the format does not define (`found`).
    W7_unknown_word = Warning,
    /// A section of `skill_state` is missing.
    W7_missing_section = Warning,
    /// Beyond the format's limits (`found`).
    W8_out_of_range = Warning,
    /// A time that is unreadable or in the future (`found`).
    W9_bad_time = Warning,
    /// Times written eight hours ahead; corrected for display.
    W9_shifted_time = Info,
    /// Task list in both places.
    W10_two_task_files = Warning,
    /// Two JSON values on one line of the task list.
    W10_glued_lines = Warning,
    /// An unreadable line (`found`).
    W10_bad_line = Warning,
    /// A worker's output that is empty (`file`).
    W10_empty_output = Warning,
    /// A worker's output that is JSON, but not an object (`file`, `found`).
    W10_bad_output = Warning,
    /// A task is `in_progress` and no agent is known.
    W11_orphaned_task = Warning,
    /// A count that only ever rises is lower than in an earlier version (`found`, `expected`): an update was lost.
    W12_went_backwards = Warning,
    /// Loopdeck ended in the middle of a change: files next to the loop do not have their part yet (`files`).
    W13_unfinished_change = Warning,

    /// The Claude skill treats an empty `current_action` as "not initialised" and would plan again.
    T1_reads_as_new = Info,
    /// All tasks are completed; the skill's order picks DEVELOP again, which has nothing to do.
    T2_develops_again = Info,
    /// Hypotheses are open after DEBUG: the skill asks a person next, and in auto mode nobody answers.
    T2_waits_for_input = Info,
    /// The skill stops at its limit without completing and leaves the file `running`.
    T3_limit_leaves_running = Info,
    /// Nothing is pending, and failed tasks are never selected again (`found`).
    T4_never_selected = Info,
    /// A confirmed hypothesis and nothing pending: by the skill's order it validates forever (`found`).
    T5_validates_for_ever = Info,
    /// A file next to the loop has another value (`found`, `expected`, `file`): an update was lost.
    W12_companion_disagrees = Warning,
    /// A file next to the loop names a task or hypothesis that the loop does not have (`found`, `file`).
    W12_unknown_in_companion = Warning,

    /// Front matter is missing.
    V1_no_front_matter = Error,
    /// Front matter is not closed: still being written, or cut off.
    V1_unclosed = Error,
    /// Front matter is not valid YAML (`reason`).
    V1_bad_yaml = Error,
    /// A quote within a quoted text is not escaped, on `count` lines; the YAML is otherwise valid.
    V1_unescaped_quote = Error,
    /// A section that every loop needs is missing or empty.
    V2_missing_section = Error,
    /// A status outside its list of words (`found`).
    V3_unknown_status = Error,
    /// A number of `control` or `constraints` that the plugin's shell would misread (`found`).
    V4_bad_number = Error,
    /// A value of `control` or `constraints` that the plugin's shell would evaluate as arithmetic, which can
    /// run a command (`found`).
    V4_shell_value = Error,
    /// An atom id that is missing, repeated, or has characters the plugin cannot read (`found`).
    V5_bad_id = Error,
    /// Two lines the plugin could take for one field, with different values (`found`).
    V6_ambiguous_field = Error,
    /// Dependencies in a cycle (`cycle`).
    V7_cycle = Error,
    /// A required text of the objective is blank.
    V8_blank_objective = Warning,
    /// The completion check is invalid and can never pass (`reason`).
    V8_bad_base_case = Warning,
    /// A check whose result is known before the work (`found`: `always_passes` or `never_passes`).
    V8_hollow_check = Warning,
    /// A completion check with only quality items: the plugin's tools judge none and let the list pass.
    V8_quality_only = Lint,
    /// A dependency on an atom that does not exist (`found`).
    V9_unknown_dependency = Warning,
    /// OR group and atoms disagree (`found`).
    V10_or_group = Warning,
    /// An OR group without the key `selected` (`found`): none of its choices is active.
    V10_no_selection = Warning,
    /// Decomposition and atoms disagree (`found`).
    V11_decomposition = Warning,
    /// A child lacks a dependency of its parent (`found`).
    V12_child_dependency = Warning,
    /// A resolved atom without binding, or a binding of no atom.
    V13_binding = Warning,
    /// A binding on an unresolved atom.
    V14_binding_unresolved = Warning,
    /// A selection without a matching trail entry (`found`).
    V15_trail = Warning,
    /// A trail entry with an unknown group, an unknown atom, or a time that can't be read (`found`).
    V15_trail_entry = Warning,
    /// An atom is in progress, but no agent is known.
    V16_orphaned_atom = Warning,
    /// Completed with unresolved atoms (`found`).
    V17_completed_unresolved = Warning,
    /// Completed although the completion check cannot have passed.
    V17_completed_unverified = Warning,
    /// Completed, but no passed verification is known here.
    V17_not_verified = Warning,
    /// Stop or redirect flags contradict the status.
    V18_flags = Warning,
    /// Beyond the loop's own limits (`found`, `limit`).
    V19_over_limit = Warning,
    /// The plugin would read this line differently (`rule`).
    V20_layout = Lint,
    /// The front matter approaches the size at which the plugin's hook fails and leaves the status `running`
    /// (`size`, `limit`, and the largest section in `found`).
    V20_front_matter_size = Warning,
    /// A shape of an older version, or a field that no schema lists.
    V21_variant = Info,
    /// One of our redirects or holds is no longer in the file: a writer restored a copy from before it
    /// (`found`).
    V22_redirect_undone = Warning,

    /// A correction with an unknown `type`, or whose `trail_cleared` is neither true nor false (`found`).
    V23_correction = Warning,

    /// The prompt next to the list is missing, empty or unreadable: no agent can be started.
    R1_no_prompt = Warning,
    /// Something looks like a box and is none (`found`). One that looks open keeps the list from being done.
    R2_not_a_box = Warning,
    /// A box in code, in a comment or in front matter, perhaps by accident (`found`).
    R3_hidden_box = Warning,
    /// A box with a mark that is neither a blank nor `x` (`found`). It counts as open.
    R4_unknown_mark = Info,
    /// The list has no box, so it never is done.
    R5_no_boxes = Warning,
    /// `completed` although the list isn't done (`found` of `expected` boxes are ticked).
    R6_completed_open = Warning,

    /// A plan of another tool can't be read (`reason`).
    P0_not_parsed = Error,
    /// Its own tool can't raise the counter of iterations, so it never ends (`found`).
    P1_counter_stuck = Warning,
    /// It has no limit of iterations.
    P2_no_limit = Warning,
    /// It ends with a phrase that its prompt never asks for (`found`).
    P3_promise_not_asked = Warning,
    /// Any session in the folder can take it over, because it names none.
    P4_any_session = Warning,
    /// Its prompt is options or a number, no work (`found`).
    P5_options_as_prompt = Warning,
    /// An item waits for something that is never done: an id that isn't there, or itself (`item`, `found`).
    P6_never_ready = Warning,
    /// Several items share an id (`item`).
    P7_repeated_id = Info,
    /// An item is done, and parts of it are open (`item`, `found`: how many).
    P8_done_with_open_parts = Warning,
    /// It says that it runs, and nothing shows that it does (`found`: the word).
    P9_stale_running = Warning,
    /// Its files say different things (`item`, `found`, `expected`, `file`: who says the first).
    P12_sources_disagree = Warning,
    /// A word that its format doesn't define (`item`, `found`).
    P13_unknown_word = Info,
    /// A file that it names isn't there (`file`).
    P14_file_missing = Warning,
    /// The truth is elsewhere: this file is an export (`found`: where).
    P15_export_only = Info,
    /// There is no work in it that can be counted.
    P16_no_items = Info,
    /// Two items that may be done at the same time change one file (`item`, `found`: the other one, `file`).
    P17_file_conflict = Warning,
    /// It isn't valid JSON; what was meant was read (`found`: what was corrected first).
    P18_corrected = Lint,
    /// A schedule of it starts an agent without a person (`item`, `found`: when).
    P19_can_fire = Warning,
    /// Its tool removed its file, as it does when the loop ends: how it ended isn't known.
    P20_ended = Info,
}
