//! What an agent loop is.
//!
//! This crate reads the three loop formats (CCW Loop v2, CCW Loop-B, AoT), says what a person sees of them,
//! which control verbs are legal, and turns an intent into text edits that touch only the bytes of our fields.
//! It knows no files, no clock and no window: bytes and times come in, views and edits go out.
//!
//! Every format is one folder with the same files in the same order: `state` (tolerant read), `rules`
//! (checks and legal verbs), `edit` (intent to text edits), `view` (what a person sees).

pub mod agent;
pub mod answer;
pub mod aot;
pub mod ccw;
pub mod ccw_legacy;
pub mod ccw_v1;
pub mod ccw_v2;
pub mod checklist;
pub mod compare;
pub mod control;
pub mod follow_up;
pub mod format;
pub mod forms;
pub mod graph_layout;
pub mod json_span;
pub mod lineage;
pub mod loop_b;
pub mod loops;
pub mod past;
pub mod place;
pub mod problem;
pub mod prompt;
pub mod recovery;
pub mod results;
pub mod start;
pub mod status;
pub mod step;
pub mod test_table;
pub mod text_edit;
pub mod timeline;
pub mod times;
pub mod view;
pub mod work_change;
pub mod work_drawing;
pub mod work_graph;
mod work_units;
pub mod work_view;
pub mod yaml_span;
